package inspect

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// fleetTask is all tasks of one name, in the pools of one name of all processes.
type fleetTask struct {
	Pool     text            `json:"pool"`
	Task     text            `json:"task"`
	Path     string          `json:"path"`
	Shows    word            `json:"shows"` // of the processes that live
	Versions []*fleetVersion `json:"versions"`

	// Fresh is whether it is wrong in the newest version only, though older ones are known.
	Fresh bool `json:"new_in_version,omitzero"`

	shares []share
}

// share is what a process has of it.
type share struct {
	of *fleetProcess
	*rollTask
}

// fleetVersion is what one version has of it.
type fleetVersion struct {
	Version   text      `json:"version"`
	Processes int       `json:"processes"`
	Gone      int       `json:"gone,omitzero"` // how many of these
	Shows     word      `json:"shows"`
	Runs      uint64    `json:"runs"`
	Failures  uint64    `json:"failures"`
	Measured  bool      `json:"measured"`
	Last      time.Time `json:"last_run,omitzero"`
	Since     time.Time `json:"since,omitzero"` // it is wrong
	Error     said      `json:"error,omitempty"`

	Paused bool `json:"paused,omitzero"` // in a process that lives

	started time.Time // the process that was started last
}

// Called is the version for people.
func (v *fleetVersion) Called() string { return called(v.Version) }

// fleetTaskList is all of them.
type fleetTaskList struct {
	all []*fleetTask
	at  map[string]*fleetTask // by path
}

// findTasks returns all tasks, those first with which something is wrong.
func (s *fleetSeen) findTasks() fleetTaskList {
	tasks := []*fleetTask{}
	known := map[[2]text]*fleetTask{}
	for _, p := range s.processes {
		if p.has == nil {
			continue
		}
		for i := range p.has.Tasks {
			r := &p.has.Tasks[i]
			t := known[r.key()]
			if t == nil {
				t = &fleetTask{Pool: r.Pool.Name, Task: r.Task.Name,
					Path: taskPath(string(r.Pool.Name), string(r.Task.Name))}
				known[r.key()] = t
				tasks = append(tasks, t)
			}
			t.shares = append(t.shares, share{p, r})
		}
	}
	for _, t := range tasks {
		t.compare()
	}
	slices.SortFunc(tasks, func(a, b *fleetTask) int {
		return cmp.Or(rankOf(a.Shows)-rankOf(b.Shows), strings.Compare(string(a.Task), string(b.Task)),
			strings.Compare(string(a.Pool), string(b.Pool)))
	})
	at := make(map[string]*fleetTask, len(tasks))
	for _, t := range tasks {
		at[t.Path] = t
	}
	return fleetTaskList{tasks, at}
}

// compare puts the versions beside each other, the newest first.
func (t *fleetTask) compare() {
	known := map[text]*fleetVersion{}
	for _, sh := range t.shares {
		v := known[sh.of.Version]
		if v == nil {
			v = &fleetVersion{Version: sh.of.Version, Shows: insight.HealthOK}
			known[sh.of.Version] = v
			t.Versions = append(t.Versions, v)
		}
		v.add(sh)
	}
	slices.SortStableFunc(t.Versions, func(a, b *fleetVersion) int {
		return b.started.Compare(a.started)
	})
	t.Shows = insight.HealthOK
	for _, v := range t.Versions {
		if v.lives() {
			t.Shows = worseOf(t.Shows, v.Shows)
		}
	}
	if len(t.Versions) > 1 && t.Versions[0].lives() {
		wrong := func(v *fleetVersion) bool { return !v.Since.IsZero() }
		t.Fresh = wrong(t.Versions[0]) && !slices.ContainsFunc(t.Versions[1:], wrong)
	}
	if t.Shows == insight.HealthOK && !t.lives() {
		t.Shows = replicaGone
	}
}

func (v *fleetVersion) lives() bool { return v.Gone < v.Processes }

func (t *fleetTask) lives() bool { return slices.ContainsFunc(t.Versions, (*fleetVersion).lives) }

// add adds what a process has. Those that are gone count with what they had last; what is wrong
// there is so only if none lives.
func (v *fleetVersion) add(sh share) {
	v.Processes++
	if !sh.of.lives() {
		v.Gone++
	}
	v.Paused = v.Paused || sh.of.lives() && sh.State == statePaused
	v.Runs, v.Failures, v.Measured = v.Runs+sh.Runs, v.Failures+sh.Failures, v.Measured || sh.Measured
	v.started = later(v.started, sh.of.Started)
	for _, r := range sh.Past {
		v.Last = later(v.Last, later(r.Started, r.Due))
	}
	// Processes that live come first.
	if ill := sh.Trouble; ill != nil && (sh.of.lives() || v.Gone == v.Processes) {
		v.Shows = worseOf(v.Shows, word(ill.What))
		v.Since, v.Error = earlier(v.Since, ill.Since), cmp.Or(ill.Error, said(ill.Reason), v.Error)
	}
	if v.Error == "" {
		v.Error = sh.failure()
	}
	if v.Shows == insight.HealthOK && v.Failures > 0 {
		v.Shows = showsFailed
	}
}

// failure returns the error of the last run that has failed.
func (sh share) failure() said {
	for _, r := range sh.Past {
		if r.Error != "" && !r.Skipped {
			return r.Error
		}
	}
	return ""
}

// earlier returns the earlier of two times, of which either may be zero.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Wrong reports whether the version has it fail, or worse.
func (v *fleetVersion) Wrong() bool { return !v.Since.IsZero() }

// taskPath returns the address of a task of a fleet. It is a hash of the names, as these may be
// anything; so it is the same in each process, and for each fleet.
func taskPath(pool, task string) string { return "task/" + hashed(pool) + "/" + hashed(task) + "/" }

// runPath returns the address of a run below that of its task.
func runPath(due time.Time) string { return "run/" + due.UTC().Format(runTime) }

const runTime = "2006-01-02T15:04:05.999999999Z"

// at is the time by which a run is known: it is that of the schedule, the same in each process.
func (r *rollRun) at() time.Time {
	if r.Due.IsZero() {
		return r.Started
	}
	return r.Due
}

// fleetRun is a run of it, in one process.
type fleetRun struct {
	rollRun
	Path string        `json:"path"`
	Of   *fleetProcess `json:"process"`
}

// Gone reports whether what is said of the run is what a process had that is gone.
func (r fleetRun) Gone() bool { return r.Of.State == replicaGone }

// runs returns the runs that are known, the last one first.
func (t *fleetTask) runs() []fleetRun {
	runs := []fleetRun{}
	for _, sh := range t.shares {
		for _, r := range sh.Past {
			runs = append(runs, fleetRun{r, t.Path + runPath(r.at()), sh.of})
		}
	}
	slices.SortStableFunc(runs, func(a, b fleetRun) int {
		return cmp.Or(b.at().Compare(a.at()), b.Started.Compare(a.Started))
	})
	return runs
}
