package simulate

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// watch is a world with supervisors on one pool.
type watch struct {
	*world
	pool  *executor.Pool
	roomy bool // every run finds a worker at once
	wards []*ward

	closing bool // the lock guards it
}

func playSupervisor(t *testing.T, seed uint64, ops int) Report {
	return play(t, seed, ops, func(w *world) {
		v := &watch{world: w, roomy: w.rng.IntN(4) > 0}
		w.size = 1 << 30
		if v.roomy {
			v.pool = executor.NewCachedPool(executor.Logger(silent))
		} else {
			v.pool = executor.NewPool(1, executor.MaximumSize(2), executor.BoundedFIFO(v.rng.IntN(3)), executor.Logger(silent))
		}
		for range 1 + v.rng.IntN(6) {
			v.wards = append(v.wards, v.draw())
		}
		v.drive()
	})
}

func (v *watch) drive() {
	for _, d := range v.wards {
		d.supervisor.Start()
	}
	for v.more() {
		time.Sleep(v.steps(20))
		for range 1 + v.rng.IntN(3) {
			v.act(v.wards[v.rng.IntN(len(v.wards))])
		}
		if v.oneIn(3) {
			v.rest()
		}
	}
	v.close()
}

func (v *watch) act(d *ward) {
	v.did(1)
	switch v.rng.IntN(8) {
	case 0, 1, 2:
		d.trigger()
	case 3:
		d.disturb(d.supervisor.Suspend)
		if v.oneIn(2) {
			time.Sleep(v.steps(10))
		}
		d.disturb(d.supervisor.Resume)
	default:
		_ = d.supervisor.Stats()
	}
}

// rest waits until nothing can run, and looks whether all supervisors are of the same opinion as their tasks.
func (v *watch) rest() {
	synctest.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.pass()
	if v.asleep > 0 {
		return
	}
	for _, d := range v.wards {
		s := d.supervisor.Stats()
		if [5]uint64{s.Succeeded, s.TimedOut, s.Failed, s.Rejected, s.Capped} != d.kinds {
			v.fault(&v.report.Lost, "at rest there were outcomes %v, and %+v", d.kinds, s)
		}
		if s.State == "waiting" && s.Next.Sub(v.start) <= now {
			v.fault(&v.report.Stuck, "at rest a cycle waits that was due at %v", s.Next.Sub(v.start))
		}
		if v.roomy && v.exact() && s.State == "waiting" && s.Unfinished < d.unfinished && d.wanted && d.lastBegun < d.asked {
			v.fault(&v.report.Stuck, "at rest nothing keeps a run from beginning that was asked for at %v", d.asked)
		}
	}
}

// close stops everything.
func (v *watch) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	v.mu.Lock()
	v.closing = true
	v.mu.Unlock()
	if v.oneIn(2) {
		v.pool.ShutdownNow()
	}
	for _, d := range v.wards {
		if err := d.supervisor.StopContext(ctx); err != nil {
			v.blame(&v.report.Stuck, "a supervisor has not stopped after an hour: %v", err)
		}
		v.mu.Lock()
		d.stopped = true
		if d.bodies > 0 {
			v.fault(&v.report.Leaked, "%d bodies after the end", d.bodies)
		}
		v.mu.Unlock()
	}
	if _, err := v.pool.CloseContext(ctx); err != nil {
		v.blame(&v.report.Stuck, "the pool has not ended after an hour: %v", err)
	}
}
