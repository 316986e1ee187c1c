package simulate

import (
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// mill is a world with a timer facility: a wheel, or the classic timer.
type mill struct {
	*world
	era  *era                         // the present one
	open func(e *era) timer.Scheduler // makes a facility

	tick    time.Duration // the grain; 0 is none
	inline  bool          // it calls one function after the other
	limit   int           // of pending functions; 0 is none
	rejects bool          // its executor may refuse a function
	classic bool          // it is java.util.Timer, which functions may kill
	deadly  bool          // and some do
	pause   int
	slow    int

	pins   []*pin
	room   []pin
	serial []*pin // those that repeat

	// The lock guards these.
	waiting int // armed functions that have not begun
	panics  int // that the facility should have told of
	told    int
	asked   int // the executor has been, to call a function
	refused int // and has not
}

// era is the time of one facility. The classic timer may die before its world does.
type era struct {
	sched   timer.Scheduler
	made    time.Duration // its ticks count from then
	pending func() int    // how many are armed; nil if the facility does not tell
	cease   func(e *era) []timer.Handle
	err     func() error // of the classic timer
	tasks   *timer.Timer

	// The lock of the world guards these.
	ended   bool // it has been told to end, or is being told
	endedAt time.Duration
	free    time.Duration // see gauge, when it ended
}

// newMill draws what is common to all mills.
func newMill(w *world) *mill {
	m := &mill{world: w, room: make([]pin, w.budget), pause: 2 + w.rng.IntN(12), slow: 2 + w.rng.IntN(8)}
	m.size = 1 << 30 // each function has a goroutine of its own
	return m
}

// begins opens an era.
func (m *mill) begins() {
	e := &era{made: m.now()}
	e.sched = m.open(e)
	m.mu.Lock()
	m.era = e
	m.mu.Unlock()
}

// planned returns when a function of the era is to begin that is armed now.
func (m *mill) planned(e *era, now, d time.Duration) time.Duration {
	when := sum(now, d)
	if d <= 0 || when == never || m.tick == 0 {
		return when
	}
	ticks := (when - e.made) / m.tick
	for e.made+ticks*m.tick < when {
		ticks++
	}
	return e.made + ticks*m.tick
}

// begin is the beginning of a function: here is judged whether it is right. It reports whether this is its last run,
// and gives what it is to arm.
func (m *mill) begin(k *pin) (final bool, child *pin) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.pass()
	m.report.Runs++
	k.fires++
	switch {
	case k.inBody && (k.periodic() || m.inline):
		m.fault(&m.report.Duplicate, "function %v overlaps with itself", k)
	case k.plain() && k.outstanding() < 0, !k.plain() && !k.periodic() && k.fires > 1:
		m.fault(&m.report.Duplicate, "function %v begins once too often", k)
	case k.stopped && k.stopAt < m.quiet, k.over:
		m.fault(&m.report.Duplicate, "function %v begins though it ended at %v", k, k.stopAt)
	}
	if k.plain() {
		m.waiting--
	}
	if k.strays > 0 {
		k.strays--
	} else {
		m.judge(k, now)
	}
	if k.periodic() {
		k.calendar.begin(now)
	}
	if !m.exact() && k.rule == startToStart { // it may have been held up on its way here
		k.due = k.task.ScheduledTime().Sub(m.start)
	}
	k.inBody = true
	if m.running++; m.inline && m.running > 1 {
		m.fault(&m.report.Duplicate, "%d functions at once", m.running)
	}
	child, k.bears = k.bears, nil
	return k.last > 0 && k.fires == k.last, child
}

// judge says whether k begins too early, too late, or out of turn.
func (m *mill) judge(k *pin, now time.Duration) {
	if k.vague {
		return
	}
	if now < k.at && !k.hastened {
		m.fault(&m.report.Early, "function %v, due at %v, on %v, begins", k, k.due, k.at)
	}
	m.overdue(k)
	if !m.inline || !m.exact() || k.changes > 0 || k.hastened {
		return
	}
	s := start{id: k.id, due: k.when, tick: k.at, from: k.came, then: k.came, at: now}
	if m.classic {
		s.tick = 0
	}
	if now == k.at && (k.armings == 1 || m.classic) {
		// Later it may have left long before; and one that is armed again may take its old place.
		s.left = m.instant
	}
	since := k.there
	if since == 0 || k.periodic() {
		since = never64
	}
	if by, bad := m.order.overtaken(s, since, false, false); bad {
		m.fault(&m.report.Late, "function %v, due at %v, has been overtaken by %v, due at %v",
			k, k.due, m.pins[by.id], by.due)
	}
}

// overdue judges the time that k has waited; the lock is held.
func (m *mill) overdue(k *pin) {
	if m.gauge.overdue(k.latest) && !k.vague && !k.era.ended {
		m.fault(&m.report.Late, "function %v, due at %v, on %v, had not begun at %v", k, k.due, k.latest, m.free)
	}
}

// end is the end of a function.
func (m *mill) end(k *pin, final bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.pass()
	m.running--
	k.inBody = false
	switch {
	case final && k.ends != returns:
		k.over = k.over || !k.plain()
		k.stopAt = now
		if m.classic {
			m.ending(k.era)
		} else if k.ends != exits {
			m.panics++
		}
	case !k.periodic() || k.stopped:
	case k.era.ended:
		k.latest = never
	default:
		m.replan(k, now)
	}
}

// replan plans the next run of what repeats, at the end of one.
func (m *mill) replan(k *pin, now time.Duration) {
	k.calendar.end(now)
	if k.task == nil { // which keeps its rank
		k.came, k.there = m.stamp, m.stamp
	}
	if k.at = never; k.due != never {
		k.at = m.planned(k.era, now, max(k.due-now, 0))
	}
	k.latest = max(k.at, now)
	if k.when = k.due; k.task == nil {
		k.when = max(k.due, now)
	}
	if m.exact() {
		return
	}
	k.at, k.latest = k.due, never // it depends on who was held up how long
	if k.rule == skip || k.rule == coalesce {
		k.at = now
	}
}

// ending notes that an era ends; the lock is held.
func (m *mill) ending(e *era) {
	now := m.pass()
	if !e.ended {
		e.ended, e.endedAt, e.free = true, now, m.free
	}
}

// rest waits until nothing can run, and looks whether the facility is of the same opinion as its functions.
func (m *mill) rest() {
	synctest.Wait()
	m.mu.Lock()
	m.pass()
	asleep := m.asleep
	m.mu.Unlock()
	if asleep > 0 || m.era.pending == nil {
		return
	}
	n := m.era.pending()
	m.mu.Lock()
	defer m.mu.Unlock()
	armed := m.waiting
	for _, k := range m.serial {
		if k.series != nil && !k.inBody && !k.stopped && !k.over {
			armed++
		}
	}
	if n > armed || n < armed-m.refused { // one may be refused just when it is stopped
		m.fault(&m.report.Lost, "at rest %d functions are armed, and %d are counted", armed, n)
	}
	if m.limit > 0 && n > m.limit {
		m.fault(&m.report.Lost, "at rest %d functions are armed, where %d may", n, m.limit)
	}
}
