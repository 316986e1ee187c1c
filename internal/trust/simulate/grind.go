package simulate

import (
	"time"
)

// drive is what the driver of a mill does: to arm, to stop, to arm anew, and in between to let time pass; in the end
// to end the facility.
func (m *mill) drive() {
	time.Sleep(m.steps(8)) // so that ticks and grid do not begin together
	m.begins()
	for m.more() {
		time.Sleep(m.steps(m.pause))
		for range 1 + m.rng.IntN(6) {
			m.act()
		}
		if m.oneIn(3) {
			m.rest()
		}
		if m.isOver() { // a function has killed it
			m.audit()
			m.begins()
		}
	}
	m.rest()
	m.close()
	time.Sleep(time.Minute)
	m.audit()
}

func (m *mill) isOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.era.ended
}

func (m *mill) act() {
	switch n := m.rng.IntN(20); {
	case n < 8:
		m.arm(m.draw())
	case n < 9:
		later(m.world, m.arm, m.draw())
	case n < 13:
		if m.oneIn(3) {
			later(m.world, m.stop, latest(m.world, m.pins))
		} else if k := latest(m.world, m.pins); k != nil {
			m.stop(k)
		}
	case n < 17:
		d := m.steps(24)
		if m.oneIn(3) {
			later(m.world, func(k *pin) { m.reset(k, d) }, latest(m.world, m.pins))
		} else if k := latest(m.world, m.pins); k != nil {
			m.reset(k, d)
		}
	case n < 19:
		m.repeat(m.draw())
	default:
		if m.era.tasks != nil {
			m.era.tasks.Purge()
			m.did(1)
		}
	}
}

// draw makes a pin; all that is random about it is decided here. It returns nil if there are enough.
func (m *mill) draw() *pin {
	k := m.next()
	if k == nil {
		return nil
	}
	k.delay = m.steps(24)
	switch {
	case m.oneIn(40):
		k.delay = never
	case m.oneIn(20):
		k.delay *= 16
	case m.oneIn(40):
		k.delay = -grid
	}
	if m.oneIn(4) {
		k.takes = m.steps(m.slow)
	}
	if m.oneIn(10) {
		k.last, k.again = 1+m.rng.IntN(4), grid*time.Duration(1+m.rng.IntN(6))
	}
	if m.oneIn(16) && (!m.classic || m.deadly) {
		k.last, k.ends = 1+m.rng.IntN(3), panics+ending(m.rng.IntN(2))
	}
	if m.oneIn(16) {
		if k.bears = m.next(); k.bears != nil {
			k.bears.delay = m.steps(10)
		}
	}
	return k
}

func (m *mill) next() *pin {
	n := len(m.pins)
	if n == len(m.room) {
		return nil
	}
	k := &m.room[n]
	k.mill, k.id = m, n
	m.pins = append(m.pins, k)
	return k
}
