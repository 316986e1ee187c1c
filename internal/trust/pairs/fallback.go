package pairs

import (
	"errors"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/fallback"
	"github.com/punctual-go/punctual/future"
)

// checkFallbackLocked checks that a fallback of the task, which has ended, has its value if the
// task was too late, and else its outcome.
func (a *audit) checkFallbackLocked(r *record) {
	switch {
	case r.future != nil:
		checkFallback(a, r, r.future, struct{}{})
	case r.typed != nil:
		checkFallback(a, r, r.typed, -1)
	}
}

func checkFallback[V comparable](a *audit, r *record, f *future.Future[V], value V) {
	v := fallback.New(f, value)
	own, _ := f.Poll()
	shown, _ := v.Poll()
	if !v.TooLate() {
		if shown != own {
			a.found.lost("%v: a fallback shows %v in place of %v", r, shown, own)
		}
		// A body may have the error of another, for which it waited.
		if expires := errors.Is(own.Err, executor.ErrExpired) && len(r.bodies) == 0 &&
			r.t.way.way&(seriesWays|bulkWays) == 0; expires {
			a.found.lost("%v: no fallback, though it has expired: %v", r, own.Err)
		}
		return
	}
	late := errors.Is(own.Err, future.ErrTimeout) || errors.Is(own.Err, executor.ErrExpired)
	if !late || f.State() != future.StateFailed || shown != (future.Result[V]{Value: value}) {
		a.found.lost("%v: a fallback shows %v in place of %v", r, shown, own)
	}
}
