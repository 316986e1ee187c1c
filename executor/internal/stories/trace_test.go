package stories_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/goid"
)

// trace records what happens. Its order is that of the story, see [moment].
type trace struct {
	start   time.Time
	zone    *time.Location // in which times are shown; nil if they count from the start
	several bool           // workers there may be: what two do at one time has no order

	mu      sync.Mutex
	callers map[uint64]int // goroutines of calls, with the number of the call
	calls   int
	tasks   map[string]int // by when they were first mentioned
	events  []event
}

// event is a line of a trace.
type event struct {
	at   time.Time
	by   role
	call int // if a call has returned
	task string
	what what
	text string
}

// role is who sees an event.
type role int

const (
	caller role = iota // the goroutine of a command, during its call
	worker
	returned // a command, when its call has returned
)

// what is an event of which the order of a moment depends.
type what int

const (
	other what = iota
	begins
	ends
)

func newTrace() *trace {
	return &trace{start: time.Now(), callers: map[uint64]int{}, tasks: map[string]int{}}
}

// see records what happens to a task, on the goroutine where it does.
func (tr *trace) see(task string, what what, format string, args ...any) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	e := event{at: time.Now(), by: worker, task: task, what: what}
	if _, ok := tr.callers[goid.Number()]; ok {
		e.by = caller
	}
	e.text = fmt.Sprintf(format, args...)
	tr.add(e)
}

func (tr *trace) add(e event) {
	if _, ok := tr.tasks[e.task]; !ok {
		tr.tasks[e.task] = len(tr.tasks)
	}
	tr.events = append(tr.events, e)
}

// calling is called by a goroutine that is going to call the pool. What it returns is called when
// the call has returned, with what there is to say about that.
func (tr *trace) calling() (done func(text string)) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	me := goid.Number()
	tr.calls++
	call := tr.calls
	tr.callers[me] = call
	return func(text string) {
		tr.mu.Lock()
		defer tr.mu.Unlock()
		delete(tr.callers, me)
		if text != "" {
			tr.add(event{at: time.Now(), by: returned, call: call, text: text})
		}
	}
}

// isCaller tells whether the goroutine is that of a call.
func (tr *trace) isCaller() bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	_, ok := tr.callers[goid.Number()]
	return ok
}

// take returns the lines since it was last called.
func (tr *trace) take() (lines []string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for len(tr.events) > 0 {
		at := tr.events[0].at
		n := slices.IndexFunc(tr.events, func(e event) bool { return !e.at.Equal(at) })
		if n < 0 {
			n = len(tr.events)
		}
		for _, e := range tr.moment(tr.events[:n]) {
			lines = append(lines, fmt.Sprintf("%8s  %s", tr.shown(at), e.text))
		}
		tr.events = tr.events[n:]
	}
	return lines
}

// shown is a time as the story shows it.
func (tr *trace) shown(t time.Time) string {
	if tr.zone == nil {
		return t.Sub(tr.start).String()
	}
	return t.In(tr.zone).Format("2006-01-02 15:04:05 MST")
}

// moment puts the events of one time into the order in which a story shows them. Goroutines that
// act at the same time have no order, so it has to follow from the events:
//
//   - first what the goroutine of the command has seen, while its call was going on;
//   - then what the workers have seen: a single one in its own order; of several, first the ends of
//     runs that had begun earlier, then the rest, both by tasks as they were first mentioned;
//   - last the calls that have returned, the oldest first.
func (tr *trace) moment(events []event) []event {
	leaving := tr.leaving(events)
	slices.SortStableFunc(events, func(a, b event) int {
		if c := cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.call, b.call)); c != 0 {
			return c
		}
		if a.by != worker || !tr.several {
			return 0
		}
		return cmp.Compare(tr.rank(a, leaving), tr.rank(b, leaving))
	})
	return events
}

// rank is the place of what one of several workers has seen.
func (tr *trace) rank(e event, leaving map[string]bool) int {
	if leaving[e.task] {
		return tr.tasks[e.task]
	}
	return len(tr.tasks) + tr.tasks[e.task]
}

// leaving are the tasks of which a run ends that had begun earlier. If another one of the same task
// begins, it shows all of that where the run ends.
func (tr *trace) leaving(events []event) map[string]bool {
	first := map[string]what{}
	for _, e := range events {
		if e.what != other && first[e.task] == other {
			first[e.task] = e.what
		}
	}
	leaving := map[string]bool{}
	for task, what := range first {
		leaving[task] = what == ends
	}
	return leaving
}
