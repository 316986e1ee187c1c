package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// A series may go on after what there was of it before it began here: before the process was
// started. A [series.Source] knows that; a [series.Keeper] is told of each run for the next time.

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

// goOn is CheckBounds for a series with a period that goes on after what there was of it. If
// nothing is known of that, it begins after the initial delay.
func (m *Maker) goOn(pl *Plan, initial time.Duration) error {
	b, err := m.before(pl)
	if err != nil {
		return err
	}
	now := m.moment()
	if b == nil {
		first := clock.Later(now.Now, initial)
		if pl.Series.Ends(first) {
			return m.neverBegins(pl)
		}
		return m.begins(pl, pl.Fresh(first, now))
	}
	pl.GoOn(b, now)
	pl.noticed = now.Now // nothing is late before that
	if pl.Over(now.Now) {
		return m.neverBegins(pl)
	}
	return nil
}

// begins has it kept that a series begins of which nothing is known, after the given time: else its
// first run would not be missed if the process ended before that.
func (m *Maker) begins(pl *Plan, after time.Time) error {
	keeper := pl.Past.Keeper()
	if keeper == nil {
		return nil
	}
	if err := keeper.Begins(pl.Name, after); err != nil {
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
