package plan

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/heap"
)

// Limit is for how many slots the runs of a plan may stand, if nobody says otherwise. A million
// runs take some hundred megabytes.
const Limit = 1_000_000

// Calculate returns what a pool of so many workers does with the jobs, if they are submitted in
// this order at the beginning of the window, to run until its end. Its runs stand for about limit
// slots at most, see [Plan.LeftOut] and [Plan.Cut]. There must be a worker, and the window must not
// be empty.
func Calculate(jobs []Job, w Window, workers, limit int) *Plan {
	c := calculation{
		plan: &Plan{Jobs: jobs, Window: w, Workers: workers},
		free: workers,
	}
	budget := newBudget(w, limit)
	for i, j := range jobs {
		s := &series{Job: j, number: i, window: w}
		if s.due = s.first(); s.due == never {
			continue
		}
		if !budget.allows(s) {
			c.plan.LeftOut = append(c.plan.LeftOut, i)
			continue
		}
		c.submit(s)
	}
	for c.slots <= limit && c.step() {
	}
	if c.slots > limit {
		c.cut()
	}
	return c.plan
}

// calculation is a plan in the making: a simulation whose events are starts and ends of runs.
type calculation struct {
	plan    *Plan
	waiting heap.Heap[*series] // by due time
	running heap.Heap[*series] // by end
	free    int                // workers
	slots   int                // that runs stand for
	now     time.Duration
	order   uint64 // of the last submission
	starts  uint64
}

// submit queues a series for its next run, if there is one.
func (c *calculation) submit(s *series) {
	if s.due == never {
		return
	}
	c.order++
	s.order = c.order
	c.waiting.Push(int64(s.due), s)
}

// step starts a run, or goes on to where something happens. It reports false at the end of the
// plan.
func (c *calculation) step() bool {
	due, end := c.nextDue(), c.nextEnd()
	switch {
	case due <= c.now:
		c.start()
		return true
	case min(due, end) == never:
		return false
	}
	c.now = max(c.now, min(due, end))
	// Whoever ends now is free for what is due now.
	for c.nextEnd() <= c.now {
		c.end()
	}
	return true
}

// nextDue returns when the next run could start, as far as workers are free.
func (c *calculation) nextDue() time.Duration {
	if c.free == 0 || c.waiting.Len() == 0 {
		return never
	}
	due, _ := c.waiting.Min()
	return time.Duration(due)
}

func (c *calculation) nextEnd() time.Duration {
	if c.running.Len() == 0 {
		return never
	}
	end, _ := c.running.Min()
	return time.Duration(end)
}

func (c *calculation) start() {
	s := c.waiting.Pop()
	r := s.begin(c.now)
	s.run = len(c.plan.Runs)
	c.plan.Runs = append(c.plan.Runs, r)
	c.slots += 1 + r.Missed
	c.free--
	c.starts++
	s.order = c.starts
	c.running.Push(int64(r.End), s)
}

func (c *calculation) end() {
	s := c.running.Pop()
	c.free++
	s.ended = c.plan.Runs[s.run].End
	c.submit(s)
}

// cut ends the window where the calculation has come to.
func (c *calculation) cut() {
	p := c.plan
	p.Cut = true
	to := max(c.now, time.Second)
	p.Window.To = p.At(to)
	p.Runs = slices.DeleteFunc(p.Runs, func(r Run) bool { return r.Due >= to })
}
