package eventloop

import "fmt"

// Stats is a snapshot of a loop, taken in one piece.
//
// At rest, that is when no call into the loop is in progress,
//
//	Accepted = Completed + Cancelled + Returned + Queued + Busy
//
// holds, but for a task that was cancelled, or timed out, and whose body still runs: it counts as ended and
// as busy.
type Stats struct {
	Name  string
	State string // running, quieting, shutting down, stopping, terminated

	Busy   int // 1 while a task runs
	Queued int // tasks that wait; shells do not count
	Shells int // cancelled tasks that have not been taken out yet

	Accepted  uint64 // tasks taken in
	Rejected  uint64 // submissions that failed because the loop was shut down
	Completed uint64 // tasks ended by their run, the last of a series; failures included
	Cancelled uint64 // tasks cancelled by their future before they had ended
	Returned  uint64 // tasks dropped, or handed back, by a shutdown

	Runs     uint64 // bodies that have ended; each run of a series counts
	Failures uint64 // runs that have failed, one in progress perhaps; not what cancelled ones return

	Starts  uint64 // how often the loop has got a goroutine, as it had none or its task had ended it
	Wakeups uint64 // how often it has gone on from a sleep; a loop with nothing due has none
}

// counts are the counters of a loop. Its lock guards them.
type counts struct {
	accepted, completed, returned uint64
	runs, failures                uint64
	starts, wakeups               uint64
	buried                        uint64 // tasks cancelled while they waited, and taken out since
}

// Stats returns a snapshot of the loop's counters. It first moves what has come in to where it can be
// counted.
func (l *Loop) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.collect()
	shells := max(l.shells(), 0)
	s := Stats{
		Name:      l.name,
		State:     l.stage.String(),
		Queued:    max(l.agenda.len()+len(l.calm.unwanted)-shells, 0),
		Shells:    shells,
		Accepted:  l.counts.accepted,
		Rejected:  l.rejected.Load(),
		Completed: l.counts.completed,
		Cancelled: l.notices.left.Load() + l.interrupted.Load(),
		Returned:  l.counts.returned,
		Runs:      l.counts.runs,
		Failures:  l.counts.failures,
		Starts:    l.counts.starts,
		Wakeups:   l.counts.wakeups,
	}
	if l.task != nil {
		s.Busy = 1
	}
	return s
}

// String tells the state of the loop in a line.
func (l *Loop) String() string {
	s := l.Stats()
	return fmt.Sprintf("eventloop(%q: %s, %d busy, %d queued, %d completed)",
		s.Name, s.State, s.Busy, s.Queued, s.Completed)
}
