package inspect

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/future"
)

// tasksView is a page of the periodic tasks of a pool.
type tasksView struct {
	At     time.Time `json:"at"`
	Source text      `json:"pool"`
	Total  int       `json:"total"`
	Found  int       `json:"found"` // those that are looked for
	Page   int       `json:"page"`
	Pages  int       `json:"pages"`
	Tasks  []row     `json:"tasks"`

	Asked  query    `json:"-"`
	States []string `json:"-"`
	Orders []string `json:"-"`
	Path   string   `json:"-"`
}

// onPage is how many tasks a page has.
const onPage = 100

// What tasks can be chosen and sorted by.
var (
	states = []string{stateWaiting, stateRunning, statePaused, stateFailing, stateTimedOut, stateLate}
	orders = []string{"name", "next", "took", "runs"}
)

func known(words []string, word string) bool { return slices.Contains(words, word) }

// pageNumber reads one; it is 1 if it is none. Pages that there are not become the last one.
func pageNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 1
	}
	return n
}

func itoa(n int) string { return strconv.Itoa(n) }

func (s *seen) tasksView(q query) tasksView {
	found := s.chosen(q)
	v := tasksView{At: s.at, Source: text(s.title()), Total: len(s.tasks().entries),
		Found: len(found), Pages: max((len(found)+onPage-1)/onPage, 1), Tasks: []row{},
		Asked: q, States: states, Orders: orders, Path: s.path() + "tasks"}
	v.Page = min(q.Page, v.Pages)
	v.Asked.Page = v.Page
	first := (v.Page - 1) * onPage
	a := s.asker()
	for _, e := range found[first:min(first+onPage, len(found))] {
		v.Tasks = append(v.Tasks, s.row(e, a))
	}
	return v
}

// At returns the address of another page of the same tasks.
func (v tasksView) PageAt(page int) string {
	q := v.Asked
	q.Page = page
	return v.Path + q.String()
}

// Sorted returns the address of the same tasks in another order.
func (v tasksView) Sorted(order string) string {
	q := v.Asked
	q.Page, q.Sort = 1, order
	return v.Path + q.String()
}

// Before and After are the numbers of the pages beside this one; 0 if there is none.
func (v tasksView) Before() int { return v.Page - 1 }

// After is the number of the next page, or 0.
func (v tasksView) After() int {
	if v.Page == v.Pages {
		return 0
	}
	return v.Page + 1
}

// Window is the numbers of the first task that is shown, and of the last.
func (v tasksView) Window() string {
	if v.Found == 0 {
		return "none"
	}
	first := (v.Page - 1) * onPage
	return count(first+1) + "–" + count(first+len(v.Tasks)) + " of " + count(v.Found)
}

// chosen returns the tasks that are looked for, in the order that is asked for. Only for that is
// each of them looked at.
func (s *seen) chosen(q query) []*entry {
	if q.State == "" && (q.Sort == "" || q.Sort == "name") {
		return s.tasks().matching(q.Search)
	}
	text := strings.ToLower(q.Search)
	briefs := s.briefs()
	var picks []pick
	for i, e := range s.tasks().entries {
		b := briefs[i]
		if (q.State == "" || b.state == q.State || b.wrong == q.State) && strings.Contains(e.lower, text) {
			picks = append(picks, pick{e, b})
		}
	}
	if by := comparison(q.Sort); by != nil {
		slices.SortStableFunc(picks, func(a, b pick) int { return by(a.brief, b.brief) })
	}
	found := make([]*entry, len(picks))
	for i, p := range picks {
		found[i] = p.entry
	}
	return found
}

// pick is a task that is looked for.
type pick struct {
	*entry
	brief
}

// comparison returns how briefs are compared for an order; nil for the order that there is.
func comparison(order string) func(a, b brief) int {
	switch order {
	case "next":
		return func(a, b brief) int { return cmp.Compare(a.next, b.next) }
	case "took":
		return func(a, b brief) int { return cmp.Compare(b.took, a.took) }
	case "runs":
		return func(a, b brief) int { return cmp.Compare(b.runs, a.runs) }
	}
	return nil
}

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

	Identity string `json:"-"`
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
	st := e.handle.Status()
	r := row{Task: link{text(named(e.name)), e.path(s.source)}, State: stateOf(st), Wrong: wrongOf(st),
		Kind: string(st.Kind), Period: span(st.Period), Next: st.Next, Runs: st.Runs,
		Last: s.lastRun(st.Last), Paused: st.Paused, Identity: identity(s.born, e.serial)}
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
