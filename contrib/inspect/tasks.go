package inspect

import (
	"math"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/future"
)

// never is the period of a task that runs only when somebody asks for it.
const never = time.Duration(math.MaxInt64)

// row is a task in a line.
type row struct {
	Task   link      `json:"task"`
	State  string    `json:"state"`
	Wrong  string    `json:"wrong,omitempty"`
	Kind   string    `json:"kind"`
	Period span      `json:"period,omitzero"`
	Next   time.Time `json:"next,omitzero"`
	Runs   uint64    `json:"runs"`
	Last   *lastRun  `json:"last,omitempty"`
	Paused bool      `json:"paused,omitzero"`
	Lately []span    `json:"late_lately,omitempty"` // the last runs, the latest last

	// Schedule is when the task runs. In the list, of those on a calendar only, and without times.
	Schedule *schedule `json:"schedule,omitempty"`

	// Pool is where the task is, in a list of those of several pools.
	Pool *link `json:"pool,omitempty"`

	Identity string `json:"-"`
	Pick     string `json:"-"` // names it in a form; "" if it has ended
}

// lastRun is the last run that has ended.
type lastRun struct {
	Number  uint64    `json:"number"`
	Started time.Time `json:"started"`
	Took    span      `json:"took"`
	Skipped bool      `json:"skipped,omitzero"` // then Error says why
	Error   said      `json:"error,omitempty"`

	TimedOut bool `json:"timed_out,omitzero"`
}

func (s *seen) lastRun(l *executor.LastRun) *lastRun {
	if l == nil {
		return nil
	}
	return &lastRun{l.Number, l.Started, span(l.Took), l.Skipped, s.page.redactor.error(l.Err),
		!l.Skipped && matches(l.Err, future.ErrTimeout)}
}

func (s *seen) row(e *entry, a *asker) row {
	if e.dead != nil {
		return s.deadRow(e)
	}
	st := e.handle.Status()
	b := newBrief(st)
	r := row{Task: link{text(named(e.name)), e.path(s.source)}, State: b.state, Wrong: s.illOf(e, &b),
		Kind: string(st.Kind), Period: span(st.Period), Next: st.Next, Runs: st.Runs,
		Last: s.lastRun(st.Last), Paused: st.Paused, Identity: identity(s.born, e.serial),
		Pick: e.pick(s.source)}
	switch {
	case st.Period == never:
		r.Kind, r.Period = "on demand", 0
	case st.Calendar != nil:
		r.Schedule = e.scheduled(st, a, s.at).redacted(s.page.redactor)
		r.Next = in(st.Next, r.Schedule.zone)
		if r.Last != nil {
			r.Last.Started = in(r.Last.Started, r.Schedule.zone)
		}
	}
	for _, past := range slices.Backward(e.handle.History()) {
		r.Lately = append(r.Lately, span(past.Late))
	}
	return r
}

// taskView is one periodic task.
type taskView struct {
	At time.Time `json:"at"`
	row
	Unique bool      `json:"unique,omitzero"`
	Same   int       `json:"tasks_of_this_name"`
	Health *sick     `json:"health,omitempty"`
	Kept   bool      `json:"keeps_last_runs"`
	Past   []pastRun `json:"last_runs"`
	Now    []runner  `json:"running,omitempty"` // its run, if one is going on
	Stood  *standing `json:"stood,omitempty"`   // where one stood; for those who may act
	Ills   wrong     `json:"troubles"`

	Deeds []shownDeed `json:"actions,omitempty"` // what has been done to it on this page

	PausedBy string `json:"paused_by,omitempty"` // in words

	// All tasks of this name together.
	All     *measured `json:"measured,omitempty"`
	LateBy  *chart    `json:"late_by,omitempty"`
	TookFor *chart    `json:"took_for,omitempty"`
}

// Unplanned says why no time of a next run is shown.
func (v taskView) Unplanned() string {
	if v.State == stateRunning {
		return "decided when this run ends"
	}
	return "none is planned"
}

// Of says of which tasks is shown what is known by name only.
func (v taskView) Of() string {
	if v.Same > 1 {
		return " (all " + count(v.Same) + " tasks of this name)"
	}
	return ""
}

func (s *seen) taskView(e *entry, act bool) taskView {
	st := e.handle.Status()
	a := s.asker()
	v := taskView{At: s.at, row: s.row(e, a), Unique: st.Unique, Same: s.tasks().named(e.name),
		Past: []pastRun{}}
	v.Schedule = e.scheduled(st, a, s.at).withTimes(e, st, a, s.at.Round(0)).redacted(s.page.redactor)
	zone := v.Schedule.zone
	v.Schedule.before(s.page.begun)
	v.Task.Path = e.path(s.source)
	if h := st.Health; h != nil {
		v.Health = &sick{text(e.name), h.State, s.page.redactor.reason(h.Reason), h.Since}
	}
	for _, r := range e.handle.History() {
		v.Past = append(v.Past, s.past(r).in(zone))
	}
	for _, r := range s.running() {
		// Others of this name may be running as well.
		if st.State == future.Running && r.Periodic && r.Name == e.name && r.Number == st.Runs {
			v.Now = []runner{{Task: v.Task, Number: r.Number, Attempt: r.Attempt, Started: r.Started,
				For: span(r.For), Key: runKey(r.Name, r.Number), run: r.Run}}
		}
	}
	s.tellWrong(&v, e, act)
	v.Deeds = s.deedsOf(e)
	gaveUp := func(t trouble) bool { return t.What == insight.GivenUp } // which is said already
	if v.Paused && !slices.ContainsFunc(v.Ills.Shown, gaveUp) {
		v.PausedBy = s.pausedBy(e.serial)
	}
	s.tellLines(&v, e)
	if e.name == "" {
		return v
	}
	tasks := s.measurements().Tasks
	named := func(t insight.TaskMeasurements) bool { return t.Name == e.name }
	if i := slices.IndexFunc(tasks, named); i >= 0 {
		v.All = &s.kinds(tasks[i : i+1])[0]
		v.All.LastSuccess = in(v.All.LastSuccess, zone)
		v.LateBy, v.TookFor = newChart(&tasks[i].Late), newChart(&tasks[i].Took)
	}
	return v
}
