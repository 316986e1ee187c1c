package executor

import (
	"encoding/json"
	"log/slog"
	"time"
)

// Reports and snapshots can be encoded as JSON, and as values for a structured log, with the same
// names in both. Unknown times and empty fields are left out. A duration is written as the text of
// [time.Duration], such as "1.5s", which [time.ParseDuration] reads.

// duration is a time.Duration that is encoded as a string.
type duration time.Duration

func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = duration(parsed)
	return err
}

// runFields is a Running without its methods, as JSON shows it.
type runFields struct {
	Run
	For      duration `json:"for"`
	Waits    bool     `json:"waits,omitzero"`
	WaitsFor string   `json:"waits_for,omitempty"`
}

// MarshalJSON writes the fields of the run, and For as a string.
func (r Running) MarshalJSON() ([]byte, error) {
	return json.Marshal(runFields{r.Run, duration(r.For), r.Waits, r.WaitsFor})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Running) UnmarshalJSON(text []byte) error {
	var fields runFields
	err := json.Unmarshal(text, &fields)
	*r = Running{fields.Run, time.Duration(fields.For), fields.Waits, fields.WaitsFor}
	return err
}

// plainStats is Stats without its methods, so that encoding it does not recurse.
type plainStats Stats

// statsFields is Stats as JSON shows it: the durations hide the fields of the same names inside
// plainStats.
type statsFields struct {
	*plainStats
	KeepAlive duration `json:"keep_alive"`
	Slack     duration `json:"slack,omitzero"`
	Overdue   duration `json:"overdue,omitzero"`
}

// MarshalJSON writes the durations as strings.
func (s Stats) MarshalJSON() ([]byte, error) {
	return json.Marshal(statsFields{(*plainStats)(&s), duration(s.KeepAlive), duration(s.Slack),
		duration(s.Overdue)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Stats) UnmarshalJSON(text []byte) error {
	fields := statsFields{plainStats: (*plainStats)(s)}
	err := json.Unmarshal(text, &fields)
	s.KeepAlive, s.Slack = time.Duration(fields.KeepAlive), time.Duration(fields.Slack)
	s.Overdue = time.Duration(fields.Overdue)
	return err
}

// distributionFields is a Distribution as JSON shows it.
type distributionFields struct {
	Count uint64   `json:"count"`
	Mean  duration `json:"mean"`
	P50   duration `json:"p50"`
	P90   duration `json:"p90"`
	P99   duration `json:"p99"`
	Max   duration `json:"max"`
}

// MarshalJSON writes the durations as strings.
func (d Distribution) MarshalJSON() ([]byte, error) {
	return json.Marshal(distributionFields{d.Count, duration(d.Mean), duration(d.P50),
		duration(d.P90), duration(d.P99), duration(d.Max)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Distribution) UnmarshalJSON(text []byte) error {
	var f distributionFields
	err := json.Unmarshal(text, &f)
	*d = Distribution{f.Count, time.Duration(f.Mean), time.Duration(f.P50), time.Duration(f.P90),
		time.Duration(f.P99), time.Duration(f.Max)}
	return err
}

// LogValue returns the fields for a structured log.
func (d Distribution) LogValue() slog.Value {
	text := func(key string, d time.Duration) slog.Attr { return slog.String(key, d.String()) }
	return slog.GroupValue(slog.Uint64("count", d.Count), text("mean", d.Mean), text("p50", d.P50),
		text("p90", d.P90), text("p99", d.P99), text("max", d.Max))
}

// String returns the fields as a line of text.
func (d Distribution) String() string { return d.LogValue().String() }

// latenessFields is a Lateness as JSON shows it.
type latenessFields struct {
	Total     duration  `json:"total"`
	Clock     duration  `json:"clock,omitzero"`
	Previous  duration  `json:"previous,omitzero"`
	Held      duration  `json:"held,omitzero"`
	Busy      duration  `json:"busy,omitzero"`
	Queue     duration  `json:"queue,omitzero"`
	Slack     duration  `json:"slack,omitzero"`
	Wake      duration  `json:"wake,omitzero"`
	Collector duration  `json:"collector,omitzero"`
	Holders   []Running `json:"holders,omitempty"`
	Partial   bool      `json:"partial,omitempty"`
	Expired   bool      `json:"expired,omitempty"`
}

// MarshalJSON writes the durations as strings.
func (l Lateness) MarshalJSON() ([]byte, error) {
	return json.Marshal(latenessFields{duration(l.Total), duration(l.Clock), duration(l.Previous),
		duration(l.Held), duration(l.Busy), duration(l.Queue), duration(l.Slack), duration(l.Wake),
		duration(l.Collector), l.Holders, l.Partial, l.Expired})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Lateness) UnmarshalJSON(text []byte) error {
	var f latenessFields
	err := json.Unmarshal(text, &f)
	*l = Lateness{Total: time.Duration(f.Total), Clock: time.Duration(f.Clock),
		Previous: time.Duration(f.Previous), Held: time.Duration(f.Held),
		Busy: time.Duration(f.Busy), Queue: time.Duration(f.Queue), Slack: time.Duration(f.Slack),
		Wake: time.Duration(f.Wake), Collector: time.Duration(f.Collector),
		Holders: f.Holders, Partial: f.Partial, Expired: f.Expired}
	return err
}

// LogValue returns the parts that are not zero for a structured log.
func (l Lateness) LogValue() slog.Value {
	var fields attrs
	fields.add(slog.String("total", l.Total.String()))
	fields.span("clock", l.Clock)
	fields.span("previous", l.Previous)
	fields.span("held", l.Held)
	fields.span("busy", l.Busy)
	fields.span("queue", l.Queue)
	fields.span("slack", l.Slack)
	fields.span("wake", l.Wake)
	fields.span("collector", l.Collector)
	if l.Holders != nil {
		fields.add(slog.Any("holders", l.Holders))
	}
	if l.Expired {
		fields.add(slog.Bool("expired", true))
	}
	return slog.GroupValue(fields...)
}

// LogValue returns the two lists for a structured log.
func (r Report) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("dropped", r.Dropped), slog.Any("running", r.Running))
}

// LogValue returns the fields, without Task, for a structured log.
func (t Pending) LogValue() slog.Value {
	var fields attrs
	fields.name(t.Name)
	fields.time("scheduled", t.Scheduled)
	if t.Periodic {
		fields.add(slog.Bool("periodic", true), slog.Uint64("runs", t.Runs))
	}
	return slog.GroupValue(fields...)
}

// String returns the fields, without Task, as a line of text.
func (t Pending) String() string { return t.LogValue().String() }

// LogValue returns the fields for a structured log.
func (r Run) LogValue() slog.Value { return slog.GroupValue(r.attrs()...) }

// String returns the fields as a line of text.
func (r Run) String() string { return r.LogValue().String() }

func (r Run) attrs() (fields attrs) {
	fields.name(r.Name)
	fields.add(slog.Uint64("number", r.Number))
	fields.time("scheduled", r.Scheduled)
	fields.time("started", r.Started)
	if r.Missed > 0 {
		fields.add(slog.Uint64("missed", r.Missed))
	}
	if r.Attempt > 0 {
		fields.add(slog.Uint64("attempt", r.Attempt))
	}
	if r.Triggered {
		fields.add(slog.Bool("triggered", true))
	}
	if r.Periodic {
		fields.add(slog.Bool("periodic", true))
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
	var fields attrs
	fields.name(s.Name)
	fields.add(slog.String("state", s.State), slog.Int("core", s.Core))
	if s.Maximum > 0 {
		fields.add(slog.Int("maximum", s.Maximum))
	}
	fields.add(slog.String("keep_alive", s.KeepAlive.String()),
		slog.Bool("core_timeout", s.CoreTimeout),
		slog.Int("workers", s.Workers), slog.Int("largest", s.Largest),
		slog.Int("busy", s.Busy), slog.Int("queued", s.Queued),
		slog.Int("blocked", s.Blocked),
		slog.Uint64("accepted", s.Accepted), slog.Uint64("rejected", s.Rejected),
		slog.Uint64("completed", s.Completed), slog.Uint64("cancelled", s.Cancelled),
		slog.Uint64("returned", s.Returned), slog.Uint64("runs", s.Runs),
		slog.Uint64("failures", s.Failures), slog.Uint64("retries", s.Retries),
		slog.Uint64("expired", s.Expired), slog.Uint64("wakeups", s.Wakeups))
	if s.Paused {
		fields.add(slog.Bool("paused", true))
	}
	if s.TimedOut > 0 {
		fields.add(slog.Uint64("timed_out", s.TimedOut))
	}
	if s.Overrunning > 0 {
		fields.add(slog.Int("overrunning", s.Overrunning))
	}
	fields.span("slack", s.Slack)
	fields.span("overdue", s.Overdue)
	if s.Late != nil {
		fields.add(slog.Any("late", s.Late), slog.Any("took", s.Took))
	}
	return slog.GroupValue(fields...)
}

// attrs are the fields of a value for a log. Its methods leave out what is empty.
type attrs []slog.Attr

func (as *attrs) add(more ...slog.Attr) { *as = append(*as, more...) }

func (as *attrs) name(name string) {
	if name != "" {
		as.add(slog.String("name", name))
	}
}

func (as *attrs) span(key string, d time.Duration) {
	if d != 0 {
		as.add(slog.String(key, d.String()))
	}
}

func (as *attrs) time(key string, at time.Time) {
	if !at.IsZero() {
		as.add(slog.Time(key, at))
	}
}
