package chaos

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// timerChaos is chaos on a Timer. No task of it fails, as that would end it, and be logged.
type timerChaos struct {
	*round
	timer *timer.Timer

	tasks []*timerTask // the round's lock guards it
}

// timerTask is a task of a Timer with its history.
type timerTask struct {
	record    *taskRecord
	task      *timer.Task
	cancelled atomic.Int64 // by itself
}

func timerRound(r *round) {
	c := &timerChaos{round: r, timer: timer.New("chaos")}
	over := new(atomic.Bool)
	r.run(60, func(rng *rand.Rand) { c.step(rng, over) }, func(rng *rand.Rand) {
		over.Store(true)
		switch rng.IntN(3) {
		case 0:
			c.timer.Cancel()
		case 1:
			_ = c.timer.Schedule(timer.NewTask(c.timer.Cancel), 0) // from a task
		case 2:
			time.Sleep(micros(rng, 500))
		}
	})
	c.timer.Cancel()
	c.audit()
}

func (c *timerChaos) step(rng *rand.Rand, over *atomic.Bool) {
	delay := micros(rng, 1000)
	switch rng.IntN(8) {
	case 0, 1, 2:
		c.schedule(delay, 0, c.timer.Schedule)
	case 3:
		period := 1 + micros(rng, 200)
		c.schedule(delay, period,
			func(k *timer.Task, d time.Duration) error { return c.timer.AtFixedRate(k, d, period) })
	case 4:
		period := 1 + micros(rng, 200)
		c.schedule(delay, fromStart,
			func(k *timer.Task, d time.Duration) error { return c.timer.Repeat(k, d, period) })
	case 5, 6:
		c.mu.Lock()
		if len(c.tasks) == 0 {
			c.mu.Unlock()
			return
		}
		k := c.tasks[rng.IntN(len(c.tasks))]
		c.mu.Unlock()
		if k.task.Cancel() {
			k.cancelled.Add(1)
		}
	case 7:
		c.timer.Purge()
	}
	if err := c.timer.Err(); err != nil && !over.Load() {
		c.fault(nil, "the timer has ended: %v", err)
	}
}

// fromStart is the rate of a task whose next run is planned when one begins.
const fromStart = 1

// schedule has a new task run at a rate, or once if that is 0.
func (c *timerChaos) schedule(delay, rate time.Duration,
	how func(*timer.Task, time.Duration) error) {
	rec, run := c.track(delay, nothing)
	rec.rate, rec.once = rate, rate == 0
	k := &timerTask{record: rec}
	k.task = timer.NewTask(func() { _ = run(context.Background()) })
	if how(k.task, delay) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks = append(c.tasks, k)
}

// audit checks the final state. The timer does not tell what it drops.
func (c *timerChaos) audit() {
	for _, k := range c.tasks {
		if n := k.cancelled.Load(); n > 1 {
			c.fault(&c.duplicate, "a task was cancelled %d times", n)
		}
		if k.record.once && k.cancelled.Load() > 0 && k.record.begun.Load() > 0 {
			c.fault(&c.duplicate, "a task was cancelled, and ran")
		}
	}
}
