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

// called is what each callback calls: it notes the effect, and behaves as the program says.
func (l *life) called(f *Feature, name string) {
	r := l.named(name)
	l.mu.Lock()
	now := l.now()
	l.markLocked(f, r, now, now)
	n := l.calls[f]
	l.calls[f]++
	var b *Feature
	for _, p := range l.lapses {
		if p.callback == f && p.call == n {
			b = p.behaviour
		}
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

// markHeld marks the runs that a pace has held up: they began when it allowed them to.
func (l *life) markHeld(f *Feature, starts []start, n int, per time.Duration) {
	for i := n; i < len(starts); i++ {
		s := starts[i]
		if s.b.due < s.b.began && s.b.began == starts[i-n].b.began+per {
			l.markTask(f, s.r)
		}
	}
}

// set is a set of features.
type set []uint64

func newSet() set            { return make(set, (len(Features)+63)/64) }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) union(other set) {
	for i, w := range other {
		s[i] |= w
	}
}
