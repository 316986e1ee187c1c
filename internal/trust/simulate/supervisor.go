package simulate

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
)

// supervisorSim simulates supervisors on one pool.
type supervisorSim struct {
	*simulation
	pool        *executor.Pool
	neverQueues bool // every run finds a worker at once
	tasks       []*supervisedTask

	closing bool // the lock guards it
}

func simulateSupervisor(t *testing.T, seed uint64, ops int) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		ss := &supervisorSim{simulation: sim, neverQueues: sim.rng.IntN(4) > 0}
		sim.size = 1 << 30
		if ss.neverQueues {
			ss.pool = executor.NewPool(0, executor.Queue(queue.HandOff()), executor.MaximumSize(100),
				executor.Logger(silent))
		} else {
			ss.pool = executor.NewPool(1, executor.MaximumSize(2),
				executor.Queue(queue.Bounded(ss.rng.IntN(3))), executor.Logger(silent))
		}
		for range 1 + ss.rng.IntN(6) {
			ss.tasks = append(ss.tasks, ss.newTask())
		}
		ss.drive()
	})
}

func (ss *supervisorSim) drive() {
	for _, st := range ss.tasks {
		st.supervisor.Start()
	}
	for ss.more() {
		time.Sleep(ss.steps(20))
		for range 1 + ss.rng.IntN(3) {
			ss.step(ss.tasks[ss.rng.IntN(len(ss.tasks))])
		}
		if ss.oneIn(3) {
			ss.quiesce()
		}
	}
	ss.close()
}

func (ss *supervisorSim) step(st *supervisedTask) {
	ss.countOps(1)
	switch ss.rng.IntN(8) {
	case 0, 1, 2:
		st.trigger()
	case 3:
		st.disturb(st.supervisor.Suspend)
		if ss.oneIn(2) {
			time.Sleep(ss.steps(10))
		}
		st.disturb(st.supervisor.Resume)
	default:
		_ = st.supervisor.Stats()
	}
}

// quiesce waits until nothing can run, and checks that the statistics of all supervisors agree with
// what is known of their tasks.
func (ss *supervisorSim) quiesce() {
	synctest.Wait()
	ss.mu.Lock()
	defer ss.mu.Unlock()
	now := ss.advanceLocked()
	if ss.heldUp > 0 {
		return
	}
	for _, st := range ss.tasks {
		s := st.supervisor.Stats()
		if [5]uint64{s.Succeeded, s.TimedOut, s.Failed, s.Rejected, s.Capped} != st.outcomes {
			ss.faultLocked(&ss.report.Lost, "at rest there were outcomes %v, and %+v",
				st.outcomes, s)
		}
		if s.State == "waiting" && s.Next.Sub(ss.start) <= now {
			ss.faultLocked(&ss.report.Stuck, "at rest a cycle waits that was due at %v",
				s.Next.Sub(ss.start))
		}
		if ss.neverQueues && ss.exact() && s.State == "waiting" &&
			s.Unfinished < st.maxUnfinished && st.triggerPending && st.lastBegun < st.triggeredAt {
			ss.faultLocked(&ss.report.Stuck,
				"at rest nothing keeps a run from beginning that was asked for at %v",
				st.triggeredAt)
		}
	}
}

// close stops the supervisors and closes their pool.
func (ss *supervisorSim) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	ss.mu.Lock()
	ss.closing = true
	ss.mu.Unlock()
	if ss.oneIn(2) {
		ss.pool.ShutdownNow()
	}
	for _, st := range ss.tasks {
		if err := st.supervisor.StopContext(ctx); err != nil {
			ss.fault(&ss.report.Stuck, "a supervisor has not stopped after an hour: %v", err)
		}
		ss.mu.Lock()
		st.stopped = true
		if st.bodies > 0 {
			ss.faultLocked(&ss.report.Leaked, "%d bodies after the end", st.bodies)
		}
		ss.mu.Unlock()
	}
	if _, err := ss.pool.CloseContext(ctx); err != nil {
		ss.fault(&ss.report.Stuck, "the pool has not ended after an hour: %v", err)
	}
}
