package eventloop

import (
	"fmt"
	"log/slog"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// Stats is a snapshot of a loop, taken in one piece.
//
// At rest, that is when no call into the loop is in progress,
//
//	Accepted = Completed + Cancelled + Returned + Queued + Busy
//
// holds, but for a task that was cancelled, timed out, or handed back by a shutdown, and whose body
// still runs: it counts as ended and as busy.
type Stats struct {
	Name  string `json:"name,omitempty"`
	State string `json:"state"` // running, quieting, shutting down, stopping, terminated

	Busy   int `json:"busy"`   // 1 while a task runs
	Queued int `json:"queued"` // tasks that wait; shells do not count
	Shells int `json:"shells"` // cancelled tasks that have not been taken out yet

	Accepted  uint64 `json:"accepted"`  // tasks taken in
	Rejected  uint64 `json:"rejected"`  // submissions that failed because the loop was shut down
	Completed uint64 `json:"completed"` // tasks ended by their run; a series by its last
	Cancelled uint64 `json:"cancelled"` // tasks cancelled by their future before they had ended
	Returned  uint64 `json:"returned"`  // tasks dropped, or handed back, by a shutdown

	Runs     uint64 `json:"runs"`     // bodies that have ended; each run of a series counts
	Failures uint64 `json:"failures"` // failed runs, one in progress perhaps; none of a cancelled task

	Starts  uint64 `json:"starts"`  // how often it has got a goroutine, having none any more
	Wakeups uint64 `json:"wakeups"` // how often it has gone on from a sleep: never with nothing due
}

// LogValue tells the fields, for a structured log.
func (s Stats) LogValue() slog.Value {
	fields := []slog.Attr{slog.String("state", s.State),
		slog.Int("busy", s.Busy), slog.Int("queued", s.Queued), slog.Int("shells", s.Shells),
		slog.Uint64("accepted", s.Accepted), slog.Uint64("rejected", s.Rejected),
		slog.Uint64("completed", s.Completed), slog.Uint64("cancelled", s.Cancelled),
		slog.Uint64("returned", s.Returned), slog.Uint64("runs", s.Runs),
		slog.Uint64("failures", s.Failures), slog.Uint64("starts", s.Starts),
		slog.Uint64("wakeups", s.Wakeups)}
	if s.Name != "" {
		fields = append([]slog.Attr{slog.String("name", s.Name)}, fields...)
	}
	return slog.GroupValue(fields...)
}

// counts are the counters of a loop. Its lock guards them.
type counts struct {
	accepted, returned uint64
	run.Counts         // of runs, and of tasks that have ended by them
	starts, wakeups    uint64
	buried             uint64 // tasks cancelled while they waited, and taken out since
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
		Completed: l.counts.Completed,
		Cancelled: l.notices.left.Load() + l.interrupted.Load(),
		Returned:  l.counts.returned,
		Runs:      l.counts.Runs,
		Failures:  l.counts.Failures,
		Starts:    l.counts.starts,
		Wakeups:   l.counts.wakeups,
	}
	if l.exec.Task != nil {
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
