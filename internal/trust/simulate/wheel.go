package simulate

import (
	"errors"
	"testing"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// wheel is what all wheels can do.
type wheel interface {
	timer.Scheduler
	Pending() int
	Stop() []timer.Handle
}

func playHashed(t *testing.T, seed uint64, ops int) Report {
	return playWheel(t, seed, ops, func(c timer.Config) wheel { return hashedwheel.New(c) })
}

func playHierarchical(t *testing.T, seed uint64, ops int) Report {
	return playWheel(t, seed, ops, func(c timer.Config) wheel { return hierarchical.New(c) })
}

func playRevolver(t *testing.T, seed uint64, ops int) Report {
	return playWheel(t, seed, ops, func(c timer.Config) wheel { return revolver.New(c) })
}

func playWheel(t *testing.T, seed uint64, ops int, open func(timer.Config) wheel) Report {
	return play(t, seed, ops, func(w *world) {
		m := newMill(w)
		c := timer.Config{
			Tick:  grid * time.Duration(1+m.rng.IntN(5)),
			Slots: 2 << m.rng.IntN(4), // so that there are many turns, and levels
		}
		m.tick = c.Tick
		if m.oneIn(8) {
			m.limit = 1 + m.rng.IntN(20)
			c.PendingLimit = m.limit
		}
		c.OnPanic = func(any, []byte) { m.tell() }
		c.Executor = m.drawExecutor()
		m.open = func(e *era) timer.Scheduler {
			wheel := open(c)
			e.pending = wheel.Pending
			e.cease = func(*era) []timer.Handle { return m.cease(wheel) }
			return wheel
		}
		m.drive()
	})
}

// tell is told that a function has panicked.
func (m *mill) tell() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told++
}

var errFull = errors.New("full")

// drawExecutor draws who calls functions: goroutines of their own, the wheel itself, or somebody who may refuse.
func (m *mill) drawExecutor() timer.Executor {
	switch m.rng.IntN(6) {
	case 0, 1:
		m.inline, m.size = true, 1
		return func(f func()) error { f(); return nil }
	case 2:
		m.rejects = true
		return func(f func()) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.asked++; mix(uint64(m.asked)^m.seed<<20)%16 == 0 {
				m.refused++
				return errFull
			}
			go f()
			return nil
		}
	default:
		return nil
	}
}

// cease ends a wheel in one of its ways. A revolver may run what it would return, ahead of its time.
func (m *mill) cease(w wheel) []timer.Handle {
	r, ok := w.(*revolver.Wheel)
	if !ok || m.oneIn(2) {
		return w.Stop()
	}
	of := map[timer.Handle]*pin{}
	for _, k := range m.pins {
		if k.plain() && k.handle != nil {
			of[k.handle] = k
		}
	}
	return r.Close(func(h timer.Handle) bool {
		k := of[h]
		if k == nil || k.id%2 == 0 {
			return false
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		k.hastened = true
		return true
	})
}
