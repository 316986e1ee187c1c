package run

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// A calendar is the user's, so it is asked without the lock, and may panic, end the goroutine, or
// take its time. What it has said is an outlook, and is used under the lock if the series has not
// moved meanwhile:
//
//	submission   the first slot
//	reckon       before the body: slots that have passed, which the run may stand for
//	lookAhead    after the body: what the next run is planned by
//	resumeDates  the slots that a pause has dropped
//	parted       the wall clock has been set back, so that slots come again

// ask answers a question about a calendar. If that panics, or ends the goroutine, *err says so,
// also to the deferred calls of the caller.
func ask(q series.Question, err *error) (out series.Outlook) {
	future.Invoke(context.Background(), func(context.Context) (failed error) {
		out, failed = q.Answer()
		return failed
	}, err)
	return out
}

// askFor is ask for a caller who is in no run of c, which could fail: the failure is reported.
func (w *WallWatch) askFor(c *cell.Cell, pl *Plan, q series.Question, err *error) series.Outlook {
	defer func() { // also if the calendar ends the goroutine
		if *err != nil {
			w.Report(w.views.DescribeWaiting(c, pl), *err)
		}
	}()
	return ask(q, err)
}
