package simulate

import (
	"context"
	"log/slog"
	"testing"

	"github.com/punctual-go/punctual/executor"
)

var silent = slog.New(slog.DiscardHandler)

// newShop draws what is common to all shops.
func newShop(w *world) *shop {
	return &shop{
		world: w,
		room:  make([]task, w.budget),
		slow:  2 + w.rng.IntN(16),
		pause: 2 + w.rng.IntN(12),
	}
}

func playScheduled(t *testing.T, seed uint64, ops int) Report {
	return play(t, seed, ops, func(w *world) {
		s := newShop(w)
		core := w.rng.IntN(5)
		s.size = max(core, 1)
		s.most, s.capacity = s.size, -1
		s.single = s.size == 1
		s.sorted = true
		s.asking = s.oneIn(2)
		opts := append(s.options(), executor.MaximumSize(8))
		if s.oneIn(8) {
			s.limited = true
			opts = append(opts, executor.PendingLimit(1+s.rng.IntN(20)))
		}
		pool := executor.NewScheduledPool(core, opts...)
		s.exec, s.table, s.pool = pool, pool, &pool.Pool
		s.stats = poolStats(&pool.Pool)
		s.allowed = s.size
		s.drive()
	})
}

// options draws options for a pool.
func (s *shop) options() []executor.Option {
	opts := []executor.Option{executor.Logger(silent)}
	if s.oneIn(2) {
		opts = append(opts, executor.ErrorHandler(func(context.Context, executor.Run, error) {}))
	}
	if s.oneIn(3) {
		opts = append(opts, executor.KeepAlive(s.steps(8)+grid))
		if s.oneIn(2) {
			opts = append(opts, executor.CoreTimeout())
		}
	}
	if s.oneIn(4) {
		ctx, cancel := context.WithCancel(context.Background())
		s.base = cancel
		opts = append(opts, executor.BaseContext(ctx))
	}
	if s.oneIn(4) {
		s.hooked = true
		opts = append(opts,
			executor.BeforeRun(func(context.Context, executor.Run) { s.before.Add(1) }),
			executor.AfterRun(func(context.Context, executor.Run, error) { s.after.Add(1) }),
			executor.OnTerminated(func() {}))
	}
	return opts
}

func poolStats(p *executor.Pool) func() counts {
	return func() counts {
		c := p.Stats()
		return counts{c.Busy, c.Queued, c.Accepted, c.Completed, c.Cancelled, c.Returned, c.Runs}
	}
}
