package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Pending is the type of that name in package executor, field by field.
type Pending struct {
	Name      string
	Scheduled time.Time
	Periodic  bool
	Runs      uint64
	Task      Task
}

// Running is a task that was running when a report was made.
type Running struct {
	Run      run.Info
	For      time.Duration
	Waits    bool
	WaitsFor string
}

// Report is what a shutdown has dropped, and what was still running.
type Report struct {
	Dropped []Pending
	Running []Running
}

// pendingOfLocked describes a task that is handed back. Once that has left the pool and is settled,
// and the lock has been free since, nobody writes to it any more, and the lock is not needed.
func (vw *Views) pendingOfLocked(c *cell.Cell) Pending {
	pending := vw.pending(seen(c))
	pending.Task = c.Body
	return pending
}

// pending describes a task that the pool is to run.
func (vw *Views) pending(w runqueue.Waiting) Pending {
	pl := w.Plan.Detail.(*plan)
	pending := Pending{Name: pl.Name, Periodic: pl.Periodic(), Runs: w.Runs}
	switch {
	case w.When == unread || w.Timeless:
	case !w.OnWall.IsZero():
		pending.Scheduled = w.OnWall
	default:
		pending.Scheduled = vw.pool.clock.Time(w.When)
	}
	return pending
}

// askedFor is how long the pool records when bare tasks start after somebody has asked for that.
const askedFor = 10 * time.Second

// askLocked describes the run of c that is in progress, for a question from outside. Somebody who
// has asked once may ask again, so for a while the pool records when all runs start. That has a
// price: Execute then costs about twice as much.
func (vw *Views) askLocked(c *cell.Cell) run.Info {
	p := vw.pool
	unknown := c.Started == unread
	r := p.runs.DescribeLocked(c, &planOf(c).Plan)
	vw.asked = max(vw.asked, c.Started)
	if unknown && !p.watched.Load() {
		p.watched.Store(true)
		p.later(askedFor, vw.unaskLocked)
	}
	return r
}

// unaskLocked ends what askLocked has begun if nobody has asked lately.
func (vw *Views) unaskLocked() {
	p := vw.pool
	left := time.Duration(vw.asked-p.clock.Now()) + askedFor
	if left > 0 && p.Life.stage < terminated {
		p.later(left, vw.unaskLocked)
		return
	}
	p.watched.Store(false)
}

func (vw *Views) runningLocked() (rs []Running) {
	p := vw.pool
	for x := range p.Crew.executionsLocked() {
		if x.Task != nil && x.Aside == 0 {
			r := Running{Run: vw.askLocked(x.Task)}
			r.Waits, r.WaitsFor = x.waitsLocked()
			rs = append(rs, r)
		}
	}
	vw.asked = p.clock.Now()
	now := p.clock.Time(p.clock.Now())
	for i := range rs {
		rs[i].For = now.Sub(rs[i].Run.Started)
	}
	slices.SortFunc(rs, func(a, b Running) int { // of those that began together, by name
		return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(a.Run.Name, b.Run.Name))
	})
	return rs
}

// Running returns the tasks that are running, the longest running first.
func (vw *Views) Running() (rs []Running) {
	vw.pool.look(func() { rs = vw.runningLocked() })
	return rs
}

// waitsLocked reports whether the run waits for another task, and for which.
func (x *execution) waitsLocked() (waits bool, name string) {
	if x.waits == nil {
		return false, ""
	}
	for _, c := range x.waits.cells {
		if !c.HasStopped() {
			return true, planOf(c).Name
		}
	}
	return false, ""
}

// seen returns what a snapshot keeps of a task. The task may change as soon as the lock is
// released.
func seen(c *cell.Cell) runqueue.Waiting {
	pl := planOf(c)
	due := pl.DueAt(c)
	w := runqueue.Waiting{When: due, Order: c.Order, Plan: c.Plan, Cell: c}
	w.Timeless = due == clock.Never
	if pl.Periodic() {
		w.Runs = pl.Runs
	}
	w.OnWall, _ = pl.OnWall()
	return w
}
