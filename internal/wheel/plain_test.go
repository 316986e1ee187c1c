package wheel

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// plain is the simplest dial: its timers in a row. It panics when the wheel breaks the contract of
// Dial.
type plain struct {
	timers []*Timer
	onNext func() // called with the lock held, if set
}

func (p *plain) Add(t *Timer, _ int64) { p.timers = append(p.timers, t) }

func (p *plain) Remove(t *Timer) {
	i := slices.Index(p.timers, t)
	p.timers = slices.Delete(p.timers, i, i+1)
}

func (p *plain) Next(hand int64) (tick int64, ok bool) {
	if _, err := p.Validate(hand); err != nil {
		panic(err)
	}
	if p.onNext != nil {
		p.onNext()
	}
	for _, t := range p.timers {
		if !ok || t.tick < tick {
			tick, ok = t.tick, true
		}
	}
	return tick, ok
}

func (p *plain) Expire(tick, _ int64, due func(*Timer)) (hand int64, more bool) {
	p.timers = slices.DeleteFunc(p.timers, func(t *Timer) bool {
		if t.tick > tick {
			return false
		}
		due(t)
		return true
	})
	return tick, false
}

func (p *plain) Drain(out func(*Timer)) {
	for _, t := range p.timers {
		out(t)
	}
	p.timers = nil
}

func (p *plain) Validate(hand int64) ([]*Timer, error) {
	for _, t := range p.timers {
		if t.tick <= hand {
			return nil, fmt.Errorf("dial: a timer of tick %d, with the hand at %d", t.tick, hand)
		}
	}
	return p.timers, nil
}

const ms = time.Millisecond

// patience is how long a test in real time waits for what must come.
const patience = 30 * time.Second

func inline(f func()) error {
	f()
	return nil
}

func nothing() {}

// plainWheel returns a wheel with a tick of a millisecond on a plain dial.
func plainWheel(c timer.Config) (*Wheel, *plain) {
	p := &plain{}
	return New(Complete(c, "plain", ms, 1, false), p), p
}

// inBubble runs f in a bubble with such a wheel, whose executor calls functions itself.
func inBubble(t *testing.T, f func(t *testing.T, w *Wheel, p *plain)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, p := plainWheel(timer.Config{Executor: inline})
		defer w.Close(nil)
		f(t, w, p)
	})
}
