package sight

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/lateness"
	"github.com/punctual-go/punctual/internal/text"
)

// Overview: whether a run is too late is found out when it begins, with the lock held, and so is
// what it has waited for: then it is known what else is going on. That is told without the lock,
// after the observers have been told that the run has begun, or expired.

const (
	// At most so many late runs are explained at once, and so many a second after that: to do so
	// for each of a hundred thousand would make the rest later still.
	explainedAtOnce  = 100
	explainedASecond = 100
)

// waited is what a run has waited for. It is kept with its execution, whose goroutine alone uses
// it, and stays there for the next one.
type waited struct {
	late    bool // later than the threshold, and explained
	total   int64
	reasons lateness.Reasons
	why     *insight.Lateness // the same, if it is to be remembered
}

// waitOf returns what the run has waited for; nil if runs are not measured.
func waitOf(x *run.Execution) *waited {
	w, _ := x.Kept.(*waited)
	return w
}

// freshWait returns where to note what a run has waited for that has just begun.
func freshWait(x *run.Execution) *waited {
	w := waitOf(x)
	if w == nil {
		w = new(waited)
		x.Kept = w
	}
	w.late, w.why = false, nil
	return w
}

// mayExplain reports whether another late run may be explained.
func (in *Insight) mayExplain(now int64) bool {
	const each = int64(time.Second) / explainedASecond
	if more := (now - in.refilled) / each; more > 0 {
		in.allowed = min(in.allowed+min(more, explainedAtOnce), explainedAtOnce)
		in.refilled = now
	}
	if in.allowed == 0 {
		return false
	}
	in.allowed--
	return true
}

func (s *Sight) explainLocked(x *run.Execution, w *waited) {
	in := s.insight
	w.late = true
	wait := lateness.Wait{Due: x.Due, Freed: max(x.Plan.LastEnd(), x.Freed),
		Start: x.Task.Started, Meant: x.Meant, Limit: s.crew.Limit()}
	if in.heldFrom > 0 { // a helper runs it all the same
		now := s.owner.Clock.Now()
		in.ledger.Hold(in.heldFrom, now)
		in.heldFrom = now
	}
	w.reasons = in.ledger.Explain(wait, s.others(x))
	in.add(x.Astray, &w.reasons)
}

// add adds what a run has waited for to what all have.
func (in *Insight) add(astray int64, r *lateness.Reasons) {
	sum := &in.Reasons
	for _, part := range [...]struct {
		of *time.Duration
		ns int64
	}{
		{&sum.Clock, astray}, {&sum.Previous, r.Previous}, {&sum.Held, r.Held},
		{&sum.Busy, r.Busy}, {&sum.Queue, r.Queue}, {&sum.Slack, r.Slack}, {&sum.Wake, r.Wake},
	} {
		*part.of = lateness.Added(*part.of, time.Duration(part.ns))
		sum.Total = lateness.Added(sum.Total, time.Duration(part.ns))
	}
}

// others yields the other runs that are in progress.
func (s *Sight) others(x *run.Execution) iter.Seq[lateness.Span] {
	return func(yield func(lateness.Span) bool) {
		for other := range s.crew.Running() {
			// What is aside has no worker.
			if other == x || other.Task == nil || other.IsAside() {
				continue
			}
			if !yield(spanOf(other, 0)) {
				return
			}
		}
	}
}

// tellLate tells those who want to know, and the log, why the run is late, or has expired.
func (s *Sight) tellLate(x *run.Execution, w *waited) {
	late, info := s.lateness(x, w), x.Info()
	if s.past != nil {
		w.why = &late
	}
	for _, alarm := range s.config.Alarms {
		alarm.late(info, &late, func(hook func()) { s.owner.Guard("on-late", info, hook) })
	}
	if in := s.insight; in.told < 0 || !late.Expired && int64(late.Total) <= in.told {
		return
	}
	if s.config.Logs {
		defer s.logLate(x, &late, info) // also if an observer ends the goroutine
	}
	s.config.Observers.Late.Each(func(f func(context.Context, run.Info, insight.Lateness)) {
		s.owner.Guard("late", info, func() { f(within(x), info, late) })
	})
}

// within returns the context of the run. One that has expired has none, but that of the owner.
func within(x *run.Execution) context.Context {
	switch {
	case !x.Expired():
		return x.Ctx
	case x.Plan.Given != nil:
		return x.Plan.Given
	}
	return context.Background()
}

// logLate logs why the run is late, unless that has been logged of others a moment ago.
func (s *Sight) logLate(x *run.Execution, late *insight.Lateness, info run.Info) {
	o := s.owner
	o.Lock.Lock()
	e := &cmp.Or(seenOf(x.Plan).kind, &s.insight.All).episode // of all without a name
	notable, suppressed := e.late(x.Task.Started)
	count := e.count
	o.Lock.Unlock()
	if notable {
		o.Log(slog.LevelWarn, textOf(late, info), info,
			slog.Duration("late", late.Total), slog.Uint64("episode", count),
			slog.Uint64("suppressed", suppressed))
	}
}

// lateness returns what the run has waited for, to be told.
func (s *Sight) lateness(x *run.Execution, w *waited) insight.Lateness {
	r := &w.reasons
	l := insight.Lateness{
		Clock: time.Duration(x.Astray), Previous: time.Duration(r.Previous),
		Held: time.Duration(r.Held), Busy: time.Duration(r.Busy), Queue: time.Duration(r.Queue),
		Slack: time.Duration(r.Slack), Wake: time.Duration(r.Wake), Partial: r.Partial,
		Expired: x.Expired(),
	}
	l.Total = l.Clock + l.Previous + l.Held + l.Busy + l.Queue + l.Slack + l.Wake
	if l.Wake >= time.Millisecond {
		l.Collector = min(pausesSince(time.Now().Add(-l.Wake)), l.Wake)
	}
	for _, h := range r.Holders {
		l.Holders = append(l.Holders, insight.Holder{Name: h.Name, Number: h.Number,
			Started: s.owner.Clock.Time(h.Start), For: time.Duration(h.End - h.Start)})
	}
	return l
}

// textOf describes a late run in a line: late 412ms poll#17: workers 398ms, wake 14ms. Of one that
// has expired it says "expired after" in place of "late".
func textOf(l *insight.Lateness, r run.Info) string {
	what := "late "
	if l.Expired {
		what = "expired after "
	}
	return what + text.Short(l.Total) + " " + text.Called(r.Name, r.Number) + ": " + l.String()
}

// pausesSince returns for how long the collector has stopped the world since a moment.
func pausesSince(from time.Time) (sum time.Duration) {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	for i, end := range stats.PauseEnd {
		if end.Before(from) {
			break // the latest come first
		}
		sum += stats.Pause[i]
	}
	return sum
}
