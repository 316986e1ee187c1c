package cluster

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/punctual-go/punctual/cluster/internal/wall"
)

// clock tells the server's time: schedules are compared with that, not with this process's.
//
// A server's time stamp in an answer was taken between the question and the arrival of the answer,
// so when the answer arrives the server's clock shows at least that. From then on the time is
// counted by the monotonic clock, which nobody sets. So now is never later than what the server's
// clock shows, and no run begins early, but for what the two drift until the next question.
//
// If the server's clock is set, or another server leads whose clock differs, the next answer shows
// it. The clock remembers when that was last: what is older was stamped by a clock that does not
// compare with this one.
type clock struct {
	best   atomic.Pointer[stamp]
	asking atomic.Bool
	step   atomic.Pointer[time.Time] // when a step was noticed last, by this process; nil for never
	back   chan struct{}             // of 1; full once the clock was set back, until that is seen to
}

// stamp is what the server's clock has shown, and when.
type stamp struct {
	server time.Time
	here   time.Time
}

const (
	// drift is after how long the server is asked again. Who serves looks each sentinelEvery, so
	// that it notices a step within eight seconds.
	drift = 7 * time.Second
	// stepped is by how much more a server's clock has to move than time passes to have been set.
	stepped = time.Second
)

func (c *clock) now() time.Time {
	s := c.best.Load()
	return s.server.Add(time.Since(s.here))
}

// age is for how long something is there that the server has stamped. Of what was stamped before
// the clock was set, at least, it is known that it is older than that.
func (c *clock) age(stamped time.Time) time.Duration {
	age := c.now().Sub(stamped)
	step := c.step.Load()
	switch {
	case step == nil:
		return max(age, 0)
	case age > 0: // a clock that was set forward makes it look older
		return min(age, time.Since(*step))
	case age < -stepped: // by a clock that was set back since
		return time.Since(*step)
	}
	return 0
}

// ask takes the best of a few questions: the one that was answered quickest.
func (c *clock) ask(ctx context.Context, stream jetstream.Stream) error {
	quickest := time.Duration(-1)
	var best stamp
	for range 5 {
		begun := time.Now()
		info, err := stream.Info(ctx)
		if err != nil {
			return err
		}
		arrived := time.Now()
		server := info.TimeStamp
		if server.IsZero() {
			server = wall.Now() // a server that does not tell: the clocks have to agree
		}
		if took := arrived.Sub(begun); quickest < 0 || took < quickest {
			quickest, best = took, stamp{server, arrived}
		}
	}
	c.best.Store(&best)
	return nil
}

// refresh asks again if the last answer is old, and tells by how much the clock was set meanwhile;
// nobody waits for it.
func (c *clock) refresh(stream jetstream.Stream, tell func(by time.Duration)) {
	if time.Since(c.best.Load().here) < drift || !c.asking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer c.asking.Store(false)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		was := *c.best.Load()
		if c.ask(ctx, stream) != nil {
			return // the last answer stands
		}
		if by := was.until(*c.best.Load()); by.Abs() > stepped {
			c.note(by)
			tell(by)
		}
	}()
}

// until is by how much the clock was set between two stamps.
func (s stamp) until(next stamp) time.Duration {
	return next.server.Sub(s.server) - next.here.Sub(s.here)
}

// note remembers a step.
func (c *clock) note(by time.Duration) {
	now := time.Now()
	c.step.Store(&now)
	if by > 0 {
		return
	}
	select {
	case c.back <- struct{}{}:
	default: // one look at the queue is enough
	}
}

// now is the time by the server's clock, or a little less, never more.
func (p *Pool) now() time.Time {
	p.clock.refresh(p.stream, p.tellStep)
	return p.clock.now()
}

// age is for how long something is there that the server has stamped, or less.
func (p *Pool) age(stamped time.Time) time.Duration {
	p.clock.refresh(p.stream, p.tellStep)
	return p.clock.age(stamped)
}

// tellStep tells that the server's clock was set.
func (p *Pool) tellStep(by time.Duration) {
	about := []any{"pool", p.settings.name, "by", by.Round(time.Millisecond)}
	if by > 0 {
		p.logger.Warn("the server's clock has gone forward: what was planned may come late by up to ten "+
			"seconds", about...)
		return
	}
	p.logger.Warn("the server's clock has gone back: what runs once, or by a calendar, comes that much "+
		"later; other series go on within their period", about...)
}
