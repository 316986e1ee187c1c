package simulate

import (
	"errors"
	"testing/synctest"

	"github.com/punctual-go/punctual/timer"
)

// close ends the facility, and looks at what it gives back.
func (m *mill) close() {
	e := m.era
	m.mu.Lock()
	m.ending(e)
	m.mu.Unlock()
	returned := e.cease(e)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass()
	if len(returned) == 0 {
		return
	}
	of := make(map[timer.Handle]*pin, len(m.pins))
	for _, k := range m.pins {
		if k.handle != nil {
			of[k.handle] = k
		}
	}
	for _, h := range returned {
		k := of[h]
		if k == nil { // that of a series
			continue
		}
		k.consumed++
		m.waiting--
		if k.outstanding() < 0 {
			m.fault(&m.report.Duplicate, "function %v is returned, and has an end already", k)
		}
		if k.latest < e.free && !k.vague {
			m.fault(&m.report.Late, "function %v, due on %v, is returned at %v", k, k.latest, e.endedAt)
		}
	}
}

// audit closes the books of an era.
func (m *mill) audit() {
	synctest.Wait()
	e := m.era
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pass()
	if m.asleep > 0 || m.running > 0 {
		if !m.classic {
			m.fault(&m.report.Stuck, "%d functions have not returned", m.running)
		}
	}
	if e.pending != nil && e.pending() != 0 {
		m.fault(&m.report.Lost, "in the end %d functions are armed", e.pending())
	}
	if m.told != m.panics {
		m.fault(&m.report.Lost, "%d functions have panicked, and the facility has told of %d", m.panics, m.told)
	}
	if e.err != nil && !errors.Is(e.err(), timer.ErrStopped) {
		m.fault(&m.report.Lost, "the timer says it is over because of %v", e.err())
	}
	left := 0
	for _, k := range m.pins {
		if k.era == e {
			left += m.auditPin(k)
		}
	}
	if left > m.refused {
		m.fault(&m.report.Lost, "in the end %d functions have no end, of which the executor has refused %d", left, m.refused)
	}
}

// auditPin closes the book of k. It returns how many of its armings have no end; the classic timer drops them.
func (m *mill) auditPin(k *pin) int {
	switch {
	case k.series != nil:
		m.auditSeries(k)
		return 0
	case !m.classic && k.plain():
		if n := k.outstanding(); n == 0 || m.rejects {
			return n
		}
		m.fault(&m.report.Lost, "function %v, due at %v, has no end", k, k.due)
		return 0
	case !m.classic:
		return 0
	case k.plain() && k.outstanding() == 0,
		!k.plain() && (k.stopped || k.over),
		!k.plain() && !k.periodic() && k.fires == 1:
		return 0
	}
	if k.latest < k.era.free && !k.vague {
		m.fault(&m.report.Late, "function %v, due on %v, was dropped at %v", k, k.latest, k.era.endedAt)
	}
	return 0
}

func (m *mill) auditSeries(k *pin) {
	err := k.series.Err()
	if int(k.series.Runs()) != k.fires {
		m.fault(&m.report.Lost, "series %v counts %d runs", k, k.series.Runs())
	}
	var panicked *timer.PanicError
	right := err == nil
	switch {
	case k.stopped:
	case k.over && k.ends == exits:
		right = errors.Is(err, timer.ErrGoexit)
	case k.over:
		right = errors.As(err, &panicked)
	default:
		right = errors.Is(err, timer.ErrStopped)
	}
	if !right {
		m.fault(&m.report.Lost, "series %v, stopped %t, over %t, has ended by %v", k, k.stopped, k.over, err)
	}
	select {
	case <-k.series.Done():
	default:
		m.fault(&m.report.Stuck, "series %v is not done", k)
	}
}
