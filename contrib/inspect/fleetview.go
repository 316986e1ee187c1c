package inspect

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// fleetIndex is the first view of a fleet.
type fleetIndex struct {
	At        time.Time       `json:"at"`
	Shows     word            `json:"shows"`
	Wrong     fleetWrong      `json:"wrong"`
	Processes []*fleetProcess `json:"processes"`
	Gone      []*fleetProcess `json:"gone"`
	Panels    []*panelView    `json:"panels,omitempty"`
	Tasks     []*fleetTask    `json:"tasks"` // the first of them
	Total     int             `json:"tasks_in_all"`
	MoreGone  int             `json:"more_gone,omitzero"`
	Untold    int             `json:"tasks_untold,omitzero"` // of which processes have told nothing
}

// fleetTasks is a page of the tasks of a fleet.
type fleetTasks struct {
	tasksView
	Tasks []*fleetTask `json:"tasks"`
}

// fleetTaskView is one of them.
type fleetTaskView struct {
	At time.Time `json:"at"`
	*fleetTask
	Here []fleetShare `json:"processes"`
	Past []fleetRun   `json:"last_runs"`
	More int          `json:"more_runs,omitzero"`
}

// fleetShare is what one process has of a task.
type fleetShare struct {
	*rollTask
	Of  *fleetProcess `json:"process"`
	Own string        `json:"-"` // the address of its view there
}

// fleetRunView is a run of a task, in all processes that had it.
type fleetRunView struct {
	Due  time.Time  `json:"due"`
	Task *fleetTask `json:"task"`
	Runs []fleetRun `json:"runs"`
}

// fleetProcessView is one process.
type fleetProcessView struct {
	At time.Time `json:"at"`
	*fleetProcess
	Host    text          `json:"host"`
	PID     int           `json:"pid"`
	Clock   span          `json:"clock_ahead"` // of that of the fleet
	Ills    fleetWrong    `json:"wrong"`
	Sources recordSources `json:"sources"`
	Tasks   []fleetShare  `json:"tasks"`
	Untold  int           `json:"tasks_untold,omitzero"`
}

// The most that is shown of each.
const (
	mostFleetTasks = 50
	mostFleetRuns  = 100
	mostGoneShown  = 20
)

var (
	processAt = regexp.MustCompile(`^process/([a-z0-9]+)/$`)
	taskAt    = regexp.MustCompile(`^(task/[a-z0-9]+/[a-z0-9]+/)(?:run/([0-9TZ:.-]+))?$`)
)

// view returns what is at a path other than that of the index, or false if nothing is there.
func (s *fleetSeen) view(path string, q query) (view, bool) {
	process, task := processAt.FindStringSubmatch(path), taskAt.FindStringSubmatch(path)
	switch {
	case path == "tasks":
		return view{"fleettasks", []crumb{{"tasks", path}}, "", s.tasksView(q)}, true
	case process != nil:
		return s.processView(path)
	case task != nil:
		return s.taskView(task[1], task[2])
	}
	return view{}, false
}

// index returns the first view, with the panels of the fleet's own, and what is wrong with them.
func (s *fleetSeen) index(panels []*panelView, ill wrong, shows string) fleetIndex {
	v := fleetIndex{At: s.at, Shows: word(shows), Wrong: s.wrong(), Panels: panels, Processes: []*fleetProcess{},
		Gone: []*fleetProcess{}, Tasks: []*fleetTask{}, Total: len(s.tasks().all)}
	v.Wrong.add(ill)
	for _, t := range v.Wrong.Shown {
		v.Shows = worseOf(v.Shows, word(t.What))
	}
	for _, p := range s.processes {
		switch {
		case p.State != replicaGone:
			v.Processes = append(v.Processes, p)
			if p.State == replicaUp {
				v.Shows = worseOf(v.Shows, p.Shows)
			}
		case len(v.Gone) < mostGoneShown:
			v.Gone = append(v.Gone, p)
		default:
			v.MoreGone++
		}
		if p.lives() {
			v.Untold += p.has.More
		}
	}
	v.Tasks = append(v.Tasks, s.tasks().all[:min(len(s.tasks().all), mostFleetTasks)]...)
	return v
}

// More returns how many tasks are not shown here.
func (v fleetIndex) More() int { return v.Total - len(v.Tasks) }

func (s *fleetSeen) tasksView(q query) fleetTasks {
	found := s.tasks().all
	if q.Search != "" {
		found = nil
		for _, t := range s.tasks().all {
			if strings.Contains(strings.ToLower(string(t.Task)), strings.ToLower(q.Search)) {
				found = append(found, t)
			}
		}
	}
	q.State, q.Sort, q.Roll = "", "", false
	v := fleetTasks{tasksView: tasksView{At: s.at, Total: len(s.tasks().all), Found: len(found),
		Pages: max((len(found)+onPage-1)/onPage, 1), Asked: q, Path: "tasks"}, Tasks: []*fleetTask{}}
	v.Page = min(q.Page, v.Pages)
	first := (v.Page - 1) * onPage
	v.Tasks = append(v.Tasks, found[first:min(first+onPage, len(found))]...)
	return v
}

// Among is the numbers of the first task that is shown, and of the last.
func (v fleetTasks) Among() string {
	if v.Found == 0 {
		return "none"
	}
	first := (v.Page - 1) * onPage
	return count(first+1) + "–" + count(first+len(v.Tasks)) + " of " + count(v.Found)
}

func (s *fleetSeen) processView(path string) (view, bool) {
	i := slices.IndexFunc(s.processes, func(p *fleetProcess) bool { return p.Path == path })
	if i < 0 {
		return view{}, false
	}
	p := s.processes[i]
	v := fleetProcessView{At: s.at, fleetProcess: p, Tasks: []fleetShare{}}
	if has := p.has; has != nil {
		alone := *p
		// What was wrong there is shown also if it is gone; that it is gone is said above.
		alone.State, alone.amiss = replicaUp, false
		v.Ills = (&fleetSeen{processes: []*fleetProcess{&alone}, tasks: s.tasks}).wrong()
		v.Host, v.PID, v.Clock = has.Process.Host, has.Process.PID, span(has.skew)
		v.Sources, v.Untold = has.Sources, has.More
		for i := range has.Tasks {
			v.Tasks = append(v.Tasks, newFleetShare(share{p, &has.Tasks[i]}))
		}
	}
	return view{"fleetprocess", []crumb{{p.Name.String(), path}}, "", v}, true
}

// Off reports whether the clock of the process is another one than that of the fleet.
func (v fleetProcessView) Off() bool {
	return time.Duration(v.Clock).Abs() > askedEach
}

// ClockSays tells how far off it is.
func (v fleetProcessView) ClockSays() string {
	if v.Clock < 0 {
		return (-v.Clock).String() + " behind"
	}
	return v.Clock.String() + " ahead"
}

// Path returns the address of the view that the fleet has of the task.
func (s fleetShare) Path() string { return taskPath(string(s.Pool.Name), string(s.Task.Name)) }

// Wrong is what is wrong with it.
func (s fleetShare) Wrong() word {
	if s.Trouble == nil {
		return ""
	}
	return word(s.Trouble.What)
}

// Last returns the last run; nil if none is known.
func (s fleetShare) Last() *rollRun {
	if len(s.Past) == 0 {
		return nil
	}
	return &s.Past[0]
}

func newFleetShare(sh share) fleetShare {
	v := fleetShare{rollTask: sh.rollTask, Of: sh.of}
	if sh.of.lives() && sh.Task.Path != "" {
		v.Own = sh.of.Address + sh.Task.Path
	}
	return v
}

func (s *fleetSeen) taskView(path, due string) (view, bool) {
	t := s.tasks().at[path]
	if t == nil {
		return view{}, false
	}
	here := []crumb{{"tasks", "tasks"}, {label(string(t.Task)), path}}
	runs := t.runs()
	if due == "" {
		v := fleetTaskView{At: s.at, fleetTask: t, Past: runs[:min(len(runs), mostFleetRuns)],
			More: max(len(runs)-mostFleetRuns, 0), Here: []fleetShare{}}
		for _, sh := range t.shares {
			v.Here = append(v.Here, newFleetShare(sh))
		}
		return view{"fleettask", here, "", v}, true
	}
	v := fleetRunView{Task: t}
	for _, r := range runs {
		if dueAt(r.at(), due) {
			v.Due, v.Runs = r.at(), append(v.Runs, r)
		}
	}
	if v.Runs == nil {
		return view{}, false
	}
	here = append(here, crumb{"run due at " + clockTime(time.Now(), v.Due), path + "run/" + due})
	return view{"fleetrun", here, "", v}, true
}

// dueAt reports whether a time is the one that a text has, which may have no fraction of a second,
// or only milliseconds, as logs have.
func dueAt(at time.Time, text string) bool {
	due, err := time.Parse(time.RFC3339, text)
	return err == nil && (at.Equal(due) || at.Truncate(time.Millisecond).Equal(due) ||
		at.Truncate(time.Second).Equal(due))
}
