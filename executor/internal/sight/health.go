package sight

import (
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// health tells listeners when the health of an owner changes. The owner's lock guards it.
//
//	calm    -> asking  changeLocked: something may have changed; the timer: a time is over
//	asking  -> asking  changeLocked: once more
//	asking  -> calm    tell: the listeners know
//	any     -> over    endLocked: the owner has ended
type health struct {
	sight               *Sight
	known               string // what the listeners know, see troubleOf; only tell uses it
	asking, again, over bool
	timer               *time.Timer // until an expectation will be broken; nil if none can be
	at                  int64       // when the timer fires
}

// changeLocked has the listeners told if the health has changed.
func (h *health) changeLocked() {
	switch {
	case h.sight.config.OnHealth == nil || h.over:
	case h.asking:
		h.again = true
	default:
		h.asking = true
		go h.tell()
	}
}

// changesLocked has the listeners told at a moment at the latest, if the health has changed by
// then.
func (h *health) changesLocked(at int64) {
	if h.sight.config.OnHealth == nil || h.over || h.asking || h.timer != nil && h.at <= at {
		return
	}
	h.setLocked(at)
}

// tell asks for the health, and tells of it, until nothing has changed meanwhile.
func (h *health) tell() {
	done := false
	defer func() {
		if !done { // a listener has ended the goroutine
			go h.tell()
		}
	}()
	for {
		h.tellOnce()
		h.sight.owner.Lock.Lock()
		if !h.again || h.over {
			h.asking, done = false, true
			h.waitLocked()
			h.sight.owner.Lock.Unlock()
			return
		}
		h.again = false
		h.sight.owner.Lock.Unlock()
	}
}

// tellOnce tells of the health if it is another than the one that was told last.
func (h *health) tellOnce() {
	h.sight.owner.Lock.Lock()
	now, open := h.sight.healthLocked()
	h.sight.owner.Lock.Unlock()
	trouble := troubleOf(now)
	if trouble == h.known || !open {
		return
	}
	h.known = trouble
	h.sight.config.OnHealth.Each(func(f func(insight.Health)) {
		h.sight.owner.Guard("health", run.Info{}, func() { f(now) })
	})
}

// troubleOf returns what is to be told: the status, and which tasks are how.
func troubleOf(h insight.Health) string {
	parts := []string{h.Status}
	for _, t := range h.Tasks {
		if t.Reason != "" {
			parts = append(parts, t.Name+"\x00"+t.State)
		}
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\x00\x00")
}

// waitLocked sets the timer for when an expectation will be broken.
func (h *health) waitLocked() {
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	if at, ok := h.sight.expected.nextChangeLocked(h.sight.owner.Clock.Now()); ok && !h.over {
		h.setLocked(at)
	}
}

// setLocked sets the timer.
func (h *health) setLocked(at int64) {
	if h.timer != nil {
		h.timer.Stop()
	}
	h.at = at
	h.timer = time.AfterFunc(time.Duration(at-h.sight.owner.Clock.Now()), func() {
		h.sight.owner.Lock.Lock()
		defer h.sight.owner.Lock.Unlock()
		h.changeLocked()
	})
}

// EndHealthLocked is that of [run.Sight].
func (s *Sight) EndHealthLocked() {
	s.expected.health.over = true
	if s.expected.health.timer != nil {
		s.expected.health.timer.Stop()
	}
}
