package driver

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// timers returns the systems of this module that only schedule.
func timers() []System {
	const about = "a tick of 1 ms, a goroutine for each run"
	return []System{
		wheel("hashed", "timer/hashedwheel", about+", 65,536 slots", slots, hashedwheel.New),
		wheel("hierarchical", "timer/hierarchical", about+", 20 slots a level", 20, hierarchical.New),
		wheel("revolver", "timer/revolver", about+", 65,536 slots", slots, revolver.New),
		{
			Name: "queue", Title: "delayqueue",
			About: "one goroutine takes and runs; a periodic task puts itself in again",
			can:   schedules | repeats, open: openQueue,
		},
	}
}

// slots are those of a wheel of one level that is to hold a million tasks.
const slots = 1 << 16

// stoppable is a wheel.
type stoppable interface {
	timer.Scheduler
	Close() []timer.Handle
}

func wheel[W stoppable](name, title, about string, slots int, start func(timer.Config) W) System {
	return System{
		Name: name, Title: title, About: about, can: schedules | repeats,
		open: func() session {
			w := start(timer.Config{Tick: grain, Slots: slots})
			return session{
				after: func(f func()) func(d time.Duration) stopper {
					return func(d time.Duration) stopper { return w.AfterFunc(d, f) }
				},
				every: func(first, period time.Duration, f func()) {
					got(timer.AtFixedRate(w, first, period, f))
				},
				shutdown: func([]stopper) { w.Close() },
			}
		},
	}
}

func openQueue() session {
	q := delayqueue.New[func()]()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			f, err := q.Take(context.Background())
			if err != nil {
				return
			}
			f()
		}
	}()
	return session{
		after: func(f func()) func(d time.Duration) stopper {
			return func(d time.Duration) stopper { return (*removal)(got(q.Put(f, d))) }
		},
		every: func(first, period time.Duration, f func()) {
			due := time.Now().Add(first)
			var again func()
			again = func() {
				f()
				due = due.Add(period)
				_, _ = q.PutAt(again, due) // fails once the queue is closed
			}
			got(q.PutAt(again, due))
		},
		shutdown: func([]stopper) {
			q.Close()
			<-ended
		},
	}
}

// removal is an item of a delay queue as a stopper.
type removal delayqueue.Item[func()]

func (r *removal) Stop() bool { return (*delayqueue.Item[func()])(r).Remove() }
