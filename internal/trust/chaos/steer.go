package chaos

import (
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// steered makes rec one that is given commands, now and then, and is tried again. When its runs may
// begin is not known any more.
func (r *round) steered(rng *rand.Rand, rec *taskRecord) (opts []executor.TaskOption) {
	if rng.IntN(2) == 0 {
		return nil
	}
	rec.steered = true
	if rng.IntN(2) == 0 {
		rec.attempts = 1 + rng.Int64N(4)
		opts = append(opts, executor.Retry(int(rec.attempts), retry.Backoff{
			Base: micros(rng, 50), Max: micros(rng, 200), Spread: retry.Spread(rng.IntN(4)),
		}))
	}
	if rng.IntN(4) == 0 {
		opts = append(opts, executor.SlowDown(1.5, time.Millisecond), executor.PauseAfter(2))
	}
	return opts
}

// recordTimed is record for a scheduled task.
func (r *round) recordTimed(rec *taskRecord, f *executor.ScheduledFuture[struct{}], err error) {
	if err != nil {
		return
	}
	if rec.steered {
		rec.timed = f
	}
	r.record(rec, f.Future, nil)
}

// steer gives a command to a task. Whatever else happens, it must not be told what is impossible.
func (r *round) steer(rng *rand.Rand, rec *taskRecord) {
	f := rec.timed
	switch rng.IntN(8) {
	case 0:
		f.Pause()
	case 1, 2:
		f.Resume()
	case 3:
		f.Trigger()
	case 4:
		f.Reset(micros(rng, 300))
	case 5:
		_ = f.SetPeriod(1 + micros(rng, 200))
	case 6:
		_, told := f.Last()
		r.demand(!told || f.Runs() > 0, "a run has ended, and none has begun")
	case 7:
		rec.cancelledByUs.Store(true)
		begun := rec.begun.Load()
		if told := f.Withdraw(); told {
			r.demand(begun == 0 && rec.begun.Load() == 0, "a task was withdrawn after it had begun")
		}
	}
}
