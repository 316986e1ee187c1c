package simulate

import (
	"log"
	"log/slog"
	"testing"

	"github.com/punctual-go/punctual/timer"
)

func playTimer(t *testing.T, seed uint64, ops int) Report {
	defer silence()()
	return play(t, seed, ops, func(w *world) {
		m := newMill(w)
		m.classic, m.inline, m.size = true, true, 1
		m.deadly = m.oneIn(4)
		m.slow = 2 + m.slow/3
		m.open = func(e *era) timer.Scheduler {
			c := timer.New("")
			e.tasks, e.err = c, c.Err
			e.cease = func(*era) []timer.Handle { c.Cancel(); return nil }
			return c
		}
		m.drive()
	})
}

// silence keeps the default logger from telling of timers that have died, until the function returned is called.
func silence() (speak func()) {
	logger, out, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(silent)
	return func() {
		slog.SetDefault(logger)
		log.SetOutput(out)
		log.SetFlags(flags)
	}
}
