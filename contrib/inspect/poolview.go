package inspect

import (
	"cmp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// poolView is a pool or event loop.
type poolView struct {
	At time.Time `json:"at"`
	summary
	Wrong   wrong       `json:"wrong"`
	Deeds   []shownDeed `json:"actions,omitempty"` // what has been done here on this page
	Stood   *standing   `json:"stood,omitempty"`   // for those who may act
	Ending  string      `json:"ending,omitempty"`  // how far the shutdown is
	Strip   *strip      `json:"strip,omitempty"`
	LateBy  *chart      `json:"late_by,omitempty"`
	TookFor *chart      `json:"took_for,omitempty"`
	Running []runner    `json:"running"`
	Waiting []waiter    `json:"waiting"`
	Late    []pastRun   `json:"late_runs"`
	Waits   *lateness   `json:"late_runs_waited_for,omitempty"` // all of them together
	Kinds   []measured  `json:"kinds"`                          // of tasks, by name

	Logged     []link `json:"logged,omitempty"`     // the tasks of whose runs lines are kept
	LoggedMore int    `json:"logged_more,omitzero"` // how many of these are not listed

	Tasks      int    `json:"tasks"`               // periodic ones
	Remembers  bool   `json:"remembers"`           // it keeps its history
	Measures   bool   `json:"measures"`            // it keeps histograms
	HasTasks   bool   `json:"has_tasks"`           // the tasks have a view
	PausedBy   string `json:"paused_by,omitempty"` // in words
	Unattended int    `json:"unattended"`          // of those that run, how many are not shown
}

// The most that is shown of each.
const (
	mostRunning = 50
	mostWaiting = 12
	mostKinds   = 20
)

func (s *seen) poolView(act bool) poolView {
	tasks := s.tasks()
	v := poolView{At: s.at, summary: s.summary(), Ending: s.ending(), Tasks: len(tasks.entries),
		HasTasks: s.kind == aPool, Kinds: []measured{}, Late: []pastRun{}, Wrong: s.wrong(mostWrong)}
	if v.Deeds = s.deeds(); v.Paused {
		v.PausedBy = s.pausedBy(0)
	}
	if act {
		v.Stood = s.stood
	}
	v.Running, v.Unattended = s.runners()
	a := s.asker()
	v.Waiting = s.waiters(a)
	for _, r := range s.history().Late {
		v.Late = append(v.Late, s.past(r))
	}
	if m := s.measurements(); s.figures.Late != nil {
		v.Measures = true
		v.LateBy, v.TookFor = newChart(&m.Late), newChart(&m.Took)
		v.Kinds = s.kinds(m.Tasks)
		if m.Reasons.Total > 0 {
			v.Waits = newLateness(&m.Reasons)
		}
	}
	v.Strip = s.strip(a)
	v.Remembers = s.history().Kept
	v.Logged, v.LoggedMore = s.loggedLinks()
	return v
}

// Hungry reports whether it is told elsewhere that no worker is free: a pool whose queue knows no
// times does not know for how long its tasks are due.
func (v poolView) Hungry() bool {
	return slices.ContainsFunc(v.Wrong.Shown, func(t trouble) bool {
		return t.What == insight.Starved || t.What == insight.Overdue
	})
}

// recent is how many late runs are shown at once.
const recent = 6

// Recent returns the latest of the late runs.
func (v poolView) Recent() []pastRun { return v.Late[:min(recent, len(v.Late))] }

// Older returns the others.
func (v poolView) Older() []pastRun { return v.Late[min(recent, len(v.Late)):] }

// ending says how far a shutdown is; nothing if there is none.
func (s *seen) ending() string {
	f := s.figures
	switch {
	case f.State == "running":
		return ""
	case f.Busy+f.Queued == 0:
		return "Shut down: nothing runs and nothing waits. " + count(f.Returned) +
			" tasks were dropped, " + count(f.Cancelled) + " cancelled."
	}
	return "Shutting down: " + count(uint64(f.Busy)) + " run and " + count(uint64(f.Queued)) +
		" wait. " + count(f.Returned) + " tasks were dropped, " + count(f.Cancelled) +
		" cancelled."
}

// link is the name of a task, and where its view is, if it has one.
type link struct {
	Name text   `json:"name"`
	Path string `json:"path,omitempty"`
}

// link finds the first task of a name.
func (s *seen) link(name string) link {
	l := link{Name: text(named(name))}
	id := hashed(name)
	if e := s.tasks().byID[id]; e != nil && e.name == name {
		l.Path = e.path(s.source)
	} else if s.page.runs != nil && s.logged()[id] == name {
		l.Path = s.path() + "runs/" + id
	}
	return l
}

// runner is a task that is running.
type runner struct {
	Task    link      `json:"task"`
	Number  uint64    `json:"number"`
	Attempt uint64    `json:"attempt,omitzero"`
	Started time.Time `json:"started"`
	For     span      `json:"for"`
	Blocked *link     `json:"waits_for,omitempty"` // the task of the same pool for which it waits

	Progress *advance `json:"progress,omitempty"` // how far it says it is
	Log      *runLog  `json:"log,omitempty"`      // what it has logged, in the view of its task

	Key string `json:"-"` // says which run it is, see runKey
	run executor.Run
}

func (s *seen) runners() (shown []runner, more int) {
	running := s.running()
	shown = []runner{}
	going := s.inProgress()
	for i, r := range running {
		if i == mostRunning {
			return shown, len(running) - i
		}
		one := runner{Task: s.link(r.Name), Number: r.Number, Attempt: r.Attempt, Started: r.Started, For: span(r.For),
			Key: runKey(r.Name, r.Number), run: r.Run, Progress: going.of(r.Run)}
		if r.Waits {
			to := s.link(r.WaitsFor)
			one.Blocked = &to
		}
		shown = append(shown, one)
	}
	return shown, 0
}

// waiter is a task that waits.
type waiter struct {
	Task     link      `json:"task"`
	Due      time.Time `json:"due,omitzero"`
	Periodic bool      `json:"periodic,omitzero"`
	Runs     uint64    `json:"runs,omitzero"`
	For      string    `json:"waits_for,omitempty"` // what it waits for, if it is not its time
}

func (s *seen) waiters(a *asker) []waiter {
	waiting := []waiter{}
	for _, p := range s.next()[:min(mostWaiting, len(s.next()))] {
		zone := p.Scheduled.Location()
		if p.Periodic {
			zone = s.zoneOf(p.Name, a)
		}
		waiting = append(waiting,
			waiter{s.link(p.Name), in(p.Scheduled, zone), p.Periodic, p.Runs, s.waitsFor(p)})
	}
	return waiting
}

// zoneOf returns the zone of the calendar of the periodic task of a name, if it has one, or else
// that of the server.
func (s *seen) zoneOf(name string, a *asker) *time.Location {
	if e := s.tasks().byID[hashed(name)]; e != nil && s.tasks().named(name) == 1 {
		return e.scheduled(e.handle.Status(), a, s.at).zone
	}
	return time.Local
}

// measured is what has been measured of all tasks of one name.
type measured struct {
	Task        link          `json:"task"`
	Runs        uint64        `json:"runs"`
	Failures    uint64        `json:"failures"`
	Skipped     uint64        `json:"skipped"`
	Expired     uint64        `json:"expired"`
	Missed      uint64        `json:"missed"`
	LastSuccess time.Time     `json:"last_success,omitzero"`
	Late        *distribution `json:"late"`
	Took        *distribution `json:"took"`
}

// kinds returns those that have taken the most time, in all.
func (s *seen) kinds(tasks []insight.TaskMeasurements) []measured {
	tasks = slices.Clone(tasks)
	slices.SortFunc(tasks, func(a, b insight.TaskMeasurements) int {
		return cmp.Or(cmp.Compare(b.Took.Sum, a.Took.Sum), cmp.Compare(a.Name, b.Name))
	})
	kinds := []measured{}
	for _, t := range tasks[:min(len(tasks), mostKinds)] {
		kinds = append(kinds, measured{s.link(t.Name), t.Took.Count(), t.Failures, t.Skipped,
			t.Expired, t.Missed, t.LastSuccess, newDistribution(t.Late.Distribution()),
			newDistribution(t.Took.Distribution())})
	}
	return kinds
}
