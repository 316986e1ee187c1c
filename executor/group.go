package executor

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/punctual-go/punctual/future"
)

// Group is a number of tasks on one pool that stand and fall together: when one of them fails, or the
// context of the group ends, the others are cancelled, and those that wait do not begin. It is what
// golang.org/x/sync/errgroup is to goroutines. It is safe for concurrent use; tasks may add others.
type Group struct {
	pool Submitter
	ctx  context.Context

	mu      sync.Mutex
	members []*future.Future[struct{}] // that may not have ended
	pruned  int                        // how many were left when those that had were dropped last
	err     error                      // why the group has come to its end
	unwatch func() bool                // stops watching ctx; nil while nobody does
}

// NewGroup returns a group of tasks on p that ends with ctx. A nil ctx never ends. It panics if p is
// nil.
func NewGroup(ctx context.Context, p Submitter) *Group {
	if p == nil {
		panic("executor: nil pool")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return &Group{pool: p, ctx: ctx}
}

// Go submits task to the pool as one of the group. If the pool refuses it, Go returns that error, and
// the group goes on. Once the group has failed, Go starts nothing more, and returns an error that
// matches [future.ErrCancelled] and the reason.
func (g *Group) Go(task Task, opts ...TaskOption) error {
	if err := cmp.Or(g.failure(), endOf(g.ctx)); err != nil {
		return future.CancelledError(err)
	}
	f := new(future.Future[struct{}])
	if err := g.pool.submit(g.ctx, false, future.CellOf(f), task, opts); err != nil {
		return err
	}
	g.add(f)
	future.CellOf(f).Watch(func() {
		if r, _ := f.Poll(); r.Err != nil {
			g.fail(r.Err)
		}
	})
	return nil
}

// add makes f a member. If the group has failed just before, it is cancelled like all others.
func (g *Group) add(f *future.Future[struct{}]) {
	g.mu.Lock()
	g.prune()
	g.members = append(g.members, f)
	if g.unwatch == nil {
		g.unwatch = context.AfterFunc(g.ctx, func() { g.fail(endOf(g.ctx)) })
	}
	err := g.err
	g.mu.Unlock()
	if err != nil {
		f.CancelCause(err)
	}
}

// prune forgets the members that have ended, when they may be half of all. The lock is held.
func (g *Group) prune() {
	if len(g.members) < 2*g.pruned+16 {
		return
	}
	g.members = slices.DeleteFunc(g.members, ended)
	g.pruned = len(g.members)
}

// fail ends the group, once.
func (g *Group) fail(err error) {
	g.mu.Lock()
	if g.err != nil {
		g.mu.Unlock()
		return
	}
	g.err = err
	members := slices.Clone(g.members)
	g.mu.Unlock()
	cancelAll(members, err)
}

func (g *Group) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// Wait waits until no body of the group runs any more and none will, and returns the error of the first
// that failed, or of the context, or nil. A task that is cancelled on its own counts as failed. Wait does
// not return before its tasks do, even if the context ends, which cancels them.
func (g *Group) Wait() error {
	ctx := context.WithoutCancel(g.ctx) // still that of the caller's run, if it is one
	for {
		members, err := g.going()
		if len(members) == 0 {
			return err
		}
		for _, f := range members {
			_, _ = f.Get(ctx)
			<-f.Stopped()
		}
	}
}

// going returns the members that have not ended. If there are none, nobody watches the context.
func (g *Group) going() ([]*future.Future[struct{}], error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members = slices.DeleteFunc(g.members, ended)
	if len(g.members) == 0 && g.unwatch != nil {
		g.unwatch()
		g.unwatch = nil
	}
	return slices.Clone(g.members), g.err
}

// ended reports whether no body of a member runs, or will.
func ended(f *future.Future[struct{}]) bool {
	select {
	case <-f.Stopped():
		return true
	default:
		return false
	}
}
