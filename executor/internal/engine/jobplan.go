package engine

import (
	"slices"

	"github.com/punctual-go/punctual/executor/internal/desired"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/identity"
)

// Overview: what Apply is about to do is worked out before anything is done, in the same step; Plan
// leaves it at that. A pause is part of what is wanted, but belongs to operators as well: what they
// have paused or resumed stays so until another value is wanted than the last time.

// Plan returns what Apply would do now.
func (js *Jobs) Plan(given []Job) (ch desired.Changes, err error) {
	wanted, err := js.newJobs(given)
	for compared := false; err == nil && !compared; {
		if err = js.compare(wanted); err != nil {
			break
		}
		js.pool.look(func() {
			if compared = js.comparedLocked(wanted); compared {
				ch, err = js.planLocked(wanted)
			}
		})
	}
	return ch, err
}

// planLocked decides about jobs that have been compared, and returns what that comes to, or why
// nothing may be done.
func (js *Jobs) planLocked(wanted []*job) (ch desired.Changes, err error) {
	js.decideLocked(wanted)
	if err := js.mayApplyLocked(wanted); err != nil {
		return ch, err
	}
	kept := map[string]bool{}
	for _, w := range wanted {
		kept[w.Name] = true
		w.tell(&ch)
	}
	for name := range js.live {
		if !kept[name] {
			ch.Removed = append(ch.Removed, name)
		}
	}
	slices.Sort(ch.Removed)
	return ch, nil
}

// tell adds what becomes of w.
func (w *job) tell(ch *desired.Changes) {
	switch {
	case w.like.to == nil:
		ch.Added = append(ch.Added, w.Name)
	case w.adds || w.flips || !w.same():
		ch.Change(w.Name, w.why())
	default:
		ch.Unchanged = append(ch.Unchanged, w.Name)
	}
	ch.Pause(w.Name, w.pausedBefore(), w.pauses)
}

// pausesLocked reports whether w is paused from here on: as is wanted, if that is something else
// than before, or its task is new; else as it is now. A job that has given up, and is replaced, has
// another try.
func (w *job) pausesLocked() bool {
	old := w.like.to
	switch {
	case old == nil, w.adds && (old.cell.Phase().Settled() || old.plan.GaveUp()):
		return w.Paused
	case !old.cell.Phase().Settled() && old.Paused != w.Paused:
		return w.Paused
	}
	return w.pausedBefore()
}

// pausedBefore reports whether the job before is paused.
func (w *job) pausedBefore() bool {
	old := w.like.to
	return old != nil && old.plan.Paused() && !old.cell.Phase().Settled()
}

// why says in words how w differs from the job before.
func (w *job) why() string {
	text := desired.Why(w.like.to.meaning(), w.meaning(), w.like.calendar == identity.Other)
	if w.adds {
		return "replaced: " + text
	}
	return text
}

func (w *job) meaning() desired.Job {
	return desired.Job{Period: w.Period, Calendar: w.On != nil, Options: w.options,
		Version: w.Version, Paused: w.Paused}
}

// tellPaused tells of a job that begins paused.
func (js *Jobs) tellPaused(w *job) {
	if w.pauses {
		js.pool.runs.Told(run.News{What: run.TaskPaused, Task: w.cell, Plan: &w.plan.Plan})
	}
}

// pauseAsGiven pauses a job, or ends its pause, as was wanted last: without the lock, as a calendar
// may be asked, and so once more if another Apply has changed its mind meanwhile.
func (js *Jobs) pauseAsGiven(name string) {
	for j, paused := js.given(name); j != nil; {
		if paused {
			js.pool.runs.Pause(j.cell, &j.plan.Plan)
		} else {
			js.pool.runs.Resume(j.cell, &j.plan.Plan)
		}
		now, still := js.given(name)
		if now != j || still == paused {
			return
		}
		paused = still
	}
}

// given returns a job, which is nil if it has gone, and whether it is to be paused.
func (js *Jobs) given(name string) (j *job, paused bool) {
	js.pool.look(func() {
		if j = js.live[name]; j != nil {
			paused = j.Paused
		}
	})
	return j, paused
}
