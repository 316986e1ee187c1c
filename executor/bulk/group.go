package bulk

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/completion"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Group is a set of tasks on one pool that succeed or fail together. When one of them fails, or the
// context of the group ends, the others are cancelled and those that wait do not begin. It is to
// pools what golang.org/x/sync/errgroup is to goroutines. It is safe for concurrent use, and its
// tasks may add others.
//
// Make one with [NewGroup]. To be certain that no task begins too late, each asks the group's
// context for its error just before it begins.
type Group struct {
	pool   executor.Submitter
	way    submitter.Way // of pool; none if that is foreign
	parent context.Context

	patient bool // waits for room in the pool, whatever its policy

	mu      sync.Mutex
	members []*future.Future[struct{}] // including some that have ended, until they are pruned
	pruned  int                        // length of members after the last pruning
	err     error                      // the first failure
	failed  bool                       // fail has run: the others are being cancelled, or have been

	slots   slots            // what SetLimit bounds
	calls   completion.Calls // of Go and fail in progress
	changed chan struct{}    // closed when there are no calls left, or a new member; may be nil

	// Set while there may be members, and let go by Wait, so that an idle group holds nothing of
	// parent:
	ctx     context.Context // ends with parent, or by the first failure
	cancel  context.CancelCauseFunc
	unwatch func() bool
}

// NewGroup returns a group of tasks on p that ends with ctx. Its tasks know the values of ctx, see
// [executor.WithValues]. A nil ctx never ends. NewGroup panics if p is nil.
func NewGroup(ctx context.Context, p executor.Submitter) *Group {
	mustBe(p)
	if ctx == nil {
		ctx = context.Background()
	}
	g := &Group{pool: p, way: submitter.Of(p), parent: cell.Faithful(ctx)}
	g.slots.limit = -1
	return g
}

// mustBe panics if there is no Submitter.
func mustBe(p executor.Submitter) {
	if p == nil {
		panic("bulk: nil pool")
	}
}

// Cancel ends the group as the failure of a member with that cause would: its tasks are cancelled,
// those that wait do not begin, and Go adds none any more. A nil cause is [future.ErrCancelled].
// Cancel does not wait; [Group.Wait] does, and returns the cause. If the group has failed already,
// Cancel does nothing.
func (g *Group) Cancel(cause error) { g.fail(cmp.Or(cause, future.ErrCancelled)) }

// Go submits task to the pool as a member of the group. If [Group.SetLimit] has set a limit, Go
// waits until fewer members than that are in flight. A task of the pool may wait there, as what it
// waits for runs in its place. Members may too, but when all that are in flight wait for a turn,
// the last one would wait for itself, and gets [future.ErrSelfWait]: see [Group.TryGo].
//
// If the pool refuses the task, Go returns that error and the group goes on. On a pool with a
// bounded queue, the policy rejection.Block makes Go wait for room instead, no longer than until
// the context of the group ends. A task that a policy discards has failed. Once the group has
// failed, Go starts nothing and returns an error that matches [future.ErrCancelled] and the reason.
func (g *Group) Go(task executor.Task, opts ...executor.TaskOption) error {
	return g.add(task, opts, true)
}

// add is Go that waits for its turn if wait says so.
func (g *Group) add(task executor.Task, opts []executor.TaskOption, wait bool) error {
	ctx, err := g.open()
	if err != nil {
		return future.CancelledError(err)
	}
	if task == nil {
		g.entered(nil)
		return executor.ErrNilTask
	}
	if err := g.acquire(ctx, wait); err != nil {
		g.entered(nil)
		return err
	}
	if g.way.IsForeign() {
		return g.goForeign(ctx, task, opts)
	}
	f := new(future.Future[struct{}])
	accepted := false
	defer func() { // also if the caller runs the task, and that ends its goroutine
		if accepted || f.State().Settled() {
			g.entered(f)
		} else {
			g.release()
			g.entered(nil)
		}
	}()
	err = submitter.Give(ctx, g.patient, g.way, submitter.CellOf(f), g.bodyOf(f, task), opts)
	accepted = err == nil
	return err
}

// goForeign is Go on a foreign Submitter, whose future is the member.
func (g *Group) goForeign(
	ctx context.Context, task executor.Task, opts []executor.TaskOption,
) (err error) {
	f := future.Failed[struct{}](future.ErrGoexit) // stands until Submit returns
	defer func() {
		if f == nil {
			g.release()
		}
		g.entered(f)
	}()
	body := func(ctx context.Context) error {
		if err := g.end(); err != nil {
			return future.CancelledError(err)
		}
		return task(ctx)
	}
	f, err = submitter.GiveForeign(ctx, g.patient, g.pool, body, opts)
	return err
}

// bodyOf returns what the pool is to run for the member f. If the group ends between the moment a
// worker takes the task and its first line, the task does not begin. It has not failed then: it is
// cancelled like those that wait.
func (g *Group) bodyOf(f *future.Future[struct{}], task executor.Task) executor.Task {
	return func(ctx context.Context) error {
		if err := g.end(); err != nil {
			f.CancelCause(err)
			return err
		}
		return task(ctx)
	}
}

// end returns why the group has ended, or nil if it has not. It asks the parent context itself,
// because the goroutine that watches it may be late.
func (g *Group) end() error {
	if _, err := g.derived(); err != nil {
		return err
	}
	// Without the group's lock: the methods of parent may be the user's.
	if err := submitter.EndOf(g.parent); err != nil {
		g.fail(err)
	}
	_, err := g.derived()
	return err
}

// open begins a call of Go, which ends with entered. It returns the context of the group, or the
// reason why the group has ended.
func (g *Group) open() (context.Context, error) {
	if err := g.end(); err != nil {
		return nil, err
	}
	for {
		ctx, err := g.enter()
		if ctx != nil || err != nil {
			return ctx, err
		}
		g.derive()
	}
}

// enter begins a call of Go, unless the group has failed or has no context.
func (g *Group) enter() (context.Context, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return nil, g.err
	}
	if g.ctx != nil {
		g.calls.Begin()
	}
	return g.ctx, nil
}

// entered ends a call of Go, or of fail, and makes f a member unless it is nil. If the group has
// failed in the meantime, f is cancelled like the others.
func (g *Group) entered(f *future.Future[struct{}]) {
	g.mu.Lock()
	g.calls.End()
	if (g.calls.All == 0 || f != nil) && g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
	if f == nil {
		g.mu.Unlock()
		return
	}
	// Each pruning lets the list double, so that a member costs O(1) amortized.
	if len(g.members) >= 2*g.pruned+16 {
		g.pruneLocked()
		g.pruned = len(g.members)
	}
	g.members = append(g.members, f)
	g.slots.signal() // a run that waits for a slot lends its place to this one as well
	err := g.err
	g.mu.Unlock()
	if err != nil {
		f.CancelCause(err)
	}
	future.AfterSettled(f, func(r future.Result[struct{}]) {
		if r.Err != nil {
			g.fail(r.Err) // before the slot is free for another
		}
		g.release()
	})
}

// pruneLocked forgets the members that have ended, and returns the error of the first that failed.
// The group must not rely on the callback of AfterSettled for it: a waiter may see the future
// settled a moment before that is called.
func (g *Group) pruneLocked() (err error) {
	g.members = slices.DeleteFunc(g.members, func(f *future.Future[struct{}]) bool {
		if !submitter.CellOf(f).HasStopped() {
			return false
		}
		err = cmp.Or(err, errorOf(f))
		return true
	})
	g.err = cmp.Or(g.err, err)
	return err
}

// errorOf returns the error of a settled future.
func errorOf(f *future.Future[struct{}]) error {
	r, _ := f.Poll()
	return r.Err
}

// fail ends the group with err, unless it has ended before, and cancels all members.
func (g *Group) fail(err error) {
	g.mu.Lock()
	if g.failed { // also reached by each member that is cancelled here
		g.mu.Unlock()
		return
	}
	g.failed = true
	g.calls.Begin() // Wait is not to return before all have been cancelled
	defer g.entered(nil)
	g.err = cmp.Or(g.err, err)
	err = g.err
	members, cancel := slices.Clone(g.members), g.cancel
	g.mu.Unlock()
	if cancel != nil {
		cancel(err)
	}
	completion.CancelAll(members, err)
}

// Wait waits until no task of the group is running and none will run. It returns the error of the
// first that failed, the error of the context if that came first, or nil. A task that is cancelled
// on its own counts as failed.
//
// Wait never returns before the tasks have. A task of the group would therefore wait for itself, as
// would a task of a serial executor that members are behind: they get [future.ErrSelfWait] at once.
// Other tasks of the pool may call Wait: what it waits for runs in their place.
func (g *Group) Wait() error {
	for {
		members, changed, err := g.going()
		if changed == nil {
			return err
		}
		if g.ownCalls() > 0 {
			return future.ErrSelfWait
		}
		if err := g.await(members, changed); err != nil {
			return err
		}
	}
}

// ownCalls returns how many calls of Go the caller is inside, in which it runs tasks by itself.
func (g *Group) ownCalls() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls.Own()
}

// await waits until the members have ended, or until something changes. If the caller is a run of
// the pool, any member may run in its place, not only the first, and so may members that come
// later.
func (g *Group) await(members []*future.Future[struct{}], changed <-chan struct{}) error {
	cells := func(yield func(*cell.Cell) bool) {
		for _, f := range members {
			if !yield(submitter.CellOf(f)) {
				return
			}
		}
	}
	for c := range cells {
		if c.StopsAfterCaller() {
			return future.ErrSelfWait
		}
	}
	if over := g.makeRoom(cells); over != nil {
		defer over()
	} else if len(members) > 0 {
		changed = nil // a stranger lends no place, so new members are no reason to look again
	}
	for _, f := range members {
		select {
		case <-f.Stopped():
		case <-changed:
			return nil
		}
	}
	if len(members) == 0 {
		<-changed
	}
	return nil
}

// makeRoom lets what the caller waits for run in its place, if the caller is a run of the pool. It
// returns the function to call after the wait, or nil.
func (g *Group) makeRoom(cells iter.Seq[*cell.Cell]) (over func()) {
	if g.way.IsForeign() {
		return nil
	}
	return g.way.Pool.Host().AwaitAll(g.parent, cells)
}

// going returns the members that have not ended, and a channel that is closed when there is
// another, or when no call of Go or fail is in progress any more. The channel is nil if there are
// neither members nor calls: the group then lets go of its context.
func (g *Group) going() (members []*future.Future[struct{}], changed <-chan struct{}, err error) {
	g.mu.Lock()
	g.pruneLocked()
	if len(g.members)+g.calls.All > 0 && g.changed == nil {
		g.changed = make(chan struct{})
	}
	letGo := func() {}
	if unwatch, cancel := g.unwatch, g.cancel; len(g.members)+g.calls.All == 0 && g.ctx != nil {
		letGo = func() { unwatch(); cancel(nil) } // without the lock, see derive
		g.ctx, g.cancel, g.unwatch = nil, nil, nil
	}
	if len(g.members)+g.calls.All > 0 {
		members, changed = slices.Clone(g.members), g.changed
	}
	g.mu.Unlock()
	letGo()
	return members, changed, g.end()
}
