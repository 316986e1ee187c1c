package run

import (
	"context"
	"errors"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// errOutside is the error of a run whose decorators have hidden its context.
var errOutside = errors.New("executor: a run is kept only if its task gets the context of the run")

// Kept returns what an executor runs for a task of a series with these options.
func Kept(o *series.Options, task func(context.Context) error) func(context.Context) error {
	keeper := o.Past.Keeper()
	if keeper == nil {
		return task
	}
	return func(ctx context.Context) error {
		switch attempt, planned, ok := attemptIn(ctx); {
		case !ok:
			return errOutside
		case !planned:
			return task(ctx)
		default:
			return keeper.Run(ctx, attempt, task)
		}
	}
}

// attemptIn returns the attempt in progress with a context, and whether it is one at a planned run:
// an extra one has no slot. It reports false if there is none.
func attemptIn(ctx context.Context) (a series.Attempt, planned, ok bool) {
	ok = cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil {
			return false // run by hand, inside of a run of ours
		}
		host, ours := c.Plan.Host.(interface {
			Plan(c *cell.Cell) (*Owner, *Plan)
		})
		if ours {
			o, pl := host.Plan(c)
			a, planned = o.attempt(pl)
		}
		return ours
	})
	return a, planned, ok
}

// attempt returns the attempt in progress, and whether it is one at a planned run.
func (v *Views) attempt(pl *Plan) (a series.Attempt, planned bool) {
	v.Lock.Lock()
	defer v.Lock.Unlock()
	slot, planned := pl.Slot()
	a = series.Attempt{Series: pl, Name: pl.Name, Slot: v.Clock.Time(slot), Again: pl.Attempt() > 1}
	if pl.Dates != nil {
		a.Slot = pl.Dates.Slot()
	}
	return a, planned
}
