package executor

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/internal/text"
)

// Reports and snapshots can be encoded as JSON, and as values for a structured log, with the same
// names in both. Unknown times and empty fields are left out. A duration is written as the text of
// [time.Duration], such as "1.5s", which [time.ParseDuration] reads.

// runFields is a Running without its methods, as JSON shows it.
type runFields struct {
	Run
	For      text.Duration `json:"for"`
	Waits    bool          `json:"waits,omitzero"`
	WaitsFor string        `json:"waits_for,omitempty"`
}

// MarshalJSON writes the fields of the run, and For as a string.
func (r Running) MarshalJSON() ([]byte, error) {
	return json.Marshal(runFields{r.Run, text.Duration(r.For), r.Waits, r.WaitsFor})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Running) UnmarshalJSON(data []byte) error {
	var fields runFields
	err := json.Unmarshal(data, &fields)
	*r = Running{fields.Run, time.Duration(fields.For), fields.Waits, fields.WaitsFor}
	return err
}

// plainStats is Stats without its methods, so that encoding it does not recurse.
type plainStats Stats

// statsFields is Stats as JSON shows it: the durations hide the fields of the same names inside
// plainStats.
type statsFields struct {
	*plainStats
	KeepAlive text.Duration `json:"keep_alive"`
	Slack     text.Duration `json:"slack,omitzero"`
	Overdue   text.Duration `json:"overdue,omitzero"`
}

// MarshalJSON writes the durations as strings.
func (s Stats) MarshalJSON() ([]byte, error) {
	return json.Marshal(statsFields{(*plainStats)(&s), text.Duration(s.KeepAlive),
		text.Duration(s.Slack), text.Duration(s.Overdue)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Stats) UnmarshalJSON(data []byte) error {
	fields := statsFields{plainStats: (*plainStats)(s)}
	err := json.Unmarshal(data, &fields)
	s.KeepAlive, s.Slack = time.Duration(fields.KeepAlive), time.Duration(fields.Slack)
	s.Overdue = time.Duration(fields.Overdue)
	return err
}

// LogValue returns the two lists for a structured log.
func (r Report) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("dropped", r.Dropped), slog.Any("running", r.Running))
}

// LogValue returns the fields, without Task, for a structured log.
func (t Pending) LogValue() slog.Value {
	var fields text.Attrs
	fields.Name(t.Name)
	fields.Time("scheduled", t.Scheduled)
	if t.Periodic {
		fields.Add(slog.Bool("periodic", true), slog.Uint64("runs", t.Runs))
	}
	return slog.GroupValue(fields...)
}

// String returns the fields, without Task, as a line of text.
func (t Pending) String() string { return t.LogValue().String() }

// LogValue returns the fields for a structured log.
func (r Run) LogValue() slog.Value { return slog.GroupValue(r.attrs()...) }

// String returns the fields as a line of text.
func (r Run) String() string { return r.LogValue().String() }

func (r Run) attrs() (fields text.Attrs) {
	fields.Name(r.Name)
	fields.Add(slog.Uint64("number", r.Number))
	fields.Time("scheduled", r.Scheduled)
	fields.Time("started", r.Started)
	if r.Missed > 0 {
		fields.Add(slog.Uint64("missed", r.Missed))
	}
	if r.Attempt > 0 {
		fields.Add(slog.Uint64("attempt", r.Attempt))
	}
	if r.Triggered {
		fields.Add(slog.Bool("triggered", true))
	}
	if r.Periodic {
		fields.Add(slog.Bool("periodic", true))
	}
	return fields
}

// LogValue returns the fields of the run, and how long it has been going on, for a structured log.
func (r Running) LogValue() slog.Value {
	fields := append(r.attrs(), slog.String("for", r.For.String()))
	if r.Waits {
		fields = append(fields, slog.String("waits_for", r.WaitsFor))
	}
	return slog.GroupValue(fields...)
}

// String returns the fields as a line of text.
func (r Running) String() string { return r.LogValue().String() }

// LogValue returns the fields for a structured log.
func (s Stats) LogValue() slog.Value {
	var fields text.Attrs
	fields.Name(s.Name)
	fields.Add(slog.String("state", s.State), slog.Int("core", s.Core))
	if s.Maximum > 0 {
		fields.Add(slog.Int("maximum", s.Maximum))
	}
	fields.Add(slog.String("keep_alive", s.KeepAlive.String()),
		slog.Bool("core_timeout", s.CoreTimeout),
		slog.Int("workers", s.Workers), slog.Int("largest", s.Largest),
		slog.Int("busy", s.Busy), slog.Int("queued", s.Queued),
		slog.Int("blocked", s.Blocked),
		slog.Uint64("accepted", s.Accepted), slog.Uint64("rejected", s.Rejected),
		slog.Uint64("completed", s.Completed), slog.Uint64("cancelled", s.Cancelled),
		slog.Uint64("returned", s.Returned), slog.Uint64("runs", s.Runs),
		slog.Uint64("failures", s.Failures), slog.Uint64("skipped", s.Skipped),
		slog.Uint64("retries", s.Retries), slog.Uint64("expired", s.Expired),
		slog.Uint64("wakeups", s.Wakeups))
	if s.Paused {
		fields.Add(slog.Bool("paused", true))
	}
	if s.TimedOut > 0 {
		fields.Add(slog.Uint64("timed_out", s.TimedOut))
	}
	if s.Overrunning > 0 {
		fields.Add(slog.Int("overrunning", s.Overrunning))
	}
	fields.Span("slack", s.Slack)
	fields.Span("overdue", s.Overdue)
	if s.Late != nil {
		fields.Add(slog.Any("late", s.Late), slog.Any("took", s.Took))
	}
	return slog.GroupValue(fields...)
}
