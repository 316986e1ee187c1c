package run

import (
	"maps"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/lateness"
)

// MeasuredLocked returns the histograms of all runs, or false if there are none. The lock is held.
func (o *Owner) MeasuredLocked() (late, took lateness.Histogram, ok bool) {
	if o.Insight == nil {
		return late, took, false
	}
	return o.Insight.All.Late, o.Insight.All.Took, true
}

// Overruns reports whether the run in progress has exceeded its timeout by now. The lock is held.
func (x *Execution) Overruns(now int64) bool {
	return x.Plan.Timeout > 0 && x.Task.Started > 0 && now-x.Task.Started >= int64(x.Plan.Timeout)
}

// Reasons returns what late runs have waited for, in all, and how many were not explained.
func (in *Insight) Reasons() (total time.Duration, parts [Parts]time.Duration, unexplained uint64) {
	for _, d := range in.Parts {
		total = lateness.Added(total, d)
	}
	return total, in.Parts, in.Unexplained
}

// KindsLocked returns the kind of all tasks, and then those of a name, by name. The lock is held.
func (o *Owner) KindsLocked() []*Kind {
	kinds := []*Kind{&o.Insight.All}
	for _, name := range slices.Sorted(maps.Keys(o.Insight.Kinds)) {
		kinds = append(kinds, o.Insight.Kinds[name])
	}
	return kinds
}

// SuccessOf returns when a run of the kind last succeeded, or the zero time.
func (o *Owner) SuccessOf(k *Kind) time.Time {
	if k.Success == 0 {
		return time.Time{}
	}
	return o.Clock.Time(k.Success)
}
