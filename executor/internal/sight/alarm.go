package sight

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// Alarm calls a function of the user now and then, when a run is very late.
//
//	ready   -> calling  late
//	calling -> resting  the function has returned
//	resting -> calling  late, once the interval is over
type Alarm struct {
	after    time.Duration
	interval time.Duration
	f        func(insight.LateRun)

	mu      sync.Mutex
	calling bool
	called  time.Time // when it was called last; zero before that
}

// NewAlarm returns one that calls f for runs later than after, and then not for an interval.
func NewAlarm(after, interval time.Duration, f func(insight.LateRun)) *Alarm {
	return &Alarm{after: after, interval: interval, f: f}
}

// late calls the function by guard, on another goroutine, unless the run is not that late, or the
// function has been called a moment ago.
func (a *Alarm) late(r run.Info, why *insight.Lateness, guard func(func())) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if why.Total <= a.after || a.calling || !a.called.IsZero() && now.Sub(a.called) < a.interval {
		return
	}
	a.calling, a.called = true, now
	told := insight.LateRun{Name: r.Name, Number: r.Number, Scheduled: r.Scheduled,
		Started: r.Started, Why: *why}
	go func() {
		defer func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.calling = false
		}()
		guard(func() { a.f(told) })
	}()
}
