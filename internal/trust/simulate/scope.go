package simulate

import (
	"context"
	"time"
)

// scope is a context, and what is known of it.
type scope struct {
	ctx  context.Context
	ends []*job // with the end of any of these runs it is certain to end
	of   []*job // the runs on behalf of which it is
	by   time.Duration
}

// origin is whose context a call uses.
type origin uint8

const (
	own      origin = iota // that of the run, or of what has passed it on
	outer                  // that of a task above, which has captured it
	ofOther                // that of a run of any host, which may have ended
	byHand                 // that of a task that is run by hand
	over                   // one that has ended
	backdrop               // the background
	none                   // nil
	manyOrigins
)

// String returns whose.
func (o origin) String() string {
	return [...]string{"own", "outer", "another run's", "a run by hand's", "ended", "background", "nil"}[o]
}

// foreign is a context of a type that package context does not know.
type foreign struct{ context.Context }

type scopeKey struct{}

// resolve returns the context of a call, of whom has that of the scope.
func (p *program) resolve(c *call, s scope) (out scope, release func()) {
	release = func() {}
	switch c.origin {
	case own:
		out = s
	case outer:
		out = p.runScope(c.above, s)
	case ofOther:
		out = p.runScope(p.anyRun(c.pick), s)
	case byHand:
		out.ctx = p.handRun
	case over:
		ended, end := context.WithCancel(s.ctx)
		end()
		out = scope{ctx: ended, ends: s.ends, of: s.of}
	case backdrop:
		out.ctx = context.Background()
	case none:
		if c.limit == 0 {
			return scope{}, release
		}
		out.ctx = context.Background()
	}
	if c.detached {
		out = scope{ctx: context.WithoutCancel(out.ctx), of: out.of}
	}
	if c.wrapped {
		out = scope{ctx: foreign{out.ctx}, of: out.of}
	}
	if c.derived {
		out.ctx = context.WithValue(out.ctx, scopeKey{}, c)
	}
	if c.limit > 0 && (c.way.takesContext() || c.patient()) {
		out.by = p.now() + c.limit
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

// anyRun returns a task that has begun, one of the latest.
func (p *program) anyRun(pick int) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ran) == 0 {
		return nil
	}
	n := min(len(p.ran), 12)
	return p.ran[len(p.ran)-1-pick%n]
}

// actFor notes on behalf of which runs of the host the caller is about to wait; the lock is held.
func (s scope) actFor(h *host) {
	h = h.base
	if h.behalf == nil {
		h.behalf = map[*job]bool{}
	}
	for _, j := range s.of {
		if j.on.base == h && !h.confines {
			h.behalf[j] = true
		}
	}
}

// helped reports whether the host would help whoever waits with this context on some goroutine; the lock is held.
func (s scope) helped(h *host) (certainly, perhaps bool) {
	for _, j := range s.of {
		if j.on.base == h.base && !h.confines {
			c, p := j.live()
			certainly, perhaps = certainly || c, perhaps || p
		}
	}
	return certainly, perhaps
}
