package simulate

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// controlSim simulates series, and tasks that run once, that are given commands: by the driver, by
// visitors at the same instant, and by their own bodies; with retries, until the executor ends.
//
// The invariants: runs never overlap, and have the right numbers; no planned run begins during a
// pause, nothing after a cancellation, and no more extra runs than were asked for; a task that runs
// once does not begin before the time that it was moved to; nothing is overdue beside a free
// worker; and in the end every future is settled, and the statistics add up.
type controlSim struct {
	*simulation
	host  retryHost
	on    executor.ScheduledSubmitter
	stats func() counts
	tasks []*controlled

	over bool // it has terminated; the lock guards it
}

func simulateControl(t *testing.T, seed uint64, ops int) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		s := &controlSim{simulation: sim}
		s.open()
		s.drive()
	})
}

func (s *controlSim) open() {
	quiet := executor.Logger(silent)
	if s.oneIn(3) {
		l := eventloop.New(quiet)
		s.host, s.on, s.size = l, l, 1
		s.stats = func() counts {
			c := l.Stats()
			return counts{c.Busy, c.Queued, c.Accepted, c.Completed, c.Cancelled, c.Returned, c.Runs}
		}
		return
	}
	s.size = 1 + s.rng.IntN(3)
	p := executor.NewScheduledPool(s.size, quiet)
	s.host, s.on, s.stats = p, p, poolStats(&p.Pool)
}

func (s *controlSim) drive() {
	for s.more() {
		time.Sleep(s.steps(5))
		for range 1 + s.rng.IntN(5) {
			s.step()
		}
		if s.exact() && s.oneIn(2) {
			synctest.Wait()
			s.checkOverdue()
		}
	}
	s.end()
}

// step is one operation of the driver.
func (s *controlSim) step() {
	s.countOps(1)
	t := latest(s.simulation, s.tasks)
	if t == nil || s.oneIn(6) {
		s.submit(s.draw())
		return
	}
	c := s.drawCommand()
	if s.oneIn(3) {
		later(s.simulation, func(t *controlled) { t.obey(s, context.Background(), c) }, t)
		return
	}
	t.obey(s, context.Background(), c)
}

// checkOverdue checks, when nothing can happen before time passes, that no task is due beside a
// free worker.
func (s *controlSim) checkOverdue() {
	if s.stats().busy >= s.size {
		return
	}
	for _, t := range s.tasks {
		if t.future.State() == future.Running {
			continue // what comes after this run may be late already
		}
		if next, ok := t.future.Next(); ok && !next.After(time.Now()) {
			s.fault(&s.report.Late, "task %v, due at %v, waits beside a free worker", t,
				next.Sub(s.start))
		}
	}
}

// end ends the executor, and audits it.
func (s *controlSim) end() {
	switch s.rng.IntN(3) {
	case 0:
		s.host.ShutdownNow()
	case 1:
		_, _ = s.host.CloseContext(context.Background())
	}
	s.host.Shutdown()
	limit := time.NewTimer(time.Hour)
	defer limit.Stop()
	select {
	case <-s.host.Terminated():
	case <-limit.C:
		s.fault(&s.report.Stuck, "the executor does not end: %+v", s.stats())
		return
	}
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	time.Sleep(time.Second) // for visitors who come too late
	c := s.stats()
	for _, t := range s.tasks {
		t.audit(s)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	bodies := uint64(0)
	for _, t := range s.tasks {
		bodies += uint64(t.bodies)
	}
	if c.busy+c.queued != 0 || c.accepted != uint64(len(s.tasks)) ||
		c.accepted != c.completed+c.cancelled+c.returned || c.runs != bodies {
		s.faultLocked(&s.report.Lost, "%d tasks, %d bodies; counts are %+v", len(s.tasks), bodies, c)
	}
}
