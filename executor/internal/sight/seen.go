package sight

import "github.com/punctual-go/punctual/executor/internal/run"

// seen is what is kept of the tasks of a plan: in the field Kept of that, which the owner's lock
// guards. Tasks of one name of which there is nothing else to keep share that of their kind, so
// that keeping it costs them nothing.
type seen struct {
	kind    *Kind        // of the tasks with its name; nil before the first run, or for good
	trail   *ring[past]  // its last runs; nil if they are not remembered
	expects *expectation // nil if nothing is expected
	death   *death       // how a failure has ended it; nil before that
	shared  bool
}

// seenOf returns what is kept of the tasks of pl. The lock is held.
func seenOf(pl *run.Plan) seen {
	if v, ok := pl.Kept.(*seen); ok {
		return *v
	}
	return seen{}
}

// own returns where to keep something of the one task of pl. The lock is held.
func own(pl *run.Plan) *seen {
	v, ok := pl.Kept.(*seen)
	switch {
	case !ok:
		v = new(seen)
	case v.shared:
		v = &seen{kind: v.kind}
	}
	pl.Kept = v
	return v
}

// keepKind has the plan know the kind of its tasks. The lock is held.
func keepKind(pl *run.Plan, k *Kind) {
	if v, ok := pl.Kept.(*seen); ok && !v.shared {
		v.kind = k
		return
	}
	pl.Kept = k.seen
}
