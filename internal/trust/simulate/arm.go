package simulate

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// plan notes that k is about to be armed, d from now; the lock is held.
func (m *mill) plan(k *pin, d time.Duration) (before time.Duration) {
	before = m.pass()
	m.report.Ops++
	k.due = sum(before, d)
	k.when = k.due
	k.at, k.latest = m.planned(k.era, before, d), never
	k.came, k.there = m.stamp, 0
	k.armings++
	return before
}

// arm arms k for the first time.
func (m *mill) arm(k *pin) {
	if k == nil {
		return
	}
	m.mu.Lock()
	k.era = m.era
	m.plan(k, k.delay)
	k.changes++
	late := k.era.ended && k.era.endedAt < m.quiet
	m.mu.Unlock()
	h := k.era.sched.AfterFunc(k.delay, k.body)
	err := timer.Err(h)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.pass()
	k.handle, k.known = h, true
	k.changes--
	switch {
	case isRefused(err):
		m.refuse(k, err)
	case late:
		m.fault(&m.report.Lost, "function %v was armed after the end", k)
	default:
		m.waiting++
		k.latest, k.there = m.planned(k.era, now, k.delay), m.stamp
	}
}

// isRefused reports whether err says that a function was not armed; an executor may have refused it later.
func isRefused(err error) bool {
	return errors.Is(err, timer.ErrStopped) || errors.Is(err, timer.ErrTooManyPending)
}

// refuse notes that k was not armed; the lock is held.
func (m *mill) refuse(k *pin, err error) {
	k.armings--
	k.latest = never
	if errors.Is(err, timer.ErrStopped) && !k.era.ended || errors.Is(err, timer.ErrTooManyPending) && m.limit == 0 {
		m.fault(&m.report.Lost, "function %v was refused: %v", k, err)
	}
}

// reset arms k anew. What begins meanwhile may do so by the old time or by the new one.
func (m *mill) reset(k *pin, d time.Duration) {
	m.mu.Lock()
	if !k.known || !k.plain() || k.era.ended {
		m.mu.Unlock()
		return
	}
	due, at, latest, left := k.due, k.at, k.latest, k.outstanding()
	before := m.plan(k, d)
	came := k.came
	if left > 0 {
		k.due, k.at = min(due, k.due), min(at, k.at) // the order is not judged then
	}
	k.changes++
	k.vague = k.vague || k.changes > 1
	m.mu.Unlock()
	was := k.handle.Reset(d)
	err := timer.Err(k.handle)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.pass()
	k.changes--
	if was {
		k.consumed++
		m.waiting--
		if m.gauge.overdue(latest) && !k.vague && k.changes == 0 && !k.era.ended {
			m.fault(&m.report.Late, "function %v, due on %v, had not begun at %v", k, at, m.free)
		}
	}
	if isRefused(err) {
		m.refuse(k, err)
		k.vague = true
		return
	}
	m.waiting++
	if k.changes > 0 || k.came != came {
		return // somebody else does so, too
	}
	if k.outstanding() == 1 && (was || left == 0) {
		k.vague = false // there is none but this arming
	}
	switch {
	case was || left == 0 || k.outstanding() < 2:
	case m.rejects: // or it has been refused
		k.vague = true
	default:
		k.strays++
	}
	k.due, k.at = k.when, m.planned(k.era, before, d)
	k.latest, k.there = m.planned(k.era, now, d), m.stamp
}

// stop stops k.
func (m *mill) stop(k *pin) {
	m.mu.Lock()
	if !k.known {
		m.mu.Unlock()
		return
	}
	m.pass()
	m.report.Ops++
	k.changes++
	armed := k.known && k.outstanding() == 1 && k.changes == 1 && k.strays == 0 && k.at > m.last && !k.vague
	m.mu.Unlock()
	var stopped bool
	switch {
	case k.series != nil:
		stopped = k.series.Stop()
	case k.task != nil:
		stopped = k.task.Cancel()
	default:
		stopped = k.handle.Stop()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.pass()
	k.changes--
	switch {
	case !k.plain():
		m.stopForGood(k, stopped, now)
	case stopped:
		k.consumed++
		m.waiting--
		if k.changes == 0 {
			m.overdue(k)
		}
		if k.outstanding() < 0 && k.changes == 0 {
			m.fault(&m.report.Duplicate, "function %v is stopped though it has begun", k)
		}
	case armed && k.changes == 0 && k.outstanding() == 1 && k.at > now && !k.era.ended && !m.rejects:
		m.fault(&m.report.Lost, "function %v, due at %v, is armed, and cannot be stopped", k, k.due)
	}
}
