package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A task that has failed for good is kept, with its payload, to be run again or discarded:
//
//	failed   -> kept       no attempt is left for it: before its outcome is recorded
//	kept     -> redriven   it is stored anew, as another task with an ID of its own, see redrive.go
//	kept     -> discarded
//	kept     -> gone       after KeepFailed
//	kept     -> dropped    its outcome is another: its worker died before it had recorded it, and the
//	                       next attempt has succeeded, or the task was cancelled
//
// It is kept before the outcome, so that a process which learns of the failure finds it here. The
// set is a stream, with one letter for each task, see letter.go. What is kept there is not on the
// queue, and does not keep a key of Once.

// Failed is a task that has failed for good, or a run of a series that has killed its workers.
type Failed struct {
	Task string `json:"task"` // its name
	ID   string `json:"id"`   // of its future; of a run of a series, the name of it in the failed set

	Series string `json:"series,omitempty"` // empty for a task that runs once
	Number uint64 `json:"number,omitempty"` // of the run of the series

	Kind     string    `json:"kind"`               // error, panic, abandoned or undecodable
	Error    string    `json:"error"`              // its text, cut off if it is long
	Attempts int       `json:"attempts"`           // in all, lost ones too
	Instance string    `json:"instance,omitempty"` // the process of the last one, if that is known
	Planned  time.Time `json:"planned,omitzero"`   // when it was to run first
	At       time.Time `json:"at"`                 // when it had failed for good

	RedriveOf string `json:"redriveOf,omitempty"` // the ID of the failed task in whose place it ran
	Payload   []byte `json:"payload"`             // as the task's codec has written it

	// Sequence is its place in the failed set, which grows from row to row.
	Sequence uint64 `json:"sequence"`
}

// FailedFilter says which tasks of the failed set are meant: those of a name, those of some IDs, or
// those of both. For [Pool.Redrive] and [Pool.Discard] a filter without either has to say All.
type FailedFilter struct {
	Task string   `json:"task,omitempty"`
	IDs  []string `json:"ids,omitempty"`
	All  bool     `json:"all,omitempty"`
}

// FailedPage is a part of the failed set, the oldest first.
type FailedPage struct {
	Rows  []Failed `json:"rows"`
	Total uint64   `json:"total"`          // how many there are, on all pages
	Next  uint64   `json:"next,omitempty"` // what to ask for the next page with; 0 after the last
}

// mostRows is how many rows a page has at most, and unless told.
const (
	mostRows = 1000
	someRows = 100
)

// Failed returns a page of the failed set: after is 0 for the first page, and Next of the page
// before for another. A page has up to most rows, at most 1,000; 0 means 100. A filter without a
// name and IDs means all. It costs a few questions, however many tasks there are, and one for each
// ID. Errors are those of [Submit].
func (p *Pool) Failed(
	ctx context.Context, of FailedFilter, after uint64, most int,
) (page FailedPage, err error) {
	switch most = cmp.Or(most, someRows); {
	case most < 0 || most > mostRows:
		err = fmt.Errorf("%w: a page of %d rows, and it has up to %d", ErrInvalid, most, mostRows)
	case of.IDs != nil:
		page, err = p.failedByID(ctx, of, after, most)
	default:
		page, err = p.failedPage(ctx, of, after, most)
	}
	if err != nil {
		return FailedPage{}, fmt.Errorf("cluster: pool %q: the failed set: %w", p.settings.name, err)
	}
	for i, f := range page.Rows {
		page.Rows[i] = f.redacted(p)
	}
	return page, nil
}

func (p *Pool) failedPage(
	ctx context.Context, of FailedFilter, after uint64, most int,
) (page FailedPage, err error) {
	err = p.persist(ctx, "reading the failed set", func(ctx context.Context) error {
		page = FailedPage{}
		v, err := p.viewFailed(ctx, of, after, min(most, atATime))
		if err != nil {
			return err
		}
		defer v.close()
		if page.Total = v.pending; after > 0 {
			if page.Total, err = p.countFailed(ctx, of); err != nil {
				return err
			}
		}
		for len(page.Rows) < most && v.pending > 0 {
			rows, err := p.nextFailed(ctx, v, min(most-len(page.Rows), atATime))
			if err != nil {
				return err
			}
			page.Rows = append(page.Rows, rows...)
		}
		if n := len(page.Rows); n > 0 && v.pending > 0 {
			page.Next = page.Rows[n-1].Sequence
		}
		return nil
	})
	return page, err
}

// atATime is how many rows are read at a time: each may have as many bytes as the server takes.
const atATime = 50

// viewFailed begins to look at the failed set behind a place in it. What is put into it or taken out
// meanwhile may show or not.
func (p *Pool) viewFailed(
	ctx context.Context, of FailedFilter, after uint64, n int,
) (*view, error) {
	subject := p.on.allDead()
	if of.Task != "" {
		subject = p.on.dead(of.Task, ">")
	}
	return p.view(ctx, p.dead, after+1, n, false, subject)
}

// nextFailed returns up to n rows, none if there are no more.
func (p *Pool) nextFailed(ctx context.Context, v *view, n int) (rows []Failed, err error) {
	messages, err := v.next(ctx, n)
	for _, m := range messages {
		f := p.readFailed(m.subject, m.header, m.data)
		f.Sequence, f.At = m.sequence, m.stored.UTC()
		rows = append(rows, f)
	}
	return rows, err
}

func (p *Pool) countFailed(ctx context.Context, of FailedFilter) (uint64, error) {
	v, err := p.viewFailed(ctx, of, 0, 1)
	if err != nil {
		return 0, err
	}
	v.close()
	return v.pending, nil
}

func (p *Pool) failedByID(
	ctx context.Context, of FailedFilter, after uint64, most int,
) (page FailedPage, err error) {
	for _, id := range of.IDs {
		f, err := p.failedOf(ctx, of.Task, id)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return page, err
		}
		page.Rows = append(page.Rows, f)
	}
	slices.SortFunc(page.Rows, func(a, b Failed) int { return cmp.Compare(a.Sequence, b.Sequence) })
	same := func(a, b Failed) bool { return a.Sequence == b.Sequence }
	page.Rows = slices.CompactFunc(page.Rows, same)
	page.Total = uint64(len(page.Rows))
	page.Rows = slices.DeleteFunc(page.Rows, func(f Failed) bool { return f.Sequence <= after })
	if most = min(most, len(page.Rows)); most < len(page.Rows) {
		page.Rows = page.Rows[:most]
		page.Next = page.Rows[most-1].Sequence
	}
	return page, nil
}

// failedOf finds a task of the failed set by its ID, and by its name if that is given. It is ErrGone
// if it is not there.
func (p *Pool) failedOf(ctx context.Context, task, id string) (f Failed, err error) {
	if !validFailedID(id) {
		return f, fmt.Errorf("%w: %.60q is not the ID of a failed task", ErrInvalid, id)
	}
	subject := p.on.prefix + "dead.*." + id
	if task != "" {
		subject = p.on.dead(task, id)
	}
	err = p.persist(ctx, "reading the failed set", func(ctx context.Context) error {
		m, err := p.dead.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return fmt.Errorf("%w: no failed task has the ID %s", ErrGone, id)
		}
		if err == nil {
			f = p.readFailed(m.Subject, m.Header, m.Data)
			f.Sequence, f.At = m.Sequence, m.Time.UTC()
		}
		return err
	})
	return f, err
}

// validFailedID tells whether an ID can be one in the failed set: that of a future, or the name of a
// run of a series.
func validFailedID(id string) bool {
	series, ok := strings.CutPrefix(id, "s.")
	if !ok {
		return validID(id)
	}
	name, number, _ := strings.Cut(series, ".")
	return plainName(strings.ReplaceAll(name, "=", "")) && name != "" && len(id) <= 2*longestName &&
		number != "" && plainName(number)
}
