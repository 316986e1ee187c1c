package eventloop

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// Stats is a consistent snapshot of a loop.
//
// At rest, when no call into the loop is in progress,
//
//	Accepted = Completed + Cancelled + Returned + Queued + Busy
//
// with one exception: a task that was cancelled, timed out, or was handed back by a shutdown while
// its body still runs counts both as ended and as busy.
type Stats struct {
	Name  string `json:"name,omitempty"`
	State string `json:"state"` // running, quieting, shutting down, stopping, terminated

	Busy       int `json:"busy"`       // 1 while a task runs
	Queued     int `json:"queued"`     // waiting tasks, not counting tombstones
	Tombstones int `json:"tombstones"` // cancelled tasks that have not been removed yet

	Accepted  uint64 `json:"accepted"`  // tasks accepted
	Rejected  uint64 `json:"rejected"`  // submissions that failed because the loop was shut down
	Completed uint64 `json:"completed"` // tasks ended by their run, a series by its last
	Cancelled uint64 `json:"cancelled"` // tasks cancelled through their future before they ended
	Returned  uint64 `json:"returned"`  // tasks dropped or handed back by a shutdown

	Runs     uint64 `json:"runs"`     // bodies that have ended; every run of a series counts
	Failures uint64 `json:"failures"` // failed runs, also one that timed out and goes on
	Skipped  uint64 `json:"skipped"`  // runs that have returned executor.ErrSkipped
	Retries  uint64 `json:"retries"`  // failed attempts that another has followed
	Expired  uint64 `json:"expired"`  // runs that did not begin in time

	Starts  uint64 `json:"starts"`  // times a goroutine was started, having had none
	Wakeups uint64 `json:"wakeups"` // times it woke from a sleep; never while nothing is due

	// Slack is how late a run may be to share a wake-up. In JSON it is text, such as "50µs".
	Slack time.Duration `json:"slack,omitzero"`

	TimedOut uint64 `json:"timed_out,omitzero"` // runs that have exceeded their timeout

	// Late tells how late runs began, Took how long they took; nil unless they are measured, see
	// [executor.Watch].
	Late *insight.Distribution `json:"late,omitempty"`
	Took *insight.Distribution `json:"took,omitempty"`
}

// plainStats is Stats without its methods, so that encoding it does not recurse.
type plainStats Stats

// statsFields is Stats as JSON shows it: Slack hides the field of the same name inside plainStats.
type statsFields struct {
	*plainStats
	Slack string `json:"slack,omitzero"`
}

// MarshalJSON writes Slack as [time.ParseDuration] reads it.
func (s Stats) MarshalJSON() ([]byte, error) {
	fields := statsFields{plainStats: (*plainStats)(&s)}
	if s.Slack > 0 {
		fields.Slack = s.Slack.String()
	}
	return json.Marshal(fields)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Stats) UnmarshalJSON(text []byte) (err error) {
	fields := statsFields{plainStats: (*plainStats)(s)}
	if err = json.Unmarshal(text, &fields); err == nil && fields.Slack != "" {
		s.Slack, err = time.ParseDuration(fields.Slack)
	}
	return err
}

// LogValue returns the fields as a group for a structured log.
func (s Stats) LogValue() slog.Value {
	fields := []slog.Attr{slog.String("state", s.State),
		slog.Int("busy", s.Busy), slog.Int("queued", s.Queued),
		slog.Int("tombstones", s.Tombstones),
		slog.Uint64("accepted", s.Accepted), slog.Uint64("rejected", s.Rejected),
		slog.Uint64("completed", s.Completed), slog.Uint64("cancelled", s.Cancelled),
		slog.Uint64("returned", s.Returned), slog.Uint64("runs", s.Runs),
		slog.Uint64("failures", s.Failures), slog.Uint64("skipped", s.Skipped),
		slog.Uint64("retries", s.Retries), slog.Uint64("expired", s.Expired),
		slog.Uint64("starts", s.Starts), slog.Uint64("wakeups", s.Wakeups)}
	if s.Slack > 0 {
		fields = append(fields, slog.String("slack", s.Slack.String()))
	}
	if s.TimedOut > 0 {
		fields = append(fields, slog.Uint64("timed_out", s.TimedOut))
	}
	if s.Late != nil {
		fields = append(fields, slog.Any("late", s.Late), slog.Any("took", s.Took))
	}
	if s.Name != "" {
		fields = append([]slog.Attr{slog.String("name", s.Name)}, fields...)
	}
	return slog.GroupValue(fields...)
}
