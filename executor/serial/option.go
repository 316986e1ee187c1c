package serial

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/submitter"
)

// Option configures a [Serial] or a [Keyed]: [Gap], or [executor.Pace], which pools take too. A bad
// value is a mistake in the program, so it panics.
type Option interface{ option }

type option = submitter.LaneOption

// Gap keeps a serial executor, or each key, idle for d between the end of a task and the start of
// the next. Between two attempts of one task, see [executor.Retry], it keeps nothing up; the gap
// follows the last of them, also if the task is cancelled after it. What waits for the gap to pass
// is in time: Close of the pool waits for it, and a run that waits for such a task goes on only
// after it. Gap panics if d is negative; a gap that ends after the end of the clock, 292 years,
// never ends.
func Gap(d time.Duration) Option {
	if d < 0 {
		panic("serial: negative gap")
	}
	return gap(d)
}

type gap time.Duration

func (g gap) Lane() engine.LaneOption { return engine.Spaced(time.Duration(g)) }

// lanesOf returns the options as the engine knows them. None of them may be nil.
func lanesOf(opts []Option) []engine.LaneOption {
	lanes := make([]engine.LaneOption, len(opts))
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("serial: option %d is nil", i))
		}
		lanes[i] = o.Lane()
	}
	return lanes
}
