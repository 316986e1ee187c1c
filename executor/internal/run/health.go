package run

import "time"

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
func (h *health) changeLocked(o *Owner) {
	switch {
	case o.OnHealth == nil || h.over:
	case h.asking:
		h.again = true
	default:
		h.asking = true
		go h.tell(o)
	}
}

// HealthChangedLocked has listeners told if the health of the owner has changed. The lock is held.
func (o *Owner) HealthChangedLocked() { o.health.changeLocked(o) }

// changesLocked has the listeners told at a moment at the latest, if the health has changed by
// then.
func (h *health) changesLocked(o *Owner, at int64) {
	if o.OnHealth == nil || h.over || h.asking || h.timer != nil && h.at <= at {
		return
	}
	h.setLocked(o, at)
}

// tell asks for the health, and tells of it, until nothing has changed meanwhile.
func (h *health) tell(o *Owner) {
	done := false
	defer func() {
		if !done { // a listener has ended the goroutine
			go h.tell(o)
		}
	}()
	for {
		health := o.Health()
		o.OnHealth.Each(func(follow Follower) {
			if tell := follow(health); tell != nil {
				o.Guard("health", Info{}, tell)
			}
		})
		o.Lock.Lock()
		if !h.again || h.over {
			h.asking, done = false, true
			h.waitLocked(o)
			o.Lock.Unlock()
			return
		}
		h.again = false
		o.Lock.Unlock()
	}
}

// waitLocked sets the timer for when an expectation will be broken.
func (h *health) waitLocked(o *Owner) {
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	if at, ok := o.nextChangeLocked(o.Clock.Now()); ok && !h.over {
		h.setLocked(o, at)
	}
}

// setLocked sets the timer.
func (h *health) setLocked(o *Owner, at int64) {
	if h.timer != nil {
		h.timer.Stop()
	}
	h.at = at
	h.timer = time.AfterFunc(time.Duration(at-o.Clock.Now()), func() {
		o.Lock.Lock()
		defer o.Lock.Unlock()
		h.changeLocked(o)
	})
}

// EndHealthLocked ends what tells of changes. The lock is held.
func (o *Owner) EndHealthLocked() {
	o.health.over = true
	if o.health.timer != nil {
		o.health.timer.Stop()
	}
}
