package run

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// A series may go on after what there was of it before it began here: before the process was
// started. A [series.Past] knows that; a [series.Keeper] is told of each run for the next time.

// before returns what there was of a series, or nil.
func (m *Maker) before(pl *Plan) (*series.Before, error) {
	if pl.Past == nil {
		return nil, nil
	}
	b, err := pl.Past.Before(m.Host, pl.Name)
	if err != nil {
		return nil, m.Refusal(pl.Name, "what there was of the series is not known: "+err.Error(), err)
	}
	return b, nil
}

// goOn has a series with a period go on after what there was of it. It reports false if nothing
// is known of that.
func (m *Maker) goOn(pl *Plan) (goesOn bool, err error) {
	b, err := m.before(pl)
	if b == nil || err != nil {
		return false, err
	}
	now := m.moment()
	pl.GoOn(b, now)
	pl.noticed = now.Now // nothing is late before that
	if pl.Over(now.Now) {
		return true, m.neverBegins(pl)
	}
	return true, nil
}

// begins has it kept that a series begins of which nothing is known, after the given time: else its
// first run would not be missed if the process ended before that.
func (m *Maker) begins(pl *Plan, after time.Time) error {
	if err := pl.keeping.begins(pl, after); err != nil {
		return m.Refusal(pl.Name, "the begin of the series is not kept: "+err.Error(), err)
	}
	return nil
}

// firstOutlook asks the calendar of a series for its first slots. If something is known of what
// there was of it, these may have passed.
func (m *Maker) firstOutlook(
	pl *Plan, b *series.Before, now series.Moment,
) (out series.Outlook, err error) {
	if b != nil {
		older := pl.Older(b, now)
		if out, err = older.Answer(); err != nil {
			return out, err
		}
		pl.Drop(older, out)
	}
	return pl.AskAgain(now.Wall).Answer()
}

// errOutside is the error of a run whose decorators have hidden its context.
var errOutside = errors.New("executor: a run is kept only if its task gets the context of the run")

// Kept returns what an executor runs for a task of a series with these options.
func Kept(o *series.Options, task func(context.Context) error) func(context.Context) error {
	keeper, ok := o.Past.(series.Keeper)
	if !ok {
		return task
	}
	return func(ctx context.Context) error {
		var pl *Plan
		cell.Within(ctx, func(c *cell.Cell) bool {
			if c.Plan == nil {
				return false // run by hand, inside of a run of ours
			}
			h, ok := c.Plan.Host.(Host)
			if ok {
				pl = h.PlanOf(c)
			}
			return ok
		})
		if pl == nil || pl.keeping == nil {
			return errOutside
		}
		attempt, planned := pl.keeping.attempt(pl)
		if !planned {
			return task(ctx)
		}
		return keeper.Run(ctx, attempt, task)
	}
}

// kept is how a keeper keeps the runs of series.
type kept struct {
	*Env
	keeper series.Keeper
}

// newKeeping returns how the runs of series with these options are kept; nil if they are not.
func (m *Maker) newKeeping(o *series.Options) keeping {
	if k, ok := o.Past.(series.Keeper); ok {
		return &kept{m.Env, k}
	}
	return nil
}

func (k *kept) begins(pl *Plan, after time.Time) error { return k.keeper.Begins(pl.Name, after) }
func (k *kept) ended(pl *Plan) error                   { return k.keeper.Ended(pl.Name) }

// attempt returns the attempt in progress. It reports false for one at an extra run, which has no
// slot.
func (k *kept) attempt(pl *Plan) (a series.Attempt, planned bool) {
	k.Lock.Lock()
	defer k.Lock.Unlock()
	slot, planned := pl.Slot()
	a = series.Attempt{Series: pl, Name: pl.Name, Slot: k.Clock.Time(slot), Again: pl.Attempt() > 1}
	if pl.Dates != nil {
		a.Slot = pl.Dates.Slot()
	}
	return a, planned
}
