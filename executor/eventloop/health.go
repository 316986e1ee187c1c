package eventloop

import (
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/sight"
)

// Measurements returns what has been measured since the loop was made; without [executor.Measure],
// nothing. It copies 1 KiB for each name with the loop locked.
func (l *Loop) Measurements() executor.Measurements {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, _ := sight.Of(&l.runs).MeasurementsLocked().(executor.Measurements)
	return m
}

// History returns what has happened lately; without [executor.KeepHistory], nothing. It takes the
// lock for some microseconds.
func (l *Loop) History() executor.History {
	h, _ := sight.Of(&l.runs).History().(executor.History)
	return h
}

// Health returns how the loop is; see [executor.Expect]. The worker of a loop is its goroutine: the
// loop is degraded while one run has held up a task for more than a minute. Health takes the lock
// for O(n) with n tasks of which something is expected, and calls no user code.
func (l *Loop) Health() executor.Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := executor.Health{At: l.clock.Time(l.clock.Now()), Pool: l.runs.Name,
		State: l.life.stage.String()}
	var tasks []sight.TaskHealth
	h.Status, h.Reason, tasks = sight.Of(&l.runs).HealthLocked(h.State, l.life.stage == running)
	for _, t := range tasks {
		h.Tasks = append(h.Tasks, executor.TaskHealth(t))
	}
	return h
}
