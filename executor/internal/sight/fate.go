package sight

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// fate is how the runs of a task have ended: of one of which something is expected, and with a
// history of any whose last run was no success. Its death keeps it. The owner's lock guards it.
type fate struct {
	success  int64  // when a run last succeeded, or 0
	failures uint64 // in a row, since then

	// Of the runs since then that were no success, with a history only.
	since, at        int64  // when the first and the last of them ended
	overran, expired uint64 // how many have exceeded their timeout, or come too late to begin
	last             insight.PastRun
}

// note notes how a run has ended, or that it has come too late to begin.
func (f *fate) note(x *run.Execution) {
	switch {
	case x.Tries(), x.Expired(), x.Skipped:
	case x.Failed:
		f.failures++
	default:
		*f = fate{success: x.Ended}
	}
}

// ailing are the fates of the tasks whose last run was no success: of series by their plans, and of
// tasks that run once by their names.
type ailing map[any]*fate

const (
	keptAiling = 1000
	// onceAiling is for how long the failure of a task that runs once is remembered.
	onceAiling = 10 * time.Minute
)

// keyOf returns under what the fate of a task is found; nil if it is not kept.
func keyOf(pl *run.Plan) any {
	switch {
	case pl.Periodic() && pl.Kept != nil: // so LeftLocked will be told
		return pl
	case !pl.Periodic() && pl.Name != "":
		return pl.Name
	}
	return nil
}

// note notes that a run has failed or expired. It returns the fate of the task, which is known if
// something is expected of it; nil if that is not kept.
func (a *ailing) note(x *run.Execution, known *fate) *fate {
	f := a.of(x, known)
	if f == nil {
		return nil
	}
	if f.at = x.Ended; x.Expired() {
		f.expired++
	}
	if x.Outcome() == run.Overran {
		f.overran++
	}
	if known == nil { // else the expectation counts
		f.note(x)
	}
	if x.Plan.Periodic() && x.Task.Phase().Settled() { // its death may have the fate
		delete(*a, keyOf(x.Plan))
	}
	return f
}

// of returns the fate of the task of x, which begins to be kept if it is not; nil if it cannot be,
// or there are too many.
func (a *ailing) of(x *run.Execution, known *fate) *fate {
	key := keyOf(x.Plan)
	f := (*a)[key]
	switch {
	case key == nil, f != nil:
		return f
	case len(*a) >= keptAiling && !a.forgets(x.Ended, 10):
		return nil
	}
	if *a == nil {
		*a = ailing{}
	}
	if f = known; f == nil {
		f = new(fate)
	}
	f.since = x.Ended
	(*a)[key] = f
	return f
}

// recovers notes that a run has succeeded.
func (a *ailing) recovers(pl *run.Plan) {
	if len(*a) > 0 {
		delete(*a, keyOf(pl))
	}
}

// forgets forgets tasks that ran once and failed long ago, and reports whether it has found any. It
// looks at some only, at random.
func (a *ailing) forgets(now int64, some int) (found bool) {
	for key, f := range *a {
		if some--; some < 0 {
			break
		}
		if _, once := key.(string); once && now-f.at > int64(onceAiling) {
			delete(*a, key)
			found = true
		}
	}
	return found
}
