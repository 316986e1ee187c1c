package sight

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// When a run is stuck that has no timeout, see [insight.Stuck], and a task overdue.
const (
	stuckAfter   = 10 * time.Second
	stuckTimes   = 5
	stuckKnown   = 5 // runs that tell what is usual
	overdueAfter = 10 * time.Second
)

// worstFirst is the order in which troubles are told.
var worstFirst = [...]string{insight.Dead, insight.Starved, insight.Stuck, insight.Late,
	insight.GivenUp, insight.TimedOut, insight.Failing, insight.Expiring, insight.Overdue}

// troublesLocked returns what is wrong now. The lock is held.
func (s *Sight) troublesLocked() (ts []insight.Trouble) {
	now := s.owner.Clock.Now()
	for _, d := range s.expected.dead {
		ts = append(ts, s.deadLocked(d))
	}
	for x := range s.crew.Running() {
		if x.Task != nil && !x.IsAside() {
			ts = s.addStuck(ts, x, now)
		}
	}
	if t := s.hungerLocked(now); t.What != "" {
		ts = append(ts, t)
	}
	ts = s.addAiling(ts, now)
	slices.SortFunc(ts, func(a, b insight.Trouble) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Since.Compare(b.Since),
			cmp.Compare(a.Name, b.Name))
	})
	return ts
}

func rank(t insight.Trouble) int { return slices.Index(worstFirst[:], t.What) }

func (s *Sight) deadLocked(d *death) insight.Trouble {
	last := d.last
	return insight.Trouble{What: insight.Dead, Name: d.name, Since: s.owner.Clock.Time(d.at),
		Count: s.expected.healthOf(d).FailuresInRow, Deaths: d.times, Run: &last}
}

// addStuck adds the run, if it is stuck. It is so since it was no longer as usual.
func (s *Sight) addStuck(ts []insight.Trouble, x *run.Execution, now int64) []insight.Trouble {
	usual, reason := time.Duration(-1), ""
	if k := seenOf(x.Plan).kind; k != nil && k.Took.Count() >= stuckKnown {
		p90 := k.Took.Quantile(0.9)
		usual = max(stuckAfter, stuckTimes*p90)
		reason = "nine in ten runs take up to " + p90.String()
	}
	if x.Overruns(now) {
		usual, reason = x.Plan.Timeout, "its timeout was "+x.Plan.Timeout.String()
	}
	took := time.Duration(now - x.Task.Started)
	if usual < 0 || took < usual {
		return ts
	}
	last := runOf(s.owner.DescribeLocked(x.Task, x.Plan), took, nil)
	return append(ts, insight.Trouble{What: insight.Stuck, Name: last.Name,
		Since: last.Started.Add(usual), Reason: reason, Run: &last})
}

// hungerLocked returns what is wrong if there is no worker for what is due, or nothing.
func (s *Sight) hungerLocked(now int64) (t insight.Trouble) {
	since, lacks := s.crew.LackingSince(now)
	d := time.Duration(now - since)
	switch {
	case !lacks || d < overdueAfter:
		return t
	case d > shortAfter:
		t.What = insight.Starved
	default:
		t.What = insight.Overdue
	}
	t.Since, t.Reason = s.owner.Clock.Time(since), shortText(d, s.crew.Holders())
	return t
}

// addAiling adds the tasks whose last run was no success, and those of which an expectation does not
// hold: each once, and none of the tasks that run once whose name is that of a dead one.
func (s *Sight) addAiling(ts []insight.Trouble, now int64) []insight.Trouble {
	late := s.lateLocked(now)
	s.past.ill.forgets(now, keptAiling)
	for key, f := range s.past.ill {
		name, once := key.(string)
		isDead := func(d *death) bool { return d.name == name }
		if !once || !slices.ContainsFunc(s.expected.dead, isDead) {
			ts = append(ts, s.ailsLocked(key, f, late[f].Reason))
		}
		delete(late, f)
	}
	return slices.AppendSeq(ts, maps.Values(late))
}

// lateLocked returns the tasks of which an expectation does not hold, by their fates.
func (s *Sight) lateLocked(now int64) map[*fate]insight.Trouble {
	late := map[*fate]insight.Trouble{}
	held := s.crew.Held()
	for _, e := range s.expected.tasks {
		if h, ok := s.expected.judge(e, now, held); ok && h.State == taskLate {
			late[e.fate] = insight.Trouble{What: insight.Late, Name: h.Name, Since: h.Since,
				Reason: h.Reason}
		}
	}
	return late
}

// ailsLocked tells what is wrong with a task whose last run was no success.
func (s *Sight) ailsLocked(key any, f *fate, reason string) insight.Trouble {
	last := f.last
	t := insight.Trouble{What: insight.Failing, Name: last.Name, Since: s.owner.Clock.Time(f.since),
		Count: f.failures + f.expired, Reason: reason, Run: &last}
	switch pl, _ := key.(*run.Plan); {
	case pl != nil && pl.Paused() && pl.GaveUp():
		t.What = insight.GivenUp
	case last.Expired:
		t.What = insight.Expiring
	case f.overran == t.Count:
		t.What = insight.TimedOut
	}
	return t
}
