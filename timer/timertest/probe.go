package timertest

import (
	"errors"
	"sync"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// probe is an armed function that records when it begins.
type probe struct {
	c    *trial
	body func(p *probe) // called after the record; nil for nothing

	armed chan struct{} // closed when h is set
	h     timer.Handle

	mu    sync.Mutex
	due   time.Duration   // of the last arming, on the clock of the trial
	begun []time.Duration // when each run began
}

// arm arms a probe that only records.
func (c *trial) arm(s timer.Scheduler, d time.Duration) *probe { return c.armThen(s, d, nil) }

// armThen arms a probe that records and then calls body.
func (c *trial) armThen(s timer.Scheduler, d time.Duration, body func(p *probe)) *probe {
	p := &probe{c: c, body: body, armed: make(chan struct{}), due: later(c.now(), max(d, 0))}
	p.h = s.AfterFunc(d, p.run)
	close(p.armed)
	return p
}

// armMany arms n probes with the same delay.
func (c *trial) armMany(s timer.Scheduler, d time.Duration, n int) []*probe {
	var probes []*probe
	for range n {
		probes = append(probes, c.arm(s, d))
	}
	return probes
}

func (p *probe) run() {
	now := p.c.now()
	p.mu.Lock()
	p.begun = append(p.begun, now)
	p.mu.Unlock()
	if p.body != nil {
		p.body(p)
	}
}

// reset arms the probe anew.
func (p *probe) reset(d time.Duration) bool {
	h := p.handle()
	p.mu.Lock()
	p.due = later(p.c.now(), max(d, 0))
	p.mu.Unlock()
	return h.Reset(d)
}

func (p *probe) stop() bool { return p.handle().Stop() }
func (p *probe) err() error { return timer.Err(p.handle()) }

// handle returns the handle, and waits for AfterFunc to return if the body was quicker. In a bubble
// time passes only when all are blocked: if it does here, AfterFunc waits for the body.
func (p *probe) handle() timer.Handle {
	select {
	case <-p.armed:
		return p.h
	default:
	}
	select {
	case <-p.armed:
		return p.h
	case <-time.After(1):
		p.c.errorf("AfterFunc waits for the function")
		return noHandle{}
	}
}

// noHandle stands in for a handle that cannot be had.
type noHandle struct{}

func (noHandle) Stop() bool               { return false }
func (noHandle) Reset(time.Duration) bool { return false }

func (p *probe) runs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.begun)
}

// hasRun demands that the probe has begun n times so far.
func (p *probe) hasRun(n int, when string) {
	if got := p.runs(); got != n {
		p.c.errorf("%s: the function has begun %d times, want %d", when, got, n)
	}
}

// onTime demands that the probe has begun n times, the last time when it was due.
func (p *probe) onTime(n int, what string) { p.notLaterThan(n, 0, what) }

// notLaterThan is onTime for a probe that may have been held up until the time heldUp.
func (p *probe) notLaterThan(n int, heldUp time.Duration, what string) {
	p.hasRun(n, what)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.begun) == 0 || len(p.begun) != n {
		return
	}
	begun, latest := p.begun[n-1], later(max(p.due, heldUp), p.c.Lateness)
	switch {
	case begun < p.due:
		p.c.errorf("%s: the function has begun %v early", what, p.due-begun)
	case begun > latest:
		p.c.errorf("%s: the function has begun %v after its time, %v at most are stated",
			what, begun-p.due, latest-p.due)
	}
}

// refused demands that Err of the probe's handle says why it is not called.
func (p *probe) refused(what string, why error) {
	if err := p.err(); !errors.Is(err, why) || !errors.Is(err, timer.ErrRejected) {
		p.c.errorf("%s: Err is %v, want %v, and that it matches ErrRejected", what, err, why)
	}
	p.c.answers(what+": Stop", p.stop(), false)
}

// answers demands that Stop or Reset has returned want.
func (c *trial) answers(call string, got, want bool) {
	if got != want {
		c.errorf("%s is %t, want %t", call, got, want)
	}
}
