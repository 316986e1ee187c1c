package inspect

import (
	"net/url"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// endedView is a task that a failure has ended.
type endedView struct {
	At time.Time `json:"at"`
	trouble
	Started time.Time `json:"started,omitzero"` // the run that has ended it
	Took    span      `json:"took,omitzero"`
	Missed  uint64    `json:"missed,omitzero"`
	Kept    bool      `json:"keeps_errors"`
	Whole   *account  `json:"whole,omitempty"`
	Log     *runLog   `json:"log,omitempty"` // of that run

	Restarts bool   `json:"can_be_restarted"`
	Why      string `json:"why,omitempty"` // it cannot
	Path     string `json:"-"`
}

// dead returns how the task has ended that has this address.
func (s *source) dead(id string) (insight.Trouble, bool) {
	return deadAt(id, s.history().Troubles)
}

func deadAt(id string, ts []insight.Trouble) (insight.Trouble, bool) {
	for _, t := range ts {
		if t.What == insight.Dead && hashed(t.Name) == id {
			return t, true
		}
	}
	return insight.Trouble{}, false
}

// endedAt returns the view of a task that a failure has ended, or false if none has this address.
func (s *seen) endedAt(id string, here []crumb) (view, bool) {
	t, ok := deadAt(id, s.troubles())
	if !ok {
		return view{}, false
	}
	v := endedView{At: s.at, trouble: s.trouble(t), Kept: s.history().Kept}
	v.Path = v.Task.Path
	if t.Run != nil {
		room := mostWhole
		v.Started, v.Took, v.Missed = t.Run.Started, span(t.Run.Took), t.Run.Missed
		v.Log = s.logsOf(t.Name).of(t.Run.Number, t.Run.Attempt, t.Run.Started).in(time.Local)
		v.Whole = s.page.redactor.account(t.Run.Err, &room)
	}
	v.Restarts, v.Why = s.restarts(t.Name)
	return view{"ended", append(here, crumb{label(named(t.Name)), v.Path}), "", v}, true
}

// restarts reports whether a task that has ended can be started again, or else why not.
func (s *source) restarts(name string) (can bool, why string) {
	if s.jobs == nil {
		return false, "only the program can start it again: it was no job of Apply"
	}
	h, ok := s.jobs.Job(name)
	switch {
	case !ok:
		return false, "only the program can start it again: it is no job of the last Apply"
	case !h.State().Settled():
		return false, "it has been started again, and has not succeeded yet"
	}
	return true, ""
}

func restarts(pool *executor.ScheduledPool, name string) action {
	return func(url.Values) (bool, error) {
		err := pool.Restart(name)
		return err == nil, err
	}
}
