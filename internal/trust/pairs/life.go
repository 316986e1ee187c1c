package pairs

import (
	"context"
	"sync"
	"time"
)

// life is a program that is run. Each of its parts has a lock of its own; that of the journal is
// taken before those of the others.
type life struct {
	*program
	*clock
	host      *host      // what is tried
	course    *course    // what has been done to it
	journal   *journal   // what is known of its tasks
	extras    *extras    // those that nothing else is known of
	callbacks *callbacks // how they go on
	gauges    *gauges    // what it tells of itself
	marks     *marks     // which features had an effect
	found     *findings
	audit     *audit

	mu       sync.Mutex // guards the rest; it is a leaf
	cleanups []func()   // called at the end
}

func newLife(p *program) *life {
	c := &clock{}
	j := &journal{clock: c, byTask: map[*task]*record{}, byName: map[string]*record{}}
	l := &life{
		program: p, clock: c, journal: j,
		host:      &host{},
		course:    &course{clock: c, shutFrom: -1},
		extras:    &extras{},
		callbacks: &callbacks{lapses: p.lapses, calls: map[int]int{}},
		gauges:    &gauges{},
		marks:     &marks{clock: c, journal: j, tasks: map[int]set{}, behaved: map[[2]int]bool{}},
		found:     &findings{clock: c, seed: p.seed},
	}
	l.audit = &audit{
		program: p, clock: c, found: l.found, journal: j, host: l.host, course: l.course,
		extras: l.extras, callbacks: l.callbacks, gauges: l.gauges,
	}
	return l
}

// defers has a function called at the end.
func (l *life) defers(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cleanups = append(l.cleanups, f)
}

// endingAfter returns a context that ends by itself.
func endingAfter(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
