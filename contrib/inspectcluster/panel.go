package inspectcluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
)

// Options are what a panel may be told. The zero Options are good.
type Options struct {
	// Payloads shows the payloads of tasks and series to those who may act, as cluster.Redact
	// leaves them. Without it nobody sees them.
	Payloads bool

	// OverdueBy is by how much a series is overdue before it is wrong, 30 s for 0. Less also tells
	// of runs that are late because a worker has just died.
	OverdueBy time.Duration

	// DueFor is for how long a task may be due before it is wrong, a minute for 0.
	DueFor time.Duration

	// By says who acts, from the context of the request: for the audit, which else has only the
	// process. It stands there for what is done to tasks. Series have their commands noted by
	// package cluster.
	By func(context.Context) string

	// Refresh is how long an answer is kept while it is looked at, 5 s for 0.
	Refresh time.Duration
}

// New returns the panel of a pool. It panics if that is nil, or a duration is negative.
func New(p *cluster.Pool, opts Options) panel.Source {
	if p == nil {
		panic("inspectcluster: nil pool")
	}
	if opts.OverdueBy < 0 || opts.DueFor < 0 || opts.Refresh < 0 {
		panic("inspectcluster: negative duration")
	}
	if opts.OverdueBy == 0 {
		opts.OverdueBy = 30 * time.Second
	}
	if opts.DueFor == 0 {
		opts.DueFor = time.Minute
	}
	return &source{p, opts}
}

// source is the panel of a pool.
type source struct {
	pool *cluster.Pool
	opts Options
}

// The lists of a panel.
const (
	theTasks   = "tasks"
	theFailed  = "failed"
	theSeries  = "series"
	theWorkers = "workers"
	theAudit   = "audit"
	theNames   = "name" // of tasks; each has a view, and there is no list
)

func (s *source) About() panel.About {
	return panel.About{Name: s.pool.Name(), Kind: "cluster pool", Refresh: s.opts.Refresh,
		Lists: []panel.List{
			{Name: theTasks, Title: "Tasks"}, {Name: theFailed, Title: "Failed"},
			{Name: theSeries, Title: "Series"}, {Name: theWorkers, Title: "Workers"},
			{Name: theAudit, Title: "Audit"}, {Name: theNames, Title: "Names", Hidden: true},
		}}
}

func (s *source) Read(ctx context.Context, at panel.Query) (v panel.View, err error) {
	after, err := cursor(at.After)
	if err != nil {
		return v, err
	}
	switch {
	case at.List == "":
		v, err = s.overview(ctx)
	case at.List == theTasks && at.ID == "":
		v, err = s.tasks(ctx, at, after)
	case at.List == theTasks:
		v, err = s.task(ctx, at.ID)
	case at.List == theFailed && at.ID == "":
		v, err = s.failed(ctx, at, after)
	case at.List == theFailed:
		v, err = s.failedTask(ctx, at.ID)
	case at.List == theSeries && at.ID == "":
		v, err = s.series(ctx, at, after)
	case at.List == theSeries:
		v, err = s.oneSeries(ctx, at.ID)
	case at.List == theWorkers && at.ID == "":
		v, err = s.workers(ctx)
	case at.List == theAudit && at.ID == "":
		v, err = s.audit(ctx)
	case at.List == theNames && at.ID != "":
		v, err = s.name(ctx, at.ID)
	default:
		err = panel.ErrNotFound
	}
	if errors.Is(err, cluster.ErrInvalid) { // the address was written by hand
		err = fmt.Errorf("%w: %w", panel.ErrNotFound, err)
	}
	return v, explained(err)
}

// explained is an error as the page knows it.
func explained(err error) error {
	switch {
	case errors.Is(err, cluster.ErrGone), errors.Is(err, cluster.ErrNoSeries):
		return fmt.Errorf("%w: %w", panel.ErrNotFound, err)
	case errors.Is(err, cluster.ErrPermission):
		return fmt.Errorf("%w: %w", panel.ErrDenied, err)
	}
	return err
}

// onPage is how many rows a page has, and fewOnPage of lists of which a row costs more.
const (
	onPage    = 100
	fewOnPage = 50
)

// cursor reads where a page begins.
func cursor(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: no page begins at %.20q", panel.ErrNotFound, text)
	}
	return n, nil
}

// next is the cursor of the next page; empty if there is none.
func next(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// seriesID is the address of a series: the names of its task and of itself, which may be anything.
func seriesID(task, series string) string {
	return url.QueryEscape(task) + "/" + url.QueryEscape(series)
}

// seriesOf reads an address of a series.
func seriesOf(id string) (task, series string, err error) {
	task, series, _ = strings.Cut(id, "/")
	task, err1 := url.QueryUnescape(task)
	series, err2 := url.QueryUnescape(series)
	if err1 != nil || err2 != nil || seriesID(task, series) != id {
		return "", "", panel.ErrNotFound
	}
	return task, series, nil
}

// aName is the name of a task, with a way to what there is of it.
func aName(task string) panel.Value {
	if task == "" {
		return panel.Value{}
	}
	return panel.Name(task).To(theNames, task)
}

func aSeries(task, series string) panel.Value {
	return panel.Name(series).To(theSeries, seriesID(task, series))
}

func aTask(id string) panel.Value { return panel.Name(id).To(theTasks, id) }

// word is a text, or nothing.
func word(text string) panel.Value {
	if text == "" {
		return panel.Value{}
	}
	return panel.Name(text)
}

// aTime is a time as the process's own clock shows it, as all times of pools on the page.
func aTime(t time.Time) panel.Value { return panel.Time(t.Local()) }

// many is a count; nothing for 0.
func many(n uint64) panel.Value {
	if n == 0 {
		return panel.Value{}
	}
	return panel.Count(n)
}

// facts are those that there are: names and values by turns.
type facts []panel.Fact

func (f *facts) add(name string, v panel.Value) {
	if v.Kind != panel.KindNone {
		*f = append(*f, panel.Fact{Name: name, Value: v})
	}
}

// payload is the text of one, for those who may act, if it is to be shown at all.
func (s *source) payload(text string) []panel.Text {
	if !s.opts.Payloads {
		return nil
	}
	return []panel.Text{{Title: "Payload", Body: text, Private: true}}
}
