package bulk

import (
	"cmp"
	"context"

	"github.com/punctual-go/punctual/executor/internal/completion"
	"github.com/punctual-go/punctual/executor/internal/submitter"
)

// Context returns the context of the group. It ends with the context that the group was made with,
// when a member fails, when the group is cancelled, and when [Group.Wait] has waited for all
// members; its cause says which. The contexts of the tasks are others: they end with the group too,
// but also have what the pool gives them. Like Go, Context needs a Wait after it, which lets go of
// what watches the group's context.
func (g *Group) Context() context.Context {
	for {
		ctx, err := g.derived()
		switch {
		case ctx != nil:
			return ctx
		case err != nil: // and Wait has let go of the context that had ended with it
			ctx, cancel := context.WithCancelCause(g.parent)
			cancel(err)
			return ctx
		}
		g.derive()
	}
}

// derived returns the context of the group, nil if it has none now, and why the group has ended.
func (g *Group) derived() (context.Context, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ctx, g.err
}

// derive gives the group a context, unless another call has done so. It asks the parent without
// the lock, because its methods may be the user's.
func (g *Group) derive() {
	ctx, cancel := context.WithCancelCause(g.parent)
	fail := func() { g.fail(cmp.Or(submitter.EndOf(g.parent), completion.ErrNotNeeded)) }
	unwatch := context.AfterFunc(ctx, fail)
	if !g.offer(ctx, cancel, unwatch) {
		unwatch()
		cancel(nil)
	}
}

// offer reports whether the group has taken the context.
func (g *Group) offer(
	ctx context.Context, cancel context.CancelCauseFunc, unwatch func() bool,
) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx != nil || g.err != nil {
		return false
	}
	g.ctx, g.cancel, g.unwatch = ctx, cancel, unwatch
	return true
}
