package engine

import (
	"iter"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
)

// crewView is a Pool as what looks for a shortage of workers sees it; see [sight.Crew].
type crewView Pool

func (c *crewView) pool() *Pool { return (*Pool)(c) }

// Running is that of [sight.Crew].
func (c *crewView) Running() iter.Seq[*run.Execution] { return c.pool().runsLocked() }

// Limit is that of [sight.Crew].
func (c *crewView) Limit() int { return c.pool().Crew.limitLocked() }

// Held is that of [sight.Crew].
func (c *crewView) Held() bool { return c.pool().Crew.pause.on }

// Stage is that of [sight.Crew].
func (c *crewView) Stage() (name string, open bool) {
	stage := c.pool().Life.stage
	return stage.String(), stage == running
}

// LackingSince is that of [sight.Crew].
func (c *crewView) LackingSince(now int64) (since int64, lacks bool) {
	p := c.pool()
	if !p.Crew.lacksLocked() {
		return 0, false
	}
	u := &p.Crew.unstarted
	head, due, _ := p.peekLocked()
	if head == parking.Nothing || !due && head > now {
		u.noticed = 0
		return 0, false
	}
	since = max(head, p.Crew.pause.over)
	known := head > 0 // when the task has become due
	for x := range p.Crew.executionsLocked() {
		switch {
		case x.Task == nil:
		case x.bare && !p.watched.Load(), x.Task.Started == 0:
			known = false
		default:
			since = max(since, x.Task.Started)
		}
	}
	if !known {
		_, ended := p.Views.playedLocked()
		if ended += p.counts.Runs; u.noticed == 0 || ended != u.ended {
			u.noticed, u.ended = now, ended
		}
		since = max(since, u.noticed)
	}
	return since, true
}

// NextLack is that of [sight.Crew]. Every submission that finds no worker free calls busyLocked.
func (c *crewView) NextLack(now int64) int64 {
	p := c.pool()
	if !p.Crew.lacksLocked() {
		return clock.Never
	}
	if head, _, _ := p.headLocked(); head > now {
		return head
	}
	return clock.Never
}

// Short is that of [sight.Crew].
func (c *crewView) Short(bool) { c.pool().Crew.carefulLocked() }

// Holders is that of [sight.Crew].
func (c *crewView) Holders() (holders []insight.Holder) {
	for _, r := range c.pool().Views.runningLocked() {
		holders = append(holders, insight.Holder{Name: r.Run.Name, Number: r.Run.Number,
			Started: r.Run.Started, For: r.For})
	}
	return holders
}

// Waiting is that of [sight.Crew].
func (c *crewView) Waiting() int {
	p := c.pool()
	return p.waiting.waitingLocked() + p.waiting.heldBack
}
