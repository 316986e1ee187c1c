package driver

import (
	"runtime"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// scheduleCancel schedules and cancels one task after another, while others wait.
func scheduleCancel(w work) (workload.Figures, error) {
	ops := w.count("ops")
	s := w.open()
	random := workload.NewRandom()
	kept, err := w.fill(s, make([]stopper, w.count("pending")), random, time.Minute, time.Hour)
	defer func() { s.shutdown(kept) }()
	if err != nil {
		return nil, err
	}
	arm := s.after(nothing)
	runtime.GC()
	m := startMeter()
	for range ops {
		d := time.Minute + time.Duration(random.Below(int64(time.Hour-time.Minute)))
		arm(d).Stop()
	}
	return m.per(ops), nil
}

// fill schedules tasks that are far away, and waits until they are in their place.
func (w work) fill(
	s session, kept []stopper, random *workload.Random, soonest, latest time.Duration,
) ([]stopper, error) {
	arm := s.after(nothing)
	for i := range kept {
		kept[i] = arm(soonest + time.Duration(random.Below(int64(latest-soonest))))
	}
	return kept, w.settle(s)
}

// settle waits until all that has been scheduled and cancelled is in its place: it is when a task
// behind it has run.
func (w work) settle(s session) error {
	moved := newCountdown(1)
	s.after(moved.done)(0)
	return moved.wait(w)
}

func nothing() {}
