package inspect

import (
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// rollTask is all tasks of one name in a pool or loop, as a [Fleet] learns of them.
type rollTask struct {
	Pool        link      `json:"pool"`
	Task        link      `json:"task"`
	Tasks       int       `json:"tasks,omitzero"`  // how many periodic ones there are
	State       string    `json:"state,omitempty"` // of the first of them
	Measured    bool      `json:"measured"`        // failures are counted by name
	Runs        uint64    `json:"runs"`
	Failures    uint64    `json:"failures"`
	LastSuccess time.Time `json:"last_success,omitzero"`
	Trouble     *trouble  `json:"trouble,omitempty"` // the worst; nil if nothing is wrong
	Past        rollRuns  `json:"last_runs,omitempty"`
}

// rollRun is a run that has ended, or expired.
type rollRun struct {
	Number  uint64    `json:"number"`
	Due     time.Time `json:"due,omitzero"`
	Started time.Time `json:"started,omitzero"`
	Took    span      `json:"took"`
	Late    span      `json:"late"`
	Skipped bool      `json:"skipped,omitzero"` // then Error says why
	Expired bool      `json:"expired,omitzero"` // then it has not begun
	Error   said      `json:"error,omitempty"`
	Whole   *account  `json:"whole,omitempty"`
}

// The most that a fleet learns of one process: names of tasks, the last runs of each beside those
// that have failed, and bytes, about.
const (
	mostRoll     = 500
	mostRollRuns = 3
	rollRoom     = 2 << 20
)

// roll collects what the index has for a fleet.
type roll struct {
	tasks []rollTask
	more  int // names for which there was no room
	room  int // in bytes
	whole int // likewise, for whole errors and stacks, which are beside that
	shown *redactor
}

// rolled is what the index has of it.
type rolled struct {
	Tasks []rollTask `json:"tasks"`
	More  int        `json:"more_tasks,omitzero"`
}

// with adds the tasks, if the query asks for them.
func (o overview) with(s *snapshot, q query) overview {
	if q.Roll {
		r := s.roll()
		o.rolled = &rolled{append([]rollTask{}, r.tasks...), r.more}
	}
	return o
}

// roll returns the tasks of all sources, by name: those first with which something is wrong.
func (s *snapshot) roll() *roll {
	r := &roll{room: rollRoom, whole: mostWhole}
	rests := make([][]string, len(s.sources))
	for i, src := range s.sources {
		wrong, rest, more := src.names()
		rests[i], r.more = rest, r.more+more
		r.add(src, wrong)
	}
	for i, src := range s.sources {
		r.add(src, rests[i])
	}
	return r
}

// names returns the names of the tasks of a source: with which something is wrong, and others. Of
// those only as many are looked at as can be told.
func (s *seen) names() (wrong, rest []string, more int) {
	known := map[string]bool{"": true} // which can't be found again
	add := func(list *[]string, name string) {
		if !known[name] {
			known[name] = true
			*list = append(*list, name)
		}
	}
	for _, t := range s.troubles() {
		add(&wrong, t.Name)
	}
	last := "" // those of one name follow each other
	for _, e := range s.tasks().entries {
		switch {
		case known[e.name] || e.name == last:
		case len(rest) == mostRoll:
			more++
		default:
			add(&rest, e.name)
		}
		last = e.name
	}
	for _, t := range s.measurements().Tasks {
		if s.tasks().named(t.Name) == 0 {
			add(&rest, t.Name)
		}
	}
	return wrong, rest, more
}

func (r *roll) add(s *seen, names []string) {
	if len(names) == 0 {
		return
	}
	measured := map[string]*insight.TaskMeasurements{}
	r.shown = s.page.redactor
	tasks := s.measurements().Tasks
	for i := range tasks {
		measured[tasks[i].Name] = &tasks[i]
	}
	for i, name := range names {
		if len(r.tasks) == mostRoll || r.room <= 0 {
			r.more += len(names) - i
			return
		}
		r.tasks = append(r.tasks, r.task(s, name, measured[name]))
	}
}

func (r *roll) task(s *seen, name string, m *insight.TaskMeasurements) rollTask {
	t := rollTask{Pool: link{text(s.title()), s.path()}, Task: s.link(name)}
	r.room -= 300 + 2*written(s.title()) + 2*written(name)
	i := slices.IndexFunc(s.troubles(), func(t insight.Trouble) bool { return t.Name == name })
	if i >= 0 {
		ill := s.trouble(s.troubles()[i])
		t.Trouble = &ill
		r.room -= 500 + written(string(ill.Error)) + written(ill.Reason)
		t.Past = r.failed(s.troubles()[i])
	}
	if e := s.tasks().byID[hashed(name)]; e != nil && e.name == name {
		st := e.handle.Status()
		t.Tasks, t.State, t.Runs = s.tasks().named(name), stateOf(st), st.Runs
		if past := r.past(e.handle.History()); past != nil {
			t.Past = past
		} else if st.Last != nil && t.Past == nil { // no history is kept
			t.Past = r.past([]insight.PastRun{ofLast(*st.Last)})
		}
	}
	if m != nil {
		t.Measured, t.Runs, t.Failures, t.LastSuccess = true, m.Took.Count(), m.Failures, m.LastSuccess
	}
	return t
}

// past returns the last runs and, while little of the room is used, older ones that have failed.
func (r *roll) past(runs []insight.PastRun) (past rollRuns) {
	for i, run := range runs {
		failed := run.Expired || run.Err != nil && !run.Skipped
		if i < mostRollRuns || failed && r.room > rollRoom*3/4 {
			past = append(past, r.run(run))
		}
	}
	return past
}

// written returns how many bytes a text takes in JSON at most, without what is cut.
func written(text string) (size int) {
	for i := range min(len(text), shownError) {
		if c := text[i]; c < ' ' || c >= 0x7f || strings.IndexByte(`"\<>&`, c) >= 0 {
			size += 5
		}
		size++
	}
	return size
}

func ofLast(l executor.LastRun) insight.PastRun {
	return insight.PastRun{Name: l.Name, Number: l.Number, Scheduled: l.Scheduled, Started: l.Started,
		Took: l.Took, Late: l.Started.Sub(l.Scheduled), Err: l.Err, Skipped: l.Skipped}
}

// failed returns the run of a trouble, if that has ended.
func (r *roll) failed(t insight.Trouble) rollRuns {
	if t.Run == nil || t.What == insight.Stuck {
		return nil
	}
	return rollRuns{r.run(*t.Run)}
}

func (r *roll) run(p insight.PastRun) rollRun {
	run := rollRun{Number: p.Number, Due: p.Scheduled, Started: p.Started, Took: span(p.Took),
		Late: span(p.Late), Skipped: p.Skipped, Expired: p.Expired, Error: r.shown.error(p.Err)}
	run.Whole = r.shown.account(p.Err, &r.whole)
	r.room -= 200 + written(string(run.Error))
	return run
}
