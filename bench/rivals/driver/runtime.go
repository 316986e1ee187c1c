package driver

import (
	"sync"
	"sync/atomic"
	"time"
)

// standard returns the systems that come with Go.
func standard() []System {
	return []System{
		{
			Name: "afterfunc", Title: "time.AfterFunc",
			About: "a goroutine for each run; a periodic task sets its timer for the next time",
			can:   schedules | repeats, open: openAfterFunc,
		},
		{
			Name: "ticker", Title: "time.Ticker",
			About: "a goroutine for each task, which sleeps to its first two times and then loops over a ticker",
			can:   repeats, drops: true, open: openTicker,
		},
		{
			Name: "channel", Title: "channel",
			About: "two goroutines on a channel of 1,024, or of the bound; results by a channel, or by variables and a WaitGroup",
			can:   submits | bounds, open: func() session { return openChannel(1024) },
			bound: openChannel,
		},
	}
}

func openAfterFunc() session {
	var repeating []*time.Timer
	var over atomic.Bool
	return session{
		after: func(f func()) func(d time.Duration) stopper {
			return func(d time.Duration) stopper { return time.AfterFunc(d, f) }
		},
		every: func(first, period time.Duration, f func()) {
			due := time.Now().Add(first)
			var t *time.Timer
			t = time.AfterFunc(time.Hour, func() { // by when there is a t
				f()
				due = due.Add(period)
				if !over.Load() {
					t.Reset(time.Until(due))
				}
			})
			repeating = append(repeating, t)
			t.Reset(time.Until(due))
		},
		shutdown: func(pending []stopper) {
			over.Store(true)
			for _, t := range repeating {
				t.Stop()
			}
			for _, t := range pending {
				if t != nil {
					t.Stop()
				}
			}
		},
	}
}

func openTicker() session {
	var all sync.WaitGroup
	over := make(chan struct{})
	return session{
		every: func(first, period time.Duration, f func()) {
			second, begin := time.Now().Add(first+period), time.NewTimer(first)
			all.Go(func() {
				defer begin.Stop()
				for range 2 { // the first may be late as others are being started, and a ticker would keep that
					select {
					case <-begin.C:
						f()
						begin.Reset(time.Until(second))
					case <-over:
						return
					}
				}
				ticker := time.NewTicker(period)
				defer ticker.Stop()
				for {
					select {
					case <-ticker.C:
						f()
					case <-over:
						return
					}
				}
			})
		},
		shutdown: func([]stopper) {
			close(over)
			all.Wait()
		},
	}
}

func openChannel(capacity int) session {
	tasks := make(chan func(), capacity)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for task := range tasks {
				task()
			}
		})
	}
	submit := func(f func()) { tasks <- f }
	return session{
		execute: func(f func()) func() { return func() { tasks <- f } },
		ask:     asking(submit),
		fan:     fanning(submit),
		shutdown: func([]stopper) {
			close(tasks)
			all.Wait()
		},
	}
}
