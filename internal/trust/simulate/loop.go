package simulate

import (
	"context"
	"testing"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

func playLoop(t *testing.T, seed uint64, ops int) Report {
	return play(t, seed, ops, func(w *world) {
		s := newShop(w)
		s.size, s.most, s.allowed = 1, 1, 1
		s.capacity = -1
		s.single, s.sorted = true, true
		s.asking = s.oneIn(2)
		opts := []eventloop.Option{eventloop.Logger(silent)}
		if s.oneIn(2) {
			opts = append(opts, eventloop.ErrorHandler(func(context.Context, executor.Run, error) {}))
		}
		loop := eventloop.New(opts...)
		s.exec, s.table, s.loop = loop, loop, loop
		s.stats = func() counts {
			c := loop.Stats()
			return counts{c.Busy, c.Queued, c.Accepted, c.Completed, c.Cancelled, c.Returned, c.Runs}
		}
		s.drive()
	})
}

// closeGracefully has a loop end when it has been quiet for a while. It takes tasks meanwhile.
func (s *shop) closeGracefully() {
	quiet := s.steps(10)
	s.mu.Lock()
	s.closing, s.closedAt, s.dropDelayed = true, s.pass(), true
	s.quieting, s.unlisted, s.changed = true, true, never
	s.mu.Unlock()
	if err := s.loop.ShutdownGracefully(quiet, quiet+s.steps(20)); err != nil {
		s.blame(&s.report.Lost, "to shut down gracefully: %v", err)
	}
	for range s.rng.IntN(6) {
		if k := s.draw(); k != nil {
			s.offer(k)
		}
		time.Sleep(s.steps(8))
	}
}
