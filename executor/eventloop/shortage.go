package eventloop

import (
	"iter"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
)

// A loop whose one worker, its goroutine, stays in a run looks for a shortage like a pool; see
// [sight.Crew]. To run tasks and to take them in must cost nothing more for that. So the timer is set
// when the goroutine begins and when it wakes from a sleep, which cost much more; and if it fires
// during a run while nothing is due, it puts hung in place of awake. Then the next submitter takes
// the loop for one that sleeps, and has the timer set again.

// crew is a Loop as what looks for a shortage of workers sees it.
type crew Loop

func (c *crew) loop() *Loop { return (*Loop)(c) }

// busyLocked is called when the goroutine has begun, or has come back from a sleep, and when a
// task has come to a loop that is hung.
func (l *Loop) busyLocked() {
	if l.life.stage == running && !l.runs.Watching() {
		l.runs.BusyLocked()
	}
}

// unhang is called, without the lock, when a task has come to a loop that is hung.
func (l *Loop) unhang() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busyLocked()
}

// Running is that of [sight.Crew].
func (c *crew) Running() iter.Seq[*run.Execution] {
	return func(yield func(*run.Execution) bool) { yield(&c.worker.exec) }
}

// Limit is that of [sight.Crew].
func (c *crew) Limit() int { return 1 }

// Held is that of [sight.Crew].
func (c *crew) Held() bool { return false }

// Stage is that of [sight.Crew].
func (c *crew) Stage() (name string, open bool) {
	return c.life.stage.String(), c.life.stage == running
}

// LackingSince is that of [sight.Crew].
func (c *crew) LackingSince(now int64) (since int64, lacks bool) {
	l := c.loop()
	if l.life.stage != running || l.worker.exec.Task == nil {
		return 0, false
	}
	l.waiting.collectLocked()
	head := l.waiting.firstLocked()
	if head == nil || head.When > now {
		return 0, false
	}
	return max(head.When, l.worker.exec.Task.Started), true
}

// NextLack is that of [sight.Crew].
func (c *crew) NextLack(now int64) int64 {
	l := c.loop()
	switch next := l.rest.next.Load(); {
	case l.life.stage != running:
		return clock.Never
	case l.worker.exec.Task != nil:
	case next == awake, next == hung: // it is between two tasks
		return now
	default: // it sleeps, or has no goroutine
		return clock.Never
	}
	// As before a sleep, see there: first this, and then a look at the intake.
	l.rest.next.CompareAndSwap(awake, hung)
	l.waiting.collectLocked()
	if head := l.waiting.firstLocked(); head != nil {
		return max(head.When, now)
	}
	return clock.Never
}

// Short is that of [sight.Crew].
func (c *crew) Short(short bool) {
	c.worker.heeds = short
	c.waiting.notices.heedLocked(short)
}

// Holders is that of [sight.Crew].
func (c *crew) Holders() (holders []insight.Holder) {
	for _, r := range c.loop().worker.runningLocked() {
		holders = append(holders, insight.Holder{Name: r.Name, Number: r.Number, Started: r.Started,
			For: r.For})
	}
	return holders
}

// Waiting is that of [sight.Crew].
func (c *crew) Waiting() int { return c.loop().statsLocked().Queued }
