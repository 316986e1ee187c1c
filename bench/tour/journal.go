package main

import (
	"context"
	"sync"
	"time"
)

// mark is one run of the job. Its times count from the start of the comparison.
type mark struct {
	Planned time.Duration `json:"plannedNs"`
	Started time.Duration `json:"startedNs"`
	Ended   time.Duration `json:"endedNs"`
	Missed  uint64        `json:"missed"` // as told by executor.RunFrom
}

func (m mark) late() time.Duration { return m.Started - m.Planned }
func (m mark) took() time.Duration { return m.Ended - m.Started }

// journal is the job of one system, and keeps what it has seen.
type journal struct {
	scenario
	start time.Time

	mu    sync.Mutex // guards marks
	marks []mark
}

// run is one run of the job, planned for the given time. It ends early when ctx does. The system
// does not run it twice at once.
func (j *journal) run(ctx context.Context, planned time.Time, missed uint64) {
	m := mark{Planned: planned.Sub(j.start), Started: time.Since(j.start), Missed: missed}
	j.mu.Lock()
	j.marks = append(j.marks, m)
	n := len(j.marks)
	j.mu.Unlock()

	pause(ctx, j.takes(n))

	j.mu.Lock()
	defer j.mu.Unlock()
	j.marks[n-1].Ended = time.Since(j.start)
}

// count is the number of runs begun so far.
func (j *journal) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.marks)
}

// inWindow returns the runs that were planned inside the window. A system that is closed last may
// have begun one more. It is called when the system has been closed.
func (j *journal) inWindow() []mark {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.marks)
	for n > 0 && j.marks[n-1].Planned > j.window() {
		n--
	}
	return j.marks[:n:n]
}

// pause waits for d, or until ctx ends and returns its error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
