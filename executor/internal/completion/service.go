// Package completion is what InvokeAny and InvokeAll of package executor have in common with
// package bulk: tasks taken in the order in which they end, and the first of several that succeeds.
package completion

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// ErrNoneLeft is the variable of the same name in package bulk.
var ErrNoneLeft = errors.New("bulk: no task is outstanding")

// Service is the CompletionService of package bulk, which says what it promises. O is the
// TaskOption of package executor.
type Service[V any, O run.TaskOption] struct {
	to submitter.Submitter[O]

	mu          sync.Mutex
	own         *engine.Pool        // has all tasks; nil if that is not known, or several have
	unsettled   list.List           // of calls, in the order of submission
	settled     []*future.Future[V] // in the order in which they were settled
	outstanding int
	calls       Calls         // of submit in progress; their tasks are outstanding too
	changed     chan struct{} // closed when there is more to take, or nothing left; may be nil
}

// Init makes s a service for tasks on p.
func (s *Service[V, O]) Init(p submitter.Submitter[O]) {
	s.to, s.own = p, submitter.Of(p).Pool
}

// Submit submits fn to p, or to the Submitter of the service if p is nil. If there is no room, it
// waits until ctx ends, if wait says so. It keeps count of itself before p gets the task: under
// CallerRuns the whole task runs inside the call.
func (s *Service[V, O]) Submit(
	ctx context.Context, wait bool, p submitter.Submitter[O], fn future.Func[V], opts []O,
) (*future.Future[V], error) {
	if fn == nil {
		return nil, run.ErrNilTask
	}
	if p == nil {
		p = s.to
	}
	way := submitter.Of(p)
	s.mu.Lock()
	if way.Pool != s.own {
		s.own = nil // from here on, each task is asked where it is
	}
	s.outstanding++ // before the task can be settled
	s.calls.Begin()
	s.mu.Unlock()
	c := new(submitter.Call[V])
	accepted := false
	defer func() { // also if the caller runs the task, and that ends its goroutine
		if accepted || c.Future.State().Settled() {
			s.watch(c)
		} else {
			s.renounce()
		}
	}()
	if err := submitter.Submit(c, ctx, wait, p, way, fn, opts); err != nil {
		return nil, err
	}
	accepted = true
	return c.Future, nil
}

// watch makes the future of c available once it is settled.
func (s *Service[V, O]) watch(c *submitter.Call[V]) {
	s.mu.Lock()
	s.calls.End()
	place := s.unsettled.PushBack(c)
	s.signalLocked() // a task that waits may have to help this one
	s.mu.Unlock()
	future.AfterSettled(c.Future, func(future.Result[V]) { s.settle(place) })
}

// renounce accounts for a task that the pool has refused.
func (s *Service[V, O]) renounce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls.End()
	s.takeLocked()
}

// settle moves a future to those that can be taken.
func (s *Service[V, O]) settle(place *list.Element) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = append(s.settled, s.unsettled.Remove(place).(*submitter.Call[V]).Future)
	s.signalLocked()
}

// takeLocked accounts for one task that is no longer outstanding. The last one wakes those who
// wait, because nothing will come for them.
func (s *Service[V, O]) takeLocked() {
	if s.outstanding--; s.outstanding == 0 {
		s.signalLocked()
	}
}

// signalLocked makes all who wait look again.
func (s *Service[V, O]) signalLocked() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Poll returns the next settled future, and reports whether there is one. It does not wait.
func (s *Service[V, O]) Poll() (*future.Future[V], bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll()
}

// poll is Poll with the lock held.
func (s *Service[V, O]) poll() (*future.Future[V], bool) {
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
//     a serial executor;
//   - the error of ctx if that ends first.
func (s *Service[V, O]) Take(ctx context.Context) (*future.Future[V], error) {
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

// hosts returns the executors of the outstanding tasks.
func (s *Service[V, O]) hosts() []cell.Host {
	s.mu.Lock()
	own := s.own
	s.mu.Unlock()
	if own != nil {
		return []cell.Host{own.Host()}
	}
	return cell.HostsOf(s.waitedFor)
}

// awaitsItself reports whether nothing outstanding can end before the caller does: it would wait
// forever.
func (s *Service[V, O]) awaitsItself() bool {
	s.mu.Lock()
	only, own, all := s.own, s.calls.Own(), s.calls.All
	s.mu.Unlock()
	var caller engine.Caller
	if only != nil {
		caller = only.Caller()
	}
	// Another goroutine is submitting a task, which may end; or the caller is neither a task of the
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
func (s *Service[V, O]) waitedFor(yield func(*cell.Cell) bool) {
	s.mu.Lock()
	cells := make([]*cell.Cell, 0, s.unsettled.Len())
	for place := s.unsettled.Front(); place != nil; place = place.Next() {
		cells = append(cells, place.Value.(*submitter.Call[V]).Awaited())
	}
	s.mu.Unlock()
	slices.Values(cells)(yield)
}

// Outstanding returns the number of tasks that were submitted and have not been taken yet.
func (s *Service[V, O]) Outstanding() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outstanding
}
