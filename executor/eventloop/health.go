package eventloop

import "github.com/punctual-go/punctual/executor"

// Measurements returns what has been measured since the loop was made; without [executor.Measure],
// nothing. It copies 1 KiB for each name with the loop locked.
func (l *Loop) Measurements() executor.Measurements {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs.Measure == nil {
		return executor.Measurements{}
	}
	return l.runs.Measure(&l.runs).(executor.Measurements)
}

// History returns what has happened lately; without [executor.KeepHistory], nothing. It takes the
// lock for some microseconds.
func (l *Loop) History() executor.History {
	if l.runs.History == nil {
		return executor.History{}
	}
	return l.runs.History(&l.runs).(executor.History)
}

// Health returns how the loop is; see [executor.Expect]. The worker of a loop is its goroutine: the
// loop is degraded while one run has held up a task for more than a minute. Health takes the lock
// for O(n) with n tasks of which something is expected, and calls no user code.
func (l *Loop) Health() executor.Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := executor.Health{Status: executor.HealthOK, At: l.clock.Time(l.clock.Now()),
		Pool: l.runs.Name, State: l.stage.String()}
	for _, t := range l.runs.HealthLocked() {
		if t.InTrouble() {
			h.Status = executor.HealthDegraded
		}
		h.Tasks = append(h.Tasks, executor.TaskHealth(t))
	}
	switch lack := l.runs.LackLocked(); {
	case l.stage != running:
		h.Status, h.Reason = executor.HealthDown, "it is "+h.State
	case lack.Down:
		h.Status, h.Reason = executor.HealthDown, lack.Reason
	case lack.Reason != "":
		h.Status, h.Reason = executor.HealthDegraded, lack.Reason
	}
	return h
}
