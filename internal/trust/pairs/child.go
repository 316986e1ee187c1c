package pairs

import (
	"context"
	"time"
)

// child makes a task that a body submits.
func (l *life) child(r *record, b *bodyRun) *record {
	x := mix(b.salt + 99)
	way := "Submit"
	if l.host.pool != nil && r.t.way.way&laneWays == 0 && r.t.id < 1000 && x%3 == 0 {
		way = []string{"Serial.Submit", "Keyed.Submit"}[x>>4%2]
	}
	t := &task{id: l.journal.adopt(r), way: &use{byName[way], x}, at: l.now(),
		lane: int(x >> 8 % 2), takes: ms * time.Duration(1+x>>12%8), salt: x,
		bodies: []*Feature{byName["body succeeds"]}, period: 10 * ms}
	if x>>16%3 == 0 {
		t.bodies = []*Feature{byName["body fails"], byName["body succeeds"]}
		t.options = []*use{{byName["Retry"], x}}
	}
	return l.journal.open(t)
}

// waitForChild submits a task and waits for it, in one of many ways.
func (l *life) waitForChild(ctx context.Context, r *record, b *bodyRun) {
	c := l.child(r, b)
	l.submit(c)
	f, typed := l.journal.futuresOf(c)
	if f == nil || typed != nil {
		return
	}
	x := mix(b.salt + 7)
	limit := ms * time.Duration(1+x>>8%40)
	from := l.now()
	switch x % 3 {
	case 0:
		_, _ = f.Get(ctx)
		return
	case 1:
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		_, _ = f.Get(limited)
	case 2:
		_, _ = f.GetTimeout(limit)
	}
	if l.now() > from+limit && !l.single {
		l.found.late("a wait of %v in a body took %v", limit, l.now()-from)
	}
}
