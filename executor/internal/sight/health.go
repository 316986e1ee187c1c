package sight

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// health tells listeners when the health of an owner changes. The owner's lock guards it.
//
//	calm    -> asking  changeLocked: something may have changed; the timer: a time is over
//	asking  -> asking  changeLocked: once more
//	asking  -> calm    tell: the listeners know
//	any     -> over    endLocked: the owner has ended
type health struct {
	asking, again, over bool
	timer               *time.Timer // until an expectation will be broken; nil if none can be
	at                  int64       // when the timer fires
}

// changeLocked has the listeners told if the health has changed.
func (h *health) changeLocked(s *Sight) {
	switch {
	case s.config.OnHealth == nil || h.over:
	case h.asking:
		h.again = true
	default:
		h.asking = true
		go h.tell(s)
	}
}

// changesLocked has the listeners told at a moment at the latest, if the health has changed by
// then.
func (h *health) changesLocked(s *Sight, at int64) {
	if s.config.OnHealth == nil || h.over || h.asking || h.timer != nil && h.at <= at {
		return
	}
	h.setLocked(s, at)
}

// tell asks for the health, and tells of it, until nothing has changed meanwhile.
func (h *health) tell(s *Sight) {
	done := false
	defer func() {
		if !done { // a listener has ended the goroutine
			go h.tell(s)
		}
	}()
	for {
		health := s.crew.Health()
		s.config.OnHealth.Each(func(follow Follower) {
			if tell := follow(health); tell != nil {
				s.owner.Guard("health", run.Info{}, tell)
			}
		})
		s.owner.Lock.Lock()
		if !h.again || h.over {
			h.asking, done = false, true
			h.waitLocked(s)
			s.owner.Lock.Unlock()
			return
		}
		h.again = false
		s.owner.Lock.Unlock()
	}
}

// waitLocked sets the timer for when an expectation will be broken.
func (h *health) waitLocked(s *Sight) {
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	if at, ok := s.nextChangeLocked(s.owner.Clock.Now()); ok && !h.over {
		h.setLocked(s, at)
	}
}

// setLocked sets the timer.
func (h *health) setLocked(s *Sight, at int64) {
	if h.timer != nil {
		h.timer.Stop()
	}
	h.at = at
	h.timer = time.AfterFunc(time.Duration(at-s.owner.Clock.Now()), func() {
		s.owner.Lock.Lock()
		defer s.owner.Lock.Unlock()
		h.changeLocked(s)
	})
}

// EndHealthLocked is that of [run.Sight].
func (s *Sight) EndHealthLocked() {
	s.health.over = true
	if s.health.timer != nil {
		s.health.timer.Stop()
	}
}
