package engine

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Overview: a pool runs tasks on goroutines that are not workers in two cases. Under [CallerRuns]
// the submitter brings its own goroutine, and so a place of its own. For a run that waits, a helper
// takes over the place that the run has lent. Both kinds follow the steps in execution.go, count as
// busy, and are waited for at the end of the pool. Unlike workers they do not serve the queue.

// maxNested bounds how deep tasks run inside others that have submitted them, all on one stack. It
// also bounds how deep callers can wait, by means the pool does not know, for what they have
// submitted.
const maxNested = 1000

// runByCaller accepts c and runs it on the calling goroutine. If ctx, that of a bulk operation,
// ends meanwhile, it ends the task too. If the pace of the pool lets c not begin yet, the caller
// waits for that before c is accepted, until patience ends.
//
// If the caller is running such a task already, c runs inside that, but only to a certain depth, as
// a task may submit itself forever; below that it is refused.
func (ls *loans) runByCaller(ctx, patience context.Context, c *cell.Cell) error {
	if planOf(c).strand != nil {
		return ErrSaturated // to run it now would be out of turn
	}
	// A stack overflow could not be recovered from.
	if x := ls.pool.current(); x != nil && x.depth >= maxNested {
		return ErrSaturated
	}
	ends := ctx.Done() != nil
	// This must come before anybody knows of the run: the methods of ctx may be the user's.
	if ends {
		var release context.CancelFunc
		ctx, release = context.WithCancel(cell.Faithful(ctx))
		defer release()
	}
	g, err := ls.beginAtPace(patience, c)
	if err != nil {
		return err
	}
	ls.pool.runs.Follow(c, &planOf(c).Plan)
	if ends {
		defer cancelAfter(ctx, c)()
	}
	g.serve()
	return nil
}

// beginAtPace accepts c and starts it on the calling goroutine, once it may begin. Until then the
// caller waits, no longer than until ctx ends, and c is not accepted.
func (ls *loans) beginAtPace(ctx context.Context, c *cell.Cell) (*extraRun, error) {
	end, gone := ctx.Done(), endOfWithin(c) // without the lock: they may be the user's
	for {
		g, wait, err := ls.begin(c)
		if g != nil || err != nil {
			return g, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			continue
		case <-ls.pool.Life.closing.Done():
			timer.Stop()
			continue
		case <-end:
		case <-gone:
			ctx = planOf(c).Within
		}
		timer.Stop()
		return nil, cell.Joined(ls.pool.Door.refusal(nameOf(c), ErrSaturated), cell.EndOf(ctx))
	}
}

// cancelAfter cancels c when ctx ends, until stop is called. Stop returns after the cancellation,
// if there was one, has been counted.
func cancelAfter(ctx context.Context, c *cell.Cell) (stop func()) {
	over := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(over)
		cause := context.Cause(ctx)
		c.Cancel(future.CancelledError(cause), cause, true)
	})
	return func() {
		if !unwatch() {
			<-over
		}
	}
}

// addExtraRunLocked adds an extra run, which has no task yet.
func (ls *loans) addExtraRunLocked() *extraRun {
	g := &extraRun{execution: ls.pool.newExecution(false)}
	if ls.extraRuns == nil {
		ls.extraRuns = extraRuns{}
	}
	ls.extraRuns[g] = struct{}{}
	return g
}

// serve runs the task that has been started.
func (g *extraRun) serve() {
	defer g.leave() // also by Goexit
	g.run()
	g.complete()
}

// serveApart is the goroutine of an extra run that has one of its own.
func (g *extraRun) serveApart() {
	g.pool.unlabel() // a new goroutine has the labels of the one that started it
	g.pool.runners.enter(&g.execution)
	g.serve()
}

// leave ends the extra run, after its task or by a Goexit of it.
func (g *extraRun) leave() {
	if v := recover(); v != nil {
		panic(v) // of a user's WorkQueue, under the lock: there is no way on
	}
	defer g.depart() // even if a hook or handler ends the goroutine
	g.complete()
}
