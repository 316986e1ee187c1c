package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Overdue returns the series whose next run should have begun some time ago, or longer, and has
// not: the most overdue first. There is none of a series that is paused, or whose run is under way,
// for however long. Due is since when a run should have begun; of a series that was declared or
// resumed and that no worker has taken note of, since that at the earliest.
//
// After the death of a worker its runs are late by their [Lease], and after that of the leading
// server by some seconds: by less than half a minute tells of these, too. What a worker says of its
// runs is up to five seconds old: for so long a run may be listed that has begun at last, if its
// worker was busy.
//
// It reads the headers of all series once, which takes 0.1 to 0.3 s for 10,000, and up to three
// messages more of each that it returns. Errors are ErrInvalid and those of [Submit].
func (p *Pool) Overdue(ctx context.Context, by time.Duration) (rows []SeriesRow, err error) {
	if by < 0 {
		return nil, fmt.Errorf("%w: overdue by %v", ErrInvalid, by)
	}
	var found *survey
	err = p.list(ctx, "overdue series", func(ctx context.Context) (err error) {
		found, err = p.survey(ctx, by)
		return err
	})
	if err != nil {
		return nil, err
	}
	rows = make([]SeriesRow, len(found.overdue)) // not in the step above, which has to be short
	err = eachOf(found.overdue, func(i int, o overdue) (err error) {
		rows[i] = o.row
		rows[i].Last, err = p.lastRow(ctx, o.at)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cluster: pool %q: overdue series: %w", p.settings.name, err)
	}
	return rows, nil
}

// lastRow is the last run of a series, nil if none is known.
func (p *Pool) lastRow(ctx context.Context, at place) (*RanRow, error) {
	r, _, err := p.readRan(ctx, at)
	if err != nil || len(r.Runs) == 0 {
		return nil, err
	}
	last := r.Runs[len(r.Runs)-1]
	last.Error = p.shown(nameOf(at.task()), PartError, last.Error)
	return &last, nil
}

// survey is a census, and what is overdue by it.
type survey struct {
	all     map[place]*standing
	overdue []overdue
	now     time.Time
}

// overdue is a series whose run should have begun.
type overdue struct {
	at  place
	row SeriesRow
}

func (p *Pool) survey(ctx context.Context, by time.Duration) (*survey, error) {
	s := &survey{now: p.now()}
	limit := s.now.Add(-by)
	var err error
	if s.all, err = p.census(ctx, limit); err != nil {
		return nil, err
	}
	c, err := p.whereabouts(ctx) // after the census, so that what was given out meanwhile is known
	if err != nil {
		return nil, err
	}
	for at, of := range s.all {
		if !of.overdue(limit) {
			continue
		}
		if row, ok := p.seriesRow(c, of.message); ok {
			row.Due = of.begins
			s.overdue = append(s.overdue, overdue{at, row})
		}
	}
	if err := p.dropBegun(ctx, c, s); err != nil {
		return nil, err
	}
	slices.SortFunc(s.overdue, func(a, b overdue) int {
		if d := a.row.Due.Compare(b.row.Due); d != 0 {
			return d
		}
		return strings.Compare(a.at.tail, b.at.tail)
	})
	return s, nil
}

// dropBegun leaves out what has begun. Only what was given out to a worker can have.
func (p *Pool) dropBegun(ctx context.Context, c *whereabouts, s *survey) error {
	begun := make([]bool, len(s.overdue))
	err := eachOf(s.overdue, func(i int, o overdue) (err error) {
		if o.row.State == StateHeld {
			begun[i], err = p.begun(ctx, c, o, s.all[o.at].newest)
		}
		return err
	})
	left := s.overdue[:0]
	for i, o := range s.overdue {
		if !begun[i] {
			left = append(left, o)
		}
	}
	s.overdue = left
	return err
}

// begun tells whether the run of a series has begun, or is over.
func (p *Pool) begun(
	ctx context.Context, c *whereabouts, o overdue, newest uint64,
) (bool, error) {
	m, err := p.last(ctx, p.on.any(o.at))
	if err != nil || sequenceOf(m) != newest {
		return true, err // something has come of it
	}
	claim, live, err := p.claimOf(ctx, o.at, o.row.Sequence)
	if err != nil || !live {
		return false, err
	}
	for _, w := range c.workers {
		if w.ID == claim.worker {
			return w.isIn(o.row), nil
		}
	}
	return true, nil // of an earlier version, which does not tell of itself
}

// isIn tells whether a worker that has claimed the run of a series is in it. It has begun it if it
// had room, but may wait for that.
func (w *Worker) isIn(row SeriesRow) bool {
	return w.Busy < w.Size || w.Busy > len(w.Running) ||
		slices.ContainsFunc(w.Running, func(r RunningRow) bool {
			return r.Task == row.Task && r.Series == row.Series && r.Number == row.Number
		})
}

// eachOf calls a function for each of a list, for some at the same time.
func eachOf[E any](list []E, do func(i int, e E) error) error {
	var all sync.WaitGroup
	turn, errs := make(chan struct{}, 16), make([]error, len(list))
	for i, e := range list {
		turn <- struct{}{}
		all.Go(func() {
			defer func() { <-turn }()
			errs[i] = do(i, e)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
