package cluster

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// State is where a task is, or the next run of a series.
type State string

const (
	StateWaiting State = "waiting" // for its time
	StateBackoff State = "backoff" // it has failed, and waits for its next attempt
	StateDue     State = "due"     // or will be within a second, and no worker has it
	StateHeld    State = "held"    // by a worker: it runs, or is about to, or its worker has died
	StatePaused  State = "paused"  // a series that waits for Resume
)

// Query says what to list. Its zero value is the first hundred of everything.
type Query struct {
	Task  string // of this name; empty for all
	State State  // in this state; empty for all
	After uint64 // go on here: Next of the page before
	Limit int    // rows at most; 0 is 100, and 1,000 is the most
}

const (
	defaultLimit = 100
	mostLimit    = 1000
)

func (q Query) check(states ...State) (Query, error) {
	if q.Limit < 0 || q.Limit > mostLimit {
		return q, fmt.Errorf("%w: %d rows, and 1 to %d may be asked for", ErrInvalid, q.Limit, mostLimit)
	}
	if len(token(q.Task)) > longestName {
		return q, fmt.Errorf("%w: the name of task %.20q… is too long", ErrInvalid, q.Task)
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	for _, s := range states {
		if q.State == s {
			return q, nil
		}
	}
	if q.State != "" {
		return q, fmt.Errorf("%w: state %q; there are %q", ErrInvalid, q.State, states)
	}
	return q, nil
}

// TaskRow is a task that has no outcome yet. Series are listed by [Pool.Series].
type TaskRow struct {
	Task     string    `json:"task"`
	ID       string    `json:"id"`
	State    State     `json:"state"`
	Due      time.Time `json:"due,omitzero"`      // when it is to begin; zero for at once
	Planned  time.Time `json:"planned,omitzero"`  // when it was to begin first, if it waits again
	Stored   time.Time `json:"stored"`            // see [Pool.List]
	Attempt  int       `json:"attempt,omitzero"`  // that runs, or was the last; 0 for none known
	Failures int       `json:"failures,omitzero"` // attempts that have failed, see [Retry]
	Error    string    `json:"error,omitzero"`    // of the last of them
	Worker   string    `json:"worker,omitzero"`   // the instance of the worker that runs it
	Since    time.Time `json:"since,omitzero"`    // when that has begun it
	Size     int       `json:"size"`              // of the payload, in bytes
	Sequence uint64    `json:"sequence"`          // of its message on the server
}

// TaskPage is a page of tasks.
type TaskPage struct {
	Rows []TaskRow `json:"rows"`
	Next uint64    `json:"next,omitzero"` // for the After of the next page; 0 if there is no more
}

// List returns a page of the tasks that have no outcome yet, in the order in which the server has
// stored them: a task that waits for its time was stored when it was submitted, or has failed; one
// that is due, when it became so. A task that becomes due while a list is read moves to the end, so
// it may show twice, and none is left out that is there throughout.
//
// Which worker runs a task is known to some seconds, see [Pool.Workers]. A task is held that the
// server has given out: if no worker is named its worker has died, or has more than 64, or it
// waits there for its turn.
//
// What is rare in a queue is looked for among some ten thousand tasks for each page. So a page may
// have fewer rows than were asked for, or none, and be followed by others: Next tells.
//
// A page costs five requests or more: some milliseconds, and up to half a second for what is rare
// among a million. Errors are ErrInvalid and those of [Submit].
func (p *Pool) List(ctx context.Context, q Query) (page TaskPage, err error) {
	q, err = q.check(StateWaiting, StateBackoff, StateDue, StateHeld)
	if err == nil {
		err = p.list(ctx, "tasks", func(ctx context.Context) error {
			page = TaskPage{Rows: []TaskRow{}}
			return p.taskPage(ctx, q, &page)
		})
	}
	return page, err
}

func (p *Pool) taskPage(ctx context.Context, q Query, page *TaskPage) error {
	c, err := p.whereabouts(ctx)
	if err != nil {
		return err
	}
	how, over := "*", false
	switch q.State {
	case StateWaiting, StateBackoff:
		how = "arm"
	case StateDue, StateHeld:
		how = "run"
	}
	from, given := q.After, c.delivered(q.Task)
	if q.State == StateDue && q.Task != "" {
		from = max(from, given+1)
	}
	next, err := p.scan(ctx, p.on.kept(how, q.Task, true), from, c.expected(how, q.Task),
		func(m seen) bool {
			at := p.on.placeOfAny(m.subject)
			if at == sentinel {
				return true
			}
			if over = q.State == StateHeld && m.sequence > given; over {
				return false
			}
			if row := p.taskRow(c, at, m); q.State == "" || row.State == q.State {
				page.Rows = append(page.Rows, row)
			}
			return len(page.Rows) < q.Limit
		})
	if page.Next = next; over {
		page.Next = 0
	}
	return err
}

// taskRow is the row of a task's message.
func (p *Pool) taskRow(c *whereabouts, at place, m seen) TaskRow {
	row := TaskRow{Task: nameOf(at.task()), ID: at.id(), Due: dueOf(m.header), Stored: m.stored,
		Size: sizeOf(m), Sequence: m.sequence}
	row.Attempt, row.Failures = carriedAttempts(m.header).number, failuresOf(m.header).number
	row.Error, row.Planned = p.shown(row.Task, PartError, textOf(m.header.Get(headerError))), plannedOf(m.header)
	switch {
	case p.on.armed(m.subject) && row.Failures > 0:
		row.State = StateBackoff
	case p.on.armed(m.subject):
		row.State = StateWaiting
	default:
		row.State = c.state(at, m.sequence)
	}
	if runs, ok := c.running[runKeyOf(row.Task, row.ID)]; ok && row.State == StateHeld {
		row.Worker, row.Attempt, row.Since = runs.instance, runs.Attempt, runs.Since
	}
	return row
}

// sizeOf is the size of the payload of a message.
func sizeOf(m seen) int {
	if n, err := strconv.Atoi(m.header.Get(headerSize)); err == nil {
		return n
	}
	return len(m.data)
}

// headerSize is of a message of which only the headers are delivered.
const headerSize = "Nats-Msg-Size"
