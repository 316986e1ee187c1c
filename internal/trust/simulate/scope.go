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

// live reports whether the context has not ended.
func (s scope) live() bool { return s.ctx == nil || s.ctx.Err() == nil }
