package simulate

import (
	"log"
	"log/slog"
	"testing"

	"github.com/punctual-go/punctual/timer"
)

func simulateTimer(t *testing.T, seed uint64, ops int) Report {
	defer silence()()
	return simulate(t, seed, ops, func(sim *simulation) {
		ts := newTimerSim(sim)
		ts.classic, ts.inline, ts.size = true, true, 1
		ts.functionsKill = ts.oneIn(4)
		ts.maxWork = 2 + ts.maxWork/3
		ts.open = func(inst *instance) timer.Scheduler {
			c := timer.New("")
			inst.timer, inst.err = c, c.Err
			inst.stop = func(*instance) []timer.Handle { c.Cancel(); return nil }
			return c
		}
		ts.drive()
	})
}

// silence keeps the default logger quiet about timers that have died, until the function returned
// is called.
func silence() (speak func()) {
	logger, out, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(silent)
	return func() {
		slog.SetDefault(logger)
		log.SetOutput(out)
		log.SetFlags(flags)
	}
}
