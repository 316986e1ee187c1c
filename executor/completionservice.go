package executor

import (
	"container/list"
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// CompletionService yields the futures of its tasks in the order in which they are settled, no
// matter how: by success, failure, or cancellation, or because the pool was shut down. A task is
// outstanding from its submission until its future has been taken. What a task has done happens
// before its future is taken. A CompletionService is safe for concurrent use.
//
// It is java.util.concurrent's ExecutorCompletionService, except that it knows what is outstanding:
// to wait when nothing is outstanding is an error, and the loop over All ends.
type CompletionService[V any] struct {
	pool Submitter

	mu          sync.Mutex
	own         native              // pool, if it is of this package and has all tasks; else nil
	unsettled   list.List           // of futures, in the order of submission
	settled     []*future.Future[V] // in the order in which they were settled
	outstanding int
	calls       calls         // of submit in progress; their tasks are outstanding too
	changed     chan struct{} // closed when there is more to take, or nothing left; may be nil

	// behind are, for unsettled futures, those that a foreign Submitter has returned for the same
	// tasks.
	behind map[*future.Future[V]]*future.Future[struct{}]
}

// NewCompletionService returns a completion service for tasks on p. It panics if p is nil.
func NewCompletionService[V any](p Submitter) *CompletionService[V] {
	if p == nil {
		panic("executor: nil pool")
	}
	return &CompletionService[V]{pool: p, own: nativeOf(p)}
}

// Submit submits fn to the pool, as the function [Submit] does. The future that it returns is the
// one that will be taken.
func (s *CompletionService[V]) Submit(
	fn future.Func[V], opts ...TaskOption,
) (*future.Future[V], error) {
	return s.submit(context.Background(), false, fn, opts)
}

// SubmitContext is Submit that waits for room until ctx ends, as the function [SubmitContext] does.
// The task knows the values of ctx, see [WithValues].
func (s *CompletionService[V]) SubmitContext(
	ctx context.Context, fn future.Func[V], opts ...TaskOption,
) (*future.Future[V], error) {
	return s.submit(ctx, true, fn, opts)
}

// SubmitTo is [CompletionService.Submit] on another pool than the service's own, so that tasks of
// several pools are taken in the one order in which they are settled. It panics if p is nil.
func (s *CompletionService[V]) SubmitTo(
	p Submitter, fn future.Func[V], opts ...TaskOption,
) (*future.Future[V], error) {
	if p == nil {
		panic("executor: nil pool")
	}
	return s.submitTo(context.Background(), false, p, fn, opts)
}

// submit is the common part of Submit, SubmitContext and the bulk operations.
func (s *CompletionService[V]) submit(
	ctx context.Context, wait bool, fn future.Func[V], opts []TaskOption,
) (*future.Future[V], error) {
	return s.submitTo(ctx, wait, s.pool, fn, opts)
}

// submitTo submits fn to p. It keeps count of itself before p gets the task: under CallerRuns the
// whole task runs inside the call.
func (s *CompletionService[V]) submitTo(
	ctx context.Context, wait bool, p Submitter, fn future.Func[V], opts []TaskOption,
) (*future.Future[V], error) {
	if fn == nil {
		return nil, ErrNilTask
	}
	own := nativeOf(p)
	s.mu.Lock()
	if s.own != nil && (own == nil || own.base() != s.own.base()) {
		s.own = nil // from here on, each task is asked where it is
	}
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
	if own != nil {
		f = new(future.Future[V])
		err = own.submit(ctx, wait, cellOf(f), bind(f, fn), opts)
	} else {
		e := newErrand(fn)
		f = e.task.Future()
		behind, err = e.give(ctx, wait, p, opts)
	}
	if accepted = err == nil; !accepted {
		return nil, err
	}
	return f, nil
}

// watch makes f available once it is settled.
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

// settle moves a future to those that can be taken.
func (s *CompletionService[V]) settle(place *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.unsettled.Remove(place).(*future.Future[V])
	delete(s.behind, f)
	s.settled = append(s.settled, f)
	s.signalLocked()
}

// takeLocked accounts for one task that is no longer outstanding. The last one wakes those who
// wait, because nothing will come for them.
func (s *CompletionService[V]) takeLocked() {
	if s.outstanding--; s.outstanding == 0 {
		s.signalLocked()
	}
}

// signalLocked makes all who wait look again.
func (s *CompletionService[V]) signalLocked() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Poll returns the next settled future, and reports whether there is one. It does not wait.
func (s *CompletionService[V]) Poll() (*future.Future[V], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll()
}

// poll is Poll with the lock held.
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

// Take waits until a future is settled, and returns it. A nil ctx never ends. Take returns
//
//   - [ErrNoneLeft] if no task is outstanding, even if another call has taken the last one during
//     the wait;
//   - [future.ErrSelfWait] if all that is outstanding is the calling task itself, or behind it in
//     a [Serial];
//   - the error of ctx if that ends first.
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
		// Asked without the lock of the service, as it looks at the pool and at the tasks.
		if s.awaitsItself() {
			return nil, future.ErrSelfWait
		}
		if _, ok := cell.Receive(ctx, changed, s.hosts(), s.waitedFor); !ok {
			// A future that was settled before ctx ended is not withheld.
			if f, ok := s.Poll(); ok {
				return f, nil
			}
			return nil, cell.EndOf(ctx)
		}
	}
}

// only returns the Submitter whose pool has all the tasks, or nil if there is none such of this
// package.
func (s *CompletionService[V]) only() native {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}

// hosts returns the executors of the outstanding tasks.
func (s *CompletionService[V]) hosts() []cell.Host {
	if own := s.only(); own != nil {
		return []cell.Host{own.base().engine().Host()}
	}
	return cell.HostsOf(s.waitedFor)
}

// awaitsItself reports whether nothing outstanding can end before the caller does: it would wait
// forever.
func (s *CompletionService[V]) awaitsItself() bool {
	s.mu.Lock()
	only, own, all := s.own, s.calls.own(), s.calls.all
	s.mu.Unlock()
	var caller engine.Caller
	if only != nil {
		caller = only.base().engine().Caller()
	}
	// Somebody else is submitting a task, which may end; or the caller is neither a task of the
	// pool nor inside a submission.
	if own < all || only != nil && !caller.IsRun() && own == 0 {
		return false
	}
	any := own > 0
	for c := range s.waitedFor {
		any = true
		if c.Phase().Settled() { // the future is on its way to us
			return false
		}
		if only == nil && !c.StopsAfterCaller() || only != nil && !caller.IsAheadOf(c) {
			return false
		}
	}
	return any
}

// waitedFor yields the unsettled tasks. It works on a copy, as yield may run without the lock only.
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

// All yields the futures as they are settled, until no task is outstanding, or ctx ends: check
// ctx.Err after the loop. Tasks may be submitted in the meantime, even by the loop itself. A nil
// ctx never ends.
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

// Outstanding returns the number of tasks that were submitted and have not been taken yet.
func (s *CompletionService[V]) Outstanding() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outstanding
}
