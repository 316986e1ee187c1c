package simulate

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// stopForGood notes the stop of a series or task; the lock is held.
func (m *mill) stopForGood(k *pin, stopped bool, now time.Duration) {
	switch {
	case stopped && (k.stopped || k.over && k.stopAt < m.quiet):
		m.fault(&m.report.Duplicate, "%v is stopped twice, or after its end", k)
	case stopped:
		if !k.inBody && !k.over {
			m.overdue(k)
		}
		k.stopped, k.stopAt = true, now
	case !k.stopped && !k.over && k.periodic() && k.changes == 0 && !k.era.ended:
		m.fault(&m.report.Lost, "%v has not ended, and cannot be stopped", k)
	}
}

// repeat begins what repeats: a series of package timer, or a task of the classic timer, which may also run once.
func (m *mill) repeat(k *pin) {
	if k == nil || m.limit > 0 || m.rejects {
		return
	}
	k.delay = max(k.delay, 0)
	k.rule = burst + rule(m.rng.IntN(4))
	k.period = grid * time.Duration(1+m.rng.IntN(20))
	k.again = 0
	if k.last == 0 && !m.oneIn(8) {
		k.last = 1 + m.rng.IntN(8)
	}
	begin := m.series
	if m.classic && m.oneIn(2) {
		k.rule = [...]rule{once, burst, startToStart}[m.rng.IntN(3)]
		k.task = timer.NewTask(k.body)
		begin = m.schedule
	}
	m.serial = append(m.serial, k)
	m.mu.Lock()
	k.era = m.era
	m.plan(k, k.delay)
	k.first = k.due
	late := k.era.ended && k.era.endedAt < m.quiet
	m.mu.Unlock()
	err := begin(k)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.pass()
	k.known = err == nil
	switch {
	case err != nil && k.era.ended && errors.Is(err, timer.ErrStopped):
		k.over = true
	case err != nil || late:
		m.fault(&m.report.Lost, "%v was begun: %v", k, err)
	case k.fires == 0:
		k.latest, k.there = m.planned(k.era, now, k.delay), m.stamp
	}
}

// series begins k as a series.
func (m *mill) series(k *pin) (err error) {
	var s *timer.Series
	switch k.rule {
	case fixedDelay:
		s, err = timer.WithFixedDelay(k.era.sched, k.delay, k.period, k.body)
	case skip:
		s, err = timer.AtFixedRate(k.era.sched, k.delay, k.period, k.body, timer.CatchUp(timer.Skip))
	case coalesce:
		s, err = timer.AtFixedRate(k.era.sched, k.delay, k.period, k.body, timer.CatchUp(timer.Coalesce))
	default:
		s, err = timer.AtFixedRate(k.era.sched, k.delay, k.period, k.body)
	}
	m.mu.Lock()
	k.series = s
	m.mu.Unlock()
	return err
}

// schedule schedules k as a task of the classic timer.
func (m *mill) schedule(k *pin) error {
	at := m.oneIn(3)
	first := time.Now().Add(k.delay)
	switch t := k.era.tasks; {
	case k.rule == once && at:
		return t.ScheduleAt(k.task, first)
	case k.rule == once:
		return t.Schedule(k.task, k.delay)
	case k.rule == burst && at:
		return t.AtFixedRateAt(k.task, first, k.period)
	case k.rule == burst:
		return t.AtFixedRate(k.task, k.delay, k.period)
	case at:
		return t.RepeatAt(k.task, first, k.period)
	default:
		return t.Repeat(k.task, k.delay, k.period)
	}
}
