package sight

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/lateness"
)

// Insight is what is kept so that it can be told how late runs were, and why. The owner's lock
// guards it.
type Insight struct {
	All   Kind             // without what the owner counts itself
	Kinds map[string]*Kind // by name; those beyond [mostKinds] share one

	// Reasons has what late runs have waited for, in all.
	Reasons insight.Lateness

	// Late runs that have not been explained, as there were too many at a time.
	Unexplained uint64

	ledger   lateness.Ledger
	after    int64 // runs later than that are explained; never, if negative
	told     int64 // and told to observers if they are later than that
	allowed  int64 // explanations that may still be made
	refilled int64 // when that was last increased
	heldFrom int64 // since when nothing is to start; 0 if all may
}

// Kind is what is kept of the tasks of one name.
type Kind struct {
	insight.TaskMeasurements

	episode episode
	seen    *seen // of its tasks of which nothing else is kept
}

const (
	// mostKinds bounds the names that are told apart.
	mostKinds = 200
	// Other is the name of the kind of those beyond.
	Other = "other"

	// usuallyLate is how late a run is told to observers, if nothing says otherwise.
	usuallyLate = 10 * time.Millisecond
)

// newInsight returns one that explains late runs, and tells them, from when on c says.
func newInsight(c *Config) *Insight {
	in := &Insight{Kinds: map[string]*Kind{}, after: -1, allowed: explainedAtOnce}
	switch {
	case c.Logs:
		in.after = int64(c.Explain)
	case c.Observers.Late != nil:
		in.after = int64(usuallyLate)
	}
	in.told = in.after
	if c.History && in.after < 0 {
		in.after = int64(usuallyLate)
	}
	for _, alarm := range c.Alarms {
		if in.after < 0 || int64(alarm.after) < in.after {
			in.after = int64(alarm.after)
		}
	}
	return in
}

// beginsLocked records how late a run is that begins, or has expired, and why if it is too late.
// However short one that has expired has waited, that was too long; it is in no histogram.
func (s *Sight) beginsLocked(x *run.Execution) {
	in, w := s.insight, freshWait(x)
	in.assign(x.Plan)
	late := x.Task.Started - x.Due + x.Astray
	w.total = late
	if !x.Expired() {
		in.All.Late.Record(time.Duration(late))
		if k := seenOf(x.Plan).kind; k != nil {
			k.Late.Record(time.Duration(late))
		}
		if late == 0 || late <= in.after {
			return
		}
	}
	switch {
	case in.after < 0:
	case !in.mayExplain(x.Task.Started):
		in.Unexplained++
	default:
		s.explainLocked(x, w)
	}
}

// endsLocked notes that a run has ended, or expired.
func (s *Sight) endsLocked(x *run.Execution) {
	if x.Expired() {
		s.noteExpiredLocked(x)
		return
	}
	in, pl := s.insight, x.Plan
	in.ledger.Note(spanOf(x, x.Ended))
	took := time.Duration(x.Ended - x.Task.Started)
	in.All.Took.Record(took)
	var missed uint64
	if pl.Periodic() && !pl.Extra() {
		missed = pl.Lost()
	}
	in.All.note(x, missed)
	if k := seenOf(pl).kind; k != nil {
		k.Took.Record(took)
		k.note(x, missed)
		countEnd(x, &k.Failures, &k.Skipped)
	}
	if s.past != nil {
		s.past.note(x)
	}
}

// note notes how a run has ended, but not that it has failed, or was skipped: the owner counts
// those of all tasks.
func (k *Kind) note(x *run.Execution, missed uint64) {
	if !x.Failed && x.Err == nil { // not a failed attempt, nor cancelled, nor skipped
		k.LastSuccess = x.Owner.Clock.Time(x.Ended)
	}
	k.Missed += missed
}

// countEnd counts a run that was no success.
func countEnd(x *run.Execution, failures, skipped *uint64) {
	switch {
	case x.Failed:
		*failures++
	case x.Skipped:
		*skipped++
	}
}

// noteExpiredLocked notes that a run has expired. It counts the periods that this has lost if no
// other run comes that could be told of them.
func (s *Sight) noteExpiredLocked(x *run.Execution) {
	in, pl := s.insight, x.Plan
	var lost uint64
	if x.Done && pl.Periodic() {
		lost = pl.Lapsed()
	}
	in.All.Missed += lost
	if k := seenOf(pl).kind; k != nil {
		k.Expired++
		k.Missed += lost
	}
	if s.past != nil {
		s.past.noteExpired(x)
	}
}

// spanOf returns a run as the ledger keeps it.
func spanOf(x *run.Execution, end int64) lateness.Span {
	return lateness.Span{Name: x.Plan.Name, Number: x.Number(), Start: x.Task.Started, End: end}
}

// HoldLocked is that of [run.Sight].
func (s *Sight) HoldLocked(held bool) {
	if !held {
		for _, e := range s.expected.tasks {
			s.expected.resumeLocked(e)
		}
	}
	in := s.insight
	switch {
	case in == nil || held == (in.heldFrom > 0):
	case held:
		in.heldFrom = s.owner.Clock.Now()
	default:
		in.ledger.Hold(in.heldFrom, s.owner.Clock.Now())
		in.heldFrom = 0
	}
}

// HeldUntilLocked is that of [run.Sight].
func (s *Sight) HeldUntilLocked(from, to int64) {
	if s.insight != nil {
		s.insight.ledger.Hold(from, to)
	}
}

// kindOf returns the kind of tasks of this name.
func (in *Insight) kindOf(name string) *Kind {
	k := in.Kinds[name]
	if k == nil && len(in.Kinds) >= mostKinds {
		name = Other
		k = in.Kinds[name]
	}
	if k == nil {
		k = new(Kind)
		k.Name = name
		k.seen = &seen{kind: k, shared: true}
		in.Kinds[name] = k
	}
	return k
}

// assign has the plan know the kind of its tasks.
func (in *Insight) assign(pl *run.Plan) {
	if pl.Name != "" && seenOf(pl).kind == nil {
		keepKind(pl, in.kindOf(pl.Name))
	}
}
