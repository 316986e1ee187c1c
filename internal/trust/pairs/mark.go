package pairs

import "time"

// mark says that a feature had an effect: on a task, or on the executor for a while.
type mark struct {
	feature  *Feature
	record   *record // nil for the executor
	from, to time.Duration
}

// mark notes an effect.
func (l *life) mark(f *Feature, r *record, from, to time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.markLocked(f, r, from, to)
}

func (l *life) markLocked(f *Feature, r *record, from, to time.Duration) {
	if r != nil {
		if l.taskMarks[r.id] == nil {
			l.taskMarks[r.id] = newSet()
		}
		l.taskMarks[r.id].add(f.index)
		return
	}
	if n := len(l.marks); n > 0 && l.marks[n-1] == (mark{f, r, from, to}) {
		return
	}
	l.marks = append(l.marks, mark{f, r, from, to})
}

func (l *life) markTask(f *Feature, r *record) { l.mark(f, r, 0, 0) }
func (l *life) markNow(f *Feature)             { now := l.now(); l.mark(f, nil, now, now) }
func (l *life) markLife(f *Feature)            { l.mark(f, nil, 0, 1<<62) }

// markNamed notes an effect on the task of a name; or on the executor, if no task is called so.
func (l *life) markNamed(f *Feature, name string) {
	if r := l.named(name); r != nil {
		l.markTask(f, r)
		return
	}
	l.markNow(f)
}

// markUnnamed notes an effect on the tasks that have no name and have run.
func (l *life) markUnnamed(f *Feature) {
	for _, r := range l.records {
		if r.t.unnamed && len(r.bodies) > 0 {
			l.markTask(f, r)
		}
	}
}

// called is what each callback calls: it notes the effect, and behaves as the program says.
func (l *life) called(f *Feature, name string) {
	r := l.named(name)
	l.mu.Lock()
	now := l.now()
	l.markLocked(f, r, now, now)
	var b *Feature
	for i, p := range l.lapses {
		if p.callback != f || r != nil && r.t != p.task {
			continue
		}
		if l.calls[i] == p.call {
			b = p.behaviour
		}
		l.calls[i]++
	}
	if b != nil {
		l.markLocked(b, r, now, now)
		l.behaved[[2]int{f.index, b.index}] = true
		l.lapsed = true
		if r != nil {
			r.tainted = true
		}
	}
	l.mu.Unlock()
	if b != nil {
		b.behave(l, r)
	}
}

// markPaced marks the tasks that were due while a pace allowed no start.
func (l *life) markPaced(f *Feature, lane, n int, per time.Duration) {
	starts := l.starts(lane)
	for i := n - 1; i < len(starts); i++ {
		l.markPutOff(f, lane, starts[i].b.began, starts[i-n+1].b.began+per)
	}
}

// markPutOff marks the tasks of a lane, or of all for lane 0, that were due between two times, and
// alive, and did not begin before the second.
func (l *life) markPutOff(f *Feature, lane int, from, to time.Duration) {
	for _, r := range l.records {
		if lane != 0 && r.lane() != lane {
			continue
		}
		since, until := r.span()
		for _, b := range r.bodies {
			if b.due < to && b.began >= to && b.began > from {
				l.markTask(f, r)
			}
		}
		due := r.submitted + r.t.delay
		if len(r.bodies) == 0 && r.accepted() && since <= to && until > from && due < to &&
			until >= due {
			l.markTask(f, r)
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
