package executor

import (
	"container/list"
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// CompletionService yields the futures of its tasks as they are settled, whichever way: by success, by
// failure, by cancellation, at once, or because the pool has been shut down. It is java.util.concurrent's
// ExecutorCompletionService, but that it knows what is outstanding: to wait for what will never come is
// an error, and the loop over All ends. It is safe for concurrent use.
//
// A task is outstanding from its submission until its future has been taken. What a task has done
// happens before its future is taken.
type CompletionService[V any] struct {
	pool Submitter
	own  native // the same, if it is of this package

	mu          sync.Mutex
	unsettled   list.List           // of futures, in the order of submission
	settled     []*future.Future[V] // in the order in which they were settled
	outstanding int
	calls       calls         // of submit in progress; their tasks are outstanding, too
	changed     chan struct{} // closed, and made anew, when there is more to take, or nothing left

	// The futures of a Submitter of another make, by those that are not settled; nil without one.
	behind map[*future.Future[V]]*future.Future[struct{}]
}

// NewCompletionService returns a completion service for tasks on p. It panics if p is nil.
func NewCompletionService[V any](p Submitter) *CompletionService[V] {
	if p == nil {
		panic("executor: nil pool")
	}
	return &CompletionService[V]{pool: p, own: nativeOf(p)}
}

// Submit is [Submit] on the pool. The future that it returns is the one that will be taken.
func (s *CompletionService[V]) Submit(fn future.Func[V], opts ...TaskOption) (*future.Future[V], error) {
	return s.submit(context.Background(), fn, opts...)
}

func (s *CompletionService[V]) submit(ctx context.Context, fn future.Func[V], opts ...TaskOption) (*future.Future[V], error) {
	if fn == nil {
		return nil, ErrNilTask
	}
	s.mu.Lock()
	s.outstanding++ // before the task can be settled
	s.calls.begin()
	s.mu.Unlock()
	var f *future.Future[V]
	var behind *future.Future[struct{}]
	accepted := false
	defer func() { // also if the caller runs the task, and that ends its goroutine
		if accepted || f.State().Settled() {
			s.watch(f, behind)
		} else {
			s.renounce()
		}
	}()
	var err error
	if s.own != nil {
		f = new(future.Future[V])
		err = s.own.submit(ctx, false, cellOf(f), bind(f, fn), opts)
	} else {
		e := newErrand(fn)
		f = e.task.Future()
		behind, err = e.give(ctx, false, s.pool, opts)
	}
	if accepted = err == nil; !accepted {
		return nil, err
	}
	return f, nil
}

// watch has f become available once it is settled.
func (s *CompletionService[V]) watch(f *future.Future[V], behind *future.Future[struct{}]) {
	s.mu.Lock()
	s.calls.end()
	place := s.unsettled.PushBack(f)
	if behind != nil {
		if s.behind == nil {
			s.behind = map[*future.Future[V]]*future.Future[struct{}]{}
		}
		s.behind[f] = behind
	}
	s.signalLocked() // a task that waits may have to help this one
	s.mu.Unlock()
	future.AfterSettled(f, func(future.Result[V]) { s.settle(place) })
}

// renounce accounts for a task that the pool has refused.
func (s *CompletionService[V]) renounce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.end()
	s.takeLocked()
}

func (s *CompletionService[V]) settle(place *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.unsettled.Remove(place).(*future.Future[V])
	delete(s.behind, f)
	s.settled = append(s.settled, f)
	s.signalLocked()
}

// takeLocked accounts for one task that is not outstanding any more.
func (s *CompletionService[V]) takeLocked() {
	if s.outstanding--; s.outstanding == 0 {
		s.signalLocked()
	}
}

// signalLocked has all who wait look again.
func (s *CompletionService[V]) signalLocked() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Poll returns the next future that is settled, if there is one. It does not wait.
func (s *CompletionService[V]) Poll() (*future.Future[V], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll()
}

func (s *CompletionService[V]) poll() (*future.Future[V], bool) {
	if len(s.settled) == 0 {
		return nil, false
	}
	f := s.settled[0]
	s.settled[0] = nil
	s.settled = s.settled[1:]
	s.takeLocked()
	return f, true
}

// Take waits for the next future to be settled and returns it. It returns [ErrNoneLeft] if no task is
// outstanding, also when another has taken the last meanwhile, [future.ErrSelfWait] if all that is
// outstanding is the caller itself, or behind it in a [Serial], and the error of ctx if that ends
// first. A nil ctx never ends.
func (s *CompletionService[V]) Take(ctx context.Context) (*future.Future[V], error) {
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		s.mu.Lock()
		f, ok := s.poll()
		if ok || s.outstanding == 0 {
			s.mu.Unlock()
			if !ok {
				return nil, ErrNoneLeft
			}
			return f, nil
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if s.awaitsItself() {
			return nil, future.ErrSelfWait
		}
		if _, ok := cell.Receive(ctx, changed, s.hosts(), s.waitedFor); !ok {
			if f, ok := s.Poll(); ok {
				return f, nil
			}
			return nil, cell.EndOf(ctx)
		}
	}
}

// hosts returns those of the tasks.
func (s *CompletionService[V]) hosts() []cell.Host {
	if s.own != nil {
		return []cell.Host{(*host)(s.own.base())}
	}
	return cell.HostsOf(s.waitedFor)
}

// awaitsItself reports whether nothing of what is outstanding can end before the caller has.
func (s *CompletionService[V]) awaitsItself() bool {
	var x *execution
	if s.own != nil {
		x = s.own.base().current()
	}
	s.mu.Lock()
	own, all := s.calls.own(), s.calls.all
	s.mu.Unlock()
	if own < all || s.own != nil && x == nil && own == 0 {
		return false
	}
	any := own > 0
	for c := range s.waitedFor {
		any = true
		if c.Phase().Settled() { // it comes
			return false
		}
		if s.own == nil && !c.StopsAfterCaller() || s.own != nil && (x == nil || !x.isBehind(c)) {
			return false
		}
	}
	return any
}

// waitedFor yields the tasks that are not settled.
func (s *CompletionService[V]) waitedFor(yield func(*cell.Cell) bool) {
	s.mu.Lock()
	cells := make([]*cell.Cell, 0, s.unsettled.Len())
	for place := s.unsettled.Front(); place != nil; place = place.Next() {
		f := place.Value.(*future.Future[V])
		if b := s.behind[f]; b != nil {
			cells = append(cells, cellOf(b))
		} else {
			cells = append(cells, cellOf(f))
		}
	}
	s.mu.Unlock()
	slices.Values(cells)(yield)
}

// All yields the futures as they are settled, until no task is outstanding or ctx ends; look at
// ctx.Err. Tasks may be submitted meanwhile, also from inside of the loop. A nil ctx never ends.
func (s *CompletionService[V]) All(ctx context.Context) iter.Seq[*future.Future[V]] {
	return func(yield func(*future.Future[V]) bool) {
		for {
			f, err := s.Take(ctx)
			if err != nil || !yield(f) {
				return
			}
		}
	}
}

// Outstanding returns how many tasks have been submitted and not been taken yet.
func (s *CompletionService[V]) Outstanding() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outstanding
}
