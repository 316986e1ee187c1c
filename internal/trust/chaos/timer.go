package chaos

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// classic is chaos on a Timer. No task of it fails, as that would end it, and be logged.
type classic struct {
	*round
	timer *timer.Timer

	errands []*errand // the round's lock guards it
}

// errand is a task of a Timer, and what has become of it.
type errand struct {
	debt      *debt
	task      *timer.Task
	cancelled atomic.Int64 // by itself
}

func timerRound(r *round) {
	c := &classic{round: r, timer: timer.New("chaos")}
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

func (c *classic) step(rng *rand.Rand, over *atomic.Bool) {
	delay := micros(rng, 1000)
	switch rng.IntN(8) {
	case 0, 1, 2:
		c.schedule(delay, 0, c.timer.Schedule)
	case 3:
		period := 1 + micros(rng, 200)
		c.schedule(delay, period, func(k *timer.Task, d time.Duration) error { return c.timer.AtFixedRate(k, d, period) })
	case 4:
		period := 1 + micros(rng, 200)
		c.schedule(delay, fromStart, func(k *timer.Task, d time.Duration) error { return c.timer.Repeat(k, d, period) })
	case 5, 6:
		c.mu.Lock()
		if len(c.errands) == 0 {
			c.mu.Unlock()
			return
		}
		e := c.errands[rng.IntN(len(c.errands))]
		c.mu.Unlock()
		if e.task.Cancel() {
			e.cancelled.Add(1)
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
func (c *classic) schedule(delay, rate time.Duration, how func(*timer.Task, time.Duration) error) {
	d, run := c.owe(delay, nothing)
	d.rate, d.once = rate, rate == 0
	e := &errand{debt: d}
	e.task = timer.NewTask(func() { _ = run(context.Background()) })
	if how(e.task, delay) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errands = append(c.errands, e)
}

// audit does the accounts. What is dropped with the timer nobody is told of.
func (c *classic) audit() {
	for _, e := range c.errands {
		if n := e.cancelled.Load(); n > 1 {
			c.fault(&c.duplicate, "a task was cancelled %d times", n)
		}
		if e.debt.once && e.cancelled.Load() > 0 && e.debt.begun.Load() > 0 {
			c.fault(&c.duplicate, "a task was cancelled, and ran")
		}
	}
}
