package driver

import (
	"sync/atomic"
	"time"

	"github.com/zeromicro/go-zero/core/collection"
)

func goZero() System {
	return System{
		Name: "gozero", Title: "go-zero TimingWheel",
		About: "a tick of 1 ms, 65,536 slots; a tick is added to delays, as it may be one early; " +
			"a periodic task sets itself again",
		can: schedules | repeats, most: 1_000_000, open: openGoZero,
	}
}

func openGoZero() session {
	w := got(collection.NewTimingWheel(grain, slots, func(_, value any) { value.(*goZeroTask).f() }))
	var over atomic.Bool
	return session{
		after: func(f func()) func(d time.Duration) stopper {
			return func(d time.Duration) stopper {
				t := &goZeroTask{w, f}
				must(t.set(d))
				return t
			}
		},
		every: func(first, period time.Duration, f func()) {
			due := time.Now().Add(first)
			t := &goZeroTask{wheel: w}
			t.f = func() {
				f()
				due = due.Add(period)
				if !over.Load() {
					_ = t.set(time.Until(due)) // fails once the wheel is stopped
				}
			}
			must(t.set(first))
		},
		shutdown: func([]stopper) {
			over.Store(true)
			w.Stop()
		},
	}
}

// goZeroTask is a task of the wheel, and its own key.
type goZeroTask struct {
	wheel *collection.TimingWheel
	f     func()
}

// set rounds up to whole ticks, and one more, as the first may be over at once.
func (t *goZeroTask) set(d time.Duration) error {
	ticks := (max(0, d) + grain - 1) / grain
	return t.wheel.SetTimer(t, t, (ticks+1)*grain)
}

func (t *goZeroTask) Stop() bool { return t.wheel.RemoveTimer(t) == nil }
