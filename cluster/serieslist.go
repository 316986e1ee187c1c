package cluster

import (
	"context"
	"fmt"
	"time"
)

// SeriesRow is a series, and what comes next of it.
type SeriesRow struct {
	Task   string    `json:"task"`
	Series string    `json:"series"`
	State  State     `json:"state"`  // of its next run, or StatePaused
	Number uint64    `json:"number"` // of that run
	Due    time.Time `json:"due,omitzero"`

	// How its times follow each other: the period or delay, or the text of the calendar.
	Kind     string        `json:"kind"` // "rate", "delay" or "calendar"
	Every    time.Duration `json:"every,omitzero"`
	Calendar string        `json:"calendar,omitzero"` // empty if an earlier version has stored it
	CatchUp  string        `json:"catchUp"`           // "skip", "coalesce" or "burst"

	Missed     uint64 `json:"missed,omitzero"` // times before this one that have passed without a run
	Triggered  bool   `json:"triggered,omitzero"`
	Generation uint64 `json:"generation,omitzero"`

	// Upcoming are its next times from Due on, at most five; none if it is paused. Those of a
	// fixed delay take it that runs take no time. Of a calendar they are what the process knew that
	// has stored the run.
	Upcoming []time.Time `json:"upcoming,omitempty"`

	// Of a run that is held, as far as it is known: see [Pool.List].
	Attempt int       `json:"attempt,omitzero"`
	Worker  string    `json:"worker,omitzero"`
	Since   time.Time `json:"since,omitzero"`

	Last *RanRow `json:"last,omitempty"` // the run that has ended last; nil for none known

	Stored   time.Time `json:"stored"`
	Size     int       `json:"size"` // of the payload, in bytes
	Sequence uint64    `json:"sequence"`

	queued bool // behind others, perhaps: what is newer of the series has a row of its own
}

// SeriesPage is a page of series.
type SeriesPage struct {
	Rows []SeriesRow `json:"rows"`
	Next uint64      `json:"next,omitzero"` // for the After of the next page; 0 if there is no more
}

// Series returns a page of the series, in the order in which the server has stored what comes next
// of them: the one that has run last is the last. So one that runs while a list is read may show
// twice. The states are StateWaiting, StateDue, StateHeld and StatePaused.
//
// A page costs some requests, and one or two for each row: ten milliseconds or more. Errors are
// ErrInvalid and those of [Submit].
func (p *Pool) Series(ctx context.Context, q Query) (page SeriesPage, err error) {
	q, err = q.check(StateWaiting, StateDue, StateHeld, StatePaused)
	if err == nil {
		err = p.list(ctx, "series", func(ctx context.Context) error {
			page, err = p.seriesPage(ctx, q)
			return err
		})
	}
	return page, err
}

func (p *Pool) seriesPage(ctx context.Context, q Query) (page SeriesPage, err error) {
	page.Rows = []SeriesRow{}
	c, err := p.whereabouts(ctx)
	if err != nil {
		return page, err
	}
	how := "*"
	switch q.State {
	case StateWaiting, StatePaused:
		how = "arm"
	case StateDue, StateHeld:
		how = "run"
	}
	page.Next, err = p.scan(ctx, p.on.kept(how, q.Task, false), q.After, 0, func(m seen) bool {
		row, ok := p.seriesRow(c, m)
		if ok && (q.State == "" || row.State == q.State) {
			page.Rows = append(page.Rows, row)
		}
		return len(page.Rows) < q.Limit
	})
	if err == nil {
		err = p.completeSeries(ctx, c, &page)
	}
	return page, err
}

// seriesRow is the row of a series by what its message says. ok is false for none.
func (p *Pool) seriesRow(c *whereabouts, m seen) (row SeriesRow, ok bool) {
	if isTombstone(m.header) {
		return row, false
	}
	at := p.on.placeOfAny(m.subject)
	row = SeriesRow{Task: nameOf(at.task()), Series: at.seriesName(), Stored: m.stored,
		Size: sizeOf(m), Sequence: m.sequence, queued: !p.on.armed(m.subject)}
	l, err := readLink(m.header)
	if err != nil { // of a later version, perhaps
		row.State = StateWaiting
		if !p.on.armed(m.subject) {
			row.State = c.state(at, m.sequence)
		}
		return row, true
	}
	row.show(l)
	switch {
	case l.do == doPause:
		row.State, row.Due, row.Upcoming = StatePaused, time.Time{}, nil
	case p.on.armed(m.subject), l.do != doRun: // or a command, which soon makes it wait
		row.State = StateWaiting
	default:
		row.State = c.state(at, m.sequence)
	}
	return row, true
}

// show writes what a link says to a row.
func (row *SeriesRow) show(l link) {
	row.Number, row.Due, row.Missed, row.Generation = l.number, l.due, l.missed, l.generation
	row.Kind, row.Every, row.CatchUp = l.cadence.kind, l.cadence.every, catchUpNames[l.cadence.catchUp]
	row.Calendar, row.Triggered = l.upcoming.text, !l.then.IsZero()
	row.Upcoming = l.nextTimes()
}

// nextTimes are the next times of a series, from the one of the link on.
func (l link) nextTimes() []time.Time {
	list := []time.Time{l.due}
	last := l.due
	if !l.then.IsZero() {
		list, last = append(list, l.then), l.then
	}
	for len(list) < mostUpcoming {
		next := l.upcoming.Next(last)
		if l.cadence.kind != onCalendar {
			next = last.Add(l.cadence.every)
		}
		if next.IsZero() {
			break
		}
		list, last = append(list, next), next
	}
	return list
}

// completeSeries asks for what the messages of a page do not say, at the same time for all: whether
// a run is the newest of its series, or a command is behind it, and how the last run has ended.
func (p *Pool) completeSeries(
	ctx context.Context, c *whereabouts, page *SeriesPage,
) error {
	old := make([]bool, len(page.Rows))
	err := eachOf(page.Rows, func(i int, _ SeriesRow) (err error) {
		old[i], err = p.completeRow(ctx, c, &page.Rows[i])
		return err
	})
	if err != nil {
		return err
	}
	rows := page.Rows[:0]
	for i, row := range page.Rows {
		if !old[i] {
			rows = append(rows, row)
		}
	}
	page.Rows = rows
	return nil
}

// completeRow completes a row. old tells that something newer of its series is on the queue, which
// has a row of its own.
func (p *Pool) completeRow(ctx context.Context, c *whereabouts, row *SeriesRow) (old bool, err error) {
	at := seriesPlace(row.Task, row.Series)
	due := row.State == StateDue || row.State == StateHeld
	if row.queued {
		newest, err := p.last(ctx, p.on.any(at))
		if err != nil || sequenceOf(newest) > row.Sequence {
			return true, err
		}
	}
	for _, w := range c.workers {
		for _, r := range w.Running {
			if due && r.Task == row.Task && r.Series == row.Series && r.Number == row.Number {
				row.State, row.Attempt, row.Since, row.Worker = StateHeld, r.Attempt, r.Since, w.Instance
			}
		}
	}
	row.Last, err = p.lastRow(ctx, at)
	return false, err
}

// SeriesDetail is a series, its payload, and the runs that have ended.
type SeriesDetail struct {
	SeriesRow
	Payload string   `json:"payload"`
	Ran     []RanRow `json:"ran"` // the last twenty runs, the last one first
}

// SeriesDetail returns what there is of one series, by the names of its task and of itself. One
// that has ended is [ErrNoSeries], see [Pool.History] for its runs. It costs some requests.
func (p *Pool) SeriesDetail(ctx context.Context, task, series string) (d SeriesDetail, err error) {
	if err := checkNames(task, series); err != nil {
		return d, err
	}
	at := seriesPlace(task, series)
	err = p.list(ctx, "series "+series, func(ctx context.Context) error {
		c, err := p.whereabouts(ctx)
		if err != nil {
			return err
		}
		newest, err := p.last(ctx, p.on.any(at))
		if err != nil {
			return err
		}
		if newest == nil {
			return ErrNoSeries
		}
		row, ok := p.seriesRow(c, seen{newest.Subject, newest.Header, newest.Data, newest.Sequence,
			newest.Time})
		if !ok {
			return ErrNoSeries
		}
		d.SeriesRow, d.Payload = row, p.shown(task, PartPayload, string(newest.Data))
		if _, err := p.completeRow(ctx, c, &d.SeriesRow); err != nil {
			return err
		}
		if err := p.holder(ctx, at, &d.SeriesRow); err != nil {
			return err
		}
		d.Ran, err = p.history(ctx, at)
		return err
	})
	return d, err
}

// holder finds who has the run of a series: its claim is newer than the workers' records.
func (p *Pool) holder(ctx context.Context, at place, row *SeriesRow) error {
	if row.State != StateDue && row.State != StateHeld || row.Worker != "" {
		return nil
	}
	claim, live, err := p.claimOf(ctx, at, row.Sequence)
	if live {
		row.State, row.Worker, row.Attempt = StateHeld, instanceOf(claim.worker), claim.attempt
	}
	return err
}

// claimOf reads the claim of a series. It is live if it is one of the message of a sequence, and its
// lease is not over.
func (p *Pool) claimOf(
	ctx context.Context, at place, sequence uint64,
) (c claimed, live bool, err error) {
	m, err := p.results.last(ctx, p.results.subject("hold."+at.tail))
	if err != nil || m == nil {
		return c, false, err
	}
	c, err = readClaim(m.Data)
	if err != nil {
		return c, false, nil //nolint:nilerr // of a later version, perhaps
	}
	return c, c.sequence == sequence && p.age(m.Time) < c.lease, nil
}

// History returns the last runs of a series, twenty at most, the last one first. A series that has
// ended keeps them for 400 days; one that is declared anew goes on with them. It costs one request.
// Runs of workers of earlier versions are not there, nor are the last ones of a worker that was
// killed as they ended. Errors are ErrInvalid and those of [Submit].
func (p *Pool) History(ctx context.Context, task, series string) (list []RanRow, err error) {
	if err := checkNames(task, series); err != nil {
		return nil, err
	}
	err = p.list(ctx, "runs of series "+series, func(ctx context.Context) error {
		list, err = p.history(ctx, seriesPlace(task, series))
		return err
	})
	return list, err
}

func (p *Pool) history(ctx context.Context, at place) ([]RanRow, error) {
	r, _, err := p.readRan(ctx, at)
	list := []RanRow{}
	for i := len(r.Runs) - 1; i >= 0; i-- {
		run := r.Runs[i]
		run.Error = p.shown(nameOf(at.task()), PartError, run.Error)
		list = append(list, run)
	}
	return list, err
}

// checkNames refuses names that no series can have.
func checkNames(task, series string) error {
	switch {
	case task == "":
		return fmt.Errorf("%w: a task without a name", ErrInvalid)
	case series == "":
		return fmt.Errorf("%w: a series of task %.60q without a name", ErrInvalid, task)
	case len(token(task)) > longestName:
		return fmt.Errorf("%w: the name of task %.20q… is too long", ErrInvalid, task)
	case len(token(series)) > longestName:
		return fmt.Errorf("%w: the name of series %.20q… is too long", ErrInvalid, series)
	}
	return nil
}
