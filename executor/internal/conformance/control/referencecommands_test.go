package control_test

import "time"

// command does what a command does, and notes what it returns.
func (r *reference) command(c command) {
	ok := !r.over
	switch c.does {
	case pause:
		ok = ok && !r.paused
		r.paused = r.paused || ok
	case resume:
		if ok = ok && r.paused; ok {
			r.resume()
		}
	case trigger:
		if ok && r.asked < 0 {
			r.asked = r.now
		}
	case reset:
		if ok {
			r.reset(r.now + max(c.d, 0))
		}
	case setPeriod:
		if ok = ok && (r.stretch == 0 || r.stretchMost >= c.d); ok {
			r.setPeriod(c.d)
		}
	case nextIn:
		if ok = r.inBody() && !r.over; ok {
			r.run.nextIn, r.run.restart = &c.d, nil
		}
	case withdraw:
		if ok = ok && r.planned+r.extras == 0; ok {
			r.cancel()
		}
	case cancel:
		if ok {
			r.cancel()
		}
	}
	r.answers = append(r.answers, ok)
	if ok && !r.over && r.run == nil && r.asked < 0 && c.does != pause {
		r.endsByTime()
	}
}

func (r *reference) cancel() {
	r.over, r.end = true, cancelled
	r.Cancelled++
	if r.run != nil && r.run.waits {
		r.run = nil
	}
}

// inPlanned reports whether a planned run is in progress.
func (r *reference) inPlanned() bool { return r.run != nil && !r.run.extra }

// resume drops what has fallen due: the next run is the first of the grid that is not over.
func (r *reference) resume() {
	r.paused, r.row = false, 0
	if !r.inPlanned() {
		r.drop()
		return
	}
	for r.rate && r.slot+r.period < r.now {
		r.slot += r.period
		if r.until == 0 || r.slot < r.until {
			r.run.dropped++
		}
	}
}

// drop drops planned runs that should have begun by now.
func (r *reference) drop() {
	if r.next >= r.now {
		return
	}
	for r.slot < r.now {
		if r.rate && (r.until == 0 || r.slot < r.until) {
			r.missed++
		}
		r.slot += r.period
		if r.rate {
			r.last = r.slot - r.stretched()
		}
	}
	r.next = r.slot
}

// reset plans the next run, and begins a new grid there.
func (r *reference) reset(at time.Duration) {
	if r.inPlanned() {
		r.run.restart, r.run.nextIn = &at, nil
		return
	}
	if r.run != nil {
		r.run.nextIn = nil
	}
	if r.paused {
		r.drop() // and counts it
	}
	r.slot, r.next = at, at
}

// setPeriod goes on with another period, from the last planned run on.
func (r *reference) setPeriod(d time.Duration) {
	if d == r.period {
		return
	}
	if r.paused && !r.inPlanned() {
		r.drop()
	}
	r.period = d
	switch {
	case r.inPlanned() && r.rate:
		r.slot = max(r.slot, r.now-d)
	case !r.inPlanned() && r.planned > 0:
		r.slot = max(r.last+r.stretched(), r.now)
		r.next = r.slot
	}
}
