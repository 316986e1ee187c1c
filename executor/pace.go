package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/submitter"
)

// Pace bounds how often tasks start: at most n in any span of the length per, wherever that begins.
// Given to a pool it is for all its tasks; given to serial.New or serial.NewKeyed, for those of the
// serial executor, or of each key. What may not start yet waits in the queue, in its order, and
// holds no worker. Attempts of [Retry] count, and wait for their turn. So does a task that a run in
// progress waits for. A submitter that is to run its task itself, see [rejection.CallerRuns], waits
// until it may. A shutdown that keeps what is due, such as [Pool.Close], keeps what only waits for
// the pace: it takes as long as that. Pace panics unless n and per are positive; a span that ends
// after the end of the clock, 292 years, never ends. It takes up to 16 bytes for each start in a
// span.
//
// Some rate limiters let n tasks start at once after a rest and others right behind them, twice as
// many in a span; this one does not.
func Pace(n int, per time.Duration) interface {
	Option
	laneOption
} {
	if n < 1 || per <= 0 {
		panic("executor: a pace needs a positive number and a positive time")
	}
	return paceOption{n, per}
}

type laneOption = submitter.LaneOption

type paceOption struct {
	n   int
	per time.Duration
}

func (o paceOption) configure(s *settings)   { s.Pace = engine.NewPace(o.n, o.per) }
func (o paceOption) Lane() engine.LaneOption { return engine.Paced(o.n, o.per) }
