package pairs

import (
	"context"
	"sync"
	"time"
)

// mark says that a feature had an effect: on the executor for a while.
type mark struct {
	feature  *Feature
	from, to time.Duration
}

// marks are the effects that features have had.
type marks struct {
	*clock
	journal *journal

	// mu guards the rest; it is a leaf.
	mu      sync.Mutex
	all     []mark      // on the executor
	tasks   map[int]set // on tasks, by the numbers of their records
	behaved map[[2]int]bool
}

// task notes an effect on a task.
func (m *marks) task(f *Feature, r *record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tasks[r.id] == nil {
		m.tasks[r.id] = newSet()
	}
	m.tasks[r.id].add(f.index)
}

// span notes an effect on the executor for a while.
func (m *marks) span(f *Feature, from, to time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.all); n > 0 && m.all[n-1] == (mark{f, from, to}) {
		return
	}
	m.all = append(m.all, mark{f, from, to})
}

// moment notes an effect on the executor now.
func (m *marks) moment(f *Feature) { now := m.now(); m.span(f, now, now) }

// whole notes an effect on the executor for all its life.
func (m *marks) whole(f *Feature) { m.span(f, 0, 1<<62) }

// either notes an effect on a task; or on the executor now, if that is nil.
func (m *marks) either(f *Feature, r *record) {
	if r != nil {
		m.task(f, r)
		return
	}
	m.moment(f)
}

// named notes an effect on the task of a name; or on the executor, if no task is called so.
func (m *marks) named(f *Feature, name string) { m.either(f, m.journal.named(name)) }

// unnamed notes an effect on the tasks that have no name and have run.
func (m *marks) unnamed(f *Feature) {
	for _, r := range m.journal.records {
		if r.t.unnamed && len(r.bodies) > 0 {
			m.task(f, r)
		}
	}
}

// These are the keys of values that contexts of runs have.
type (
	baseKey  struct{} // by BaseContext
	valueKey struct{} // by WithValues
)

// begin notes the effects of what a body that begins shows.
func (m *marks) begin(r *record, b *bodyRun, ctx context.Context) {
	m.task(b.how, r)
	m.task(r.t.way.Feature, r)
	if ctx.Value(baseKey{}) != nil {
		m.task(byName["BaseContext"], r)
	}
	if ctx.Value(valueKey{}) != nil {
		m.task(byName["WithValues"], r)
	}
}

// behaves notes that a callback has behaved so, about a task or none.
func (m *marks) behaves(callback, behaviour *Feature, r *record) {
	m.either(behaviour, r)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.behaved[[2]int{callback.index, behaviour.index}] = true
}

// paced marks the tasks that were due while a pace allowed no start.
func (m *marks) paced(f *Feature, lane, n int, per time.Duration) {
	starts := m.journal.starts(lane)
	for i := n - 1; i < len(starts); i++ {
		m.putOff(f, lane, starts[i].b.began, starts[i-n+1].b.began+per)
	}
}

// putOff marks the tasks of a lane, or of all for lane 0, that were due between two times, and
// alive, and did not begin before the second.
func (m *marks) putOff(f *Feature, lane int, from, to time.Duration) {
	for _, r := range m.journal.records {
		if lane != 0 && r.lane() != lane {
			continue
		}
		since, until := r.span()
		for _, b := range r.bodies {
			if b.due < to && b.began >= to && b.began > from {
				m.task(f, r)
			}
		}
		due := r.submitted + r.t.delay
		if len(r.bodies) == 0 && r.accepted() && since <= to && until > from && due < to &&
			until >= due {
			m.task(f, r)
		}
	}
}

// set is a set of features.
type set []uint64

func newSet() set            { return make(set, (len(allFeatures)+63)/64) }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) union(other set) {
	for i, w := range other {
		s[i] |= w
	}
}
