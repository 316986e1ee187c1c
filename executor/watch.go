package executor

import (
	"fmt"
	"io"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/executor/internal/tape"
	"github.com/punctual-go/punctual/internal/series"
)

// Watch has a pool or event loop watched: how late runs begin and how long they take, and what else
// the [insight.Config] asks for, whose zero value measures only. [Pool.Insight] shows it. Several
// add up, as the Config says. Watch panics if a threshold is negative; and the pool or loop does
// when it is made, if it is to be recorded twice.
func Watch(c insight.Config) CommonOption {
	if c.ExplainLate < 0 || c.OnLateAfter < 0 {
		panic("executor: negative lateness")
	}
	return forLoops(func(s *run.Settings) {
		to := sight.ConfigOf(s)
		to.Measure, to.History = true, to.History || c.History
		if c.ExplainLate > 0 {
			to.ExplainBeyond(c.ExplainLate)
		}
		if c.OnLate != nil {
			to.Alarms = append(to.Alarms, sight.NewAlarm(c.OnLateAfter, c.OnLateInterval, c.OnLate))
		}
		if c.OnHealth != nil {
			to.OnHealth = append(to.OnHealth, c.OnHealth)
		}
		if c.Record != nil {
			record(to, c.Record)
		}
	})
}

func record(to *sight.Config, w io.Writer) {
	if to.Record != nil {
		panic("executor: two recordings of one executor: use an io.MultiWriter")
	}
	to.Observed = true
	to.Record = func(o *run.Owner) sight.Recorder { return tape.NewWriter(w, o) }
}

// Insight returns what is seen of the pool: with [Watch] its measurements and history, and always
// its health, see [Expect].
func (p *Pool) Insight() insight.View { return sight.Of(p.engine().Runs()).View() }

// Expvar returns a variable for expvar.Publish. Its text is a JSON object of the moment in which it
// is asked for: what [Pool.Stats] has and, with [Watch], how late runs have been and why, and how
// long they have taken. Times are integers that end in _ns. The names of the fields stay.
//
//	expvar.Publish("jobs", pool.Expvar())
//
// To ask it costs what Stats does. This package does not link expvar, which registers an http
// handler.
func (p *Pool) Expvar() fmt.Stringer { return sight.VarFunc(p.engine().Views.Vars) }

// History returns the last runs of a periodic task, the latest first, with those that have expired;
// none unless [Watch] asks for a history.
func (h Handle) History() []insight.PastRun {
	o, pl, ok := h.commanded()
	if !ok {
		return nil
	}
	return sight.Of(o).Trail(pl)
}

// taskHealthLocked returns whether what is expected of a task holds, or nil if nothing is.
func taskHealthLocked(o *run.Owner, pl *run.Plan) *insight.TaskHealth {
	return sight.Of(o).TaskLocked(pl)
}

// Expect says what is expected of a task; the health of its pool tells whether it holds, see
// [insight.View]. To be listed there by name, a task needs a [Name].
func Expect(expectations ...insight.Expectation) TaskOption {
	return taskOption(func(o *series.Options) error {
		for _, expects := range expectations {
			if expects == nil {
				return invalid("expectation is nil")
			}
			if err := expects(o); err != nil {
				return invalid("%v", err)
			}
		}
		return nil
	})
}
