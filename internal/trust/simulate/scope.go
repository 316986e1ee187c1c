package simulate

import (
	"context"
	"time"
)

// scope is a context with what is known of it.
type scope struct {
	ctx      context.Context
	endsWith []*job // with the end of any of these runs it is certain to end
	onBehalf []*job // the runs on behalf of which it is
	deadline time.Duration
}

// contextOrigin is where the context of a call comes from. Executors recognize waits by it.
type contextOrigin uint8

const (
	ownContext        contextOrigin = iota // that of the run, or of what has passed it on
	outerContext                           // that of a task above, which has captured it
	otherRunContext                        // that of a run of any host, which may have ended
	handRunContext                         // that of a task that is run by hand
	endedContext                           // one that has ended
	backgroundContext                      // the background
	nilContext                             // nil
	contextOrigins
)

// String says whose, for faults.
func (o contextOrigin) String() string {
	return [...]string{"own", "outer", "another run's", "a run by hand's", "ended", "background",
		"nil"}[o]
}

// foreignContext is a context of a type that package context does not know.
type foreignContext struct{ context.Context }

type scopeKey struct{}

// resolve returns the context of a call that is made in the scope s.
func (p *program) resolve(c *call, s scope) (out scope, release func()) {
	release = func() {}
	switch c.origin {
	case ownContext:
		out = s
	case outerContext:
		out = p.runScope(c.above, s)
	case otherRunContext:
		out = p.runScope(p.anyRun(c.pick), s)
	case handRunContext:
		out.ctx = p.handRunCtx
	case endedContext:
		ended, end := context.WithCancel(s.ctx)
		end()
		out = scope{ctx: ended, endsWith: s.endsWith, onBehalf: s.onBehalf}
	case backgroundContext:
		out.ctx = context.Background()
	case nilContext:
		if c.limit == 0 {
			return scope{}, release
		}
		out.ctx = context.Background()
	}
	if c.detached {
		out = scope{ctx: context.WithoutCancel(out.ctx), onBehalf: out.onBehalf}
	}
	if c.wrapped {
		out = scope{ctx: foreignContext{out.ctx}, onBehalf: out.onBehalf}
	}
	if c.derived {
		out.ctx = context.WithValue(out.ctx, scopeKey{}, c)
	}
	if c.limit > 0 && (c.method.takesContext() || c.waitsForRoom()) {
		out.deadline = p.now() + c.limit
		out.ctx, release = context.WithTimeout(out.ctx, c.limit)
	}
	return out, release
}

// runScope is that of a run, or the given one if there is none.
func (p *program) runScope(j *job, otherwise scope) scope {
	if j == nil {
		return otherwise
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.ctx == nil {
		return otherwise
	}
	return j.scope()
}

// anyRun returns one of the tasks that began last, or nil.
func (p *program) anyRun(pick int) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.started) == 0 {
		return nil
	}
	n := min(len(p.started), 12)
	return p.started[len(p.started)-1-pick%n]
}

// noteHelpLocked notes on behalf of which runs of the host the caller is about to wait; the lock is
// held.
func (s scope) noteHelpLocked(h *host) {
	h = h.base
	if h.helpedFor == nil {
		h.helpedFor = map[*job]bool{}
	}
	for _, j := range s.onBehalf {
		if j.on.base == h && !h.exclusive {
			h.helpedFor[j] = true
		}
	}
}

// helpedLocked reports whether the host would help whoever waits with this context on some
// goroutine; the lock is held.
func (s scope) helpedLocked(h *host) (certainly, perhaps bool) {
	for _, j := range s.onBehalf {
		if j.on.base == h.base && !h.exclusive {
			c, p := j.runLive()
			certainly, perhaps = certainly || c, perhaps || p
		}
	}
	return certainly, perhaps
}
