package insight

import (
	"encoding/json"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/internal/text"
)

// In JSON, and as values for a structured log, unknown times and empty fields are left out. A
// duration is written as the text of [time.Duration], such as "1.5s".

// distributionFields is a Distribution as JSON shows it.
type distributionFields struct {
	Count uint64        `json:"count"`
	Mean  text.Duration `json:"mean"`
	P50   text.Duration `json:"p50"`
	P90   text.Duration `json:"p90"`
	P99   text.Duration `json:"p99"`
	Max   text.Duration `json:"max"`
}

// MarshalJSON writes the durations as strings.
func (d Distribution) MarshalJSON() ([]byte, error) {
	return json.Marshal(distributionFields{d.Count, text.Duration(d.Mean), text.Duration(d.P50),
		text.Duration(d.P90), text.Duration(d.P99), text.Duration(d.Max)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Distribution) UnmarshalJSON(data []byte) error {
	var f distributionFields
	err := json.Unmarshal(data, &f)
	*d = Distribution{f.Count, time.Duration(f.Mean), time.Duration(f.P50), time.Duration(f.P90),
		time.Duration(f.P99), time.Duration(f.Max)}
	return err
}

// LogValue returns the fields for a structured log.
func (d Distribution) LogValue() slog.Value {
	span := func(key string, d time.Duration) slog.Attr { return slog.String(key, d.String()) }
	return slog.GroupValue(slog.Uint64("count", d.Count), span("mean", d.Mean), span("p50", d.P50),
		span("p90", d.P90), span("p99", d.P99), span("max", d.Max))
}

// String returns the fields as a line of text.
func (d Distribution) String() string { return d.LogValue().String() }

// latenessFields is a Lateness as JSON shows it.
type latenessFields struct {
	Total     text.Duration `json:"total"`
	Clock     text.Duration `json:"clock,omitzero"`
	Previous  text.Duration `json:"previous,omitzero"`
	Held      text.Duration `json:"held,omitzero"`
	Busy      text.Duration `json:"busy,omitzero"`
	Queue     text.Duration `json:"queue,omitzero"`
	Slack     text.Duration `json:"slack,omitzero"`
	Wake      text.Duration `json:"wake,omitzero"`
	Collector text.Duration `json:"collector,omitzero"`
	Holders   []Holder      `json:"holders,omitempty"`
	Partial   bool          `json:"partial,omitempty"`
	Expired   bool          `json:"expired,omitempty"`
}

// MarshalJSON writes the durations as strings.
func (l Lateness) MarshalJSON() ([]byte, error) {
	return json.Marshal(latenessFields{text.Duration(l.Total), text.Duration(l.Clock),
		text.Duration(l.Previous), text.Duration(l.Held), text.Duration(l.Busy),
		text.Duration(l.Queue), text.Duration(l.Slack), text.Duration(l.Wake),
		text.Duration(l.Collector), l.Holders, l.Partial, l.Expired})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Lateness) UnmarshalJSON(data []byte) error {
	var f latenessFields
	err := json.Unmarshal(data, &f)
	*l = Lateness{Total: time.Duration(f.Total), Clock: time.Duration(f.Clock),
		Previous: time.Duration(f.Previous), Held: time.Duration(f.Held),
		Busy: time.Duration(f.Busy), Queue: time.Duration(f.Queue), Slack: time.Duration(f.Slack),
		Wake: time.Duration(f.Wake), Collector: time.Duration(f.Collector),
		Holders: f.Holders, Partial: f.Partial, Expired: f.Expired}
	return err
}

// LogValue returns the parts that are not zero for a structured log.
func (l Lateness) LogValue() slog.Value {
	var fields text.Attrs
	fields.Add(slog.String("total", l.Total.String()))
	fields.Span("clock", l.Clock)
	fields.Span("previous", l.Previous)
	fields.Span("held", l.Held)
	fields.Span("busy", l.Busy)
	fields.Span("queue", l.Queue)
	fields.Span("slack", l.Slack)
	fields.Span("wake", l.Wake)
	fields.Span("collector", l.Collector)
	if l.Holders != nil {
		fields.Add(slog.Any("holders", l.Holders))
	}
	if l.Expired {
		fields.Add(slog.Bool("expired", true))
	}
	return slog.GroupValue(fields...)
}

// holderFields is a Holder as JSON shows it.
type holderFields struct {
	Name    string        `json:"name,omitempty"`
	Number  uint64        `json:"number"`
	Started time.Time     `json:"started,omitzero"`
	For     text.Duration `json:"for"`
}

// MarshalJSON writes For as a string.
func (h Holder) MarshalJSON() ([]byte, error) {
	return json.Marshal(holderFields{h.Name, h.Number, h.Started, text.Duration(h.For)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (h *Holder) UnmarshalJSON(data []byte) error {
	var f holderFields
	err := json.Unmarshal(data, &f)
	*h = Holder{f.Name, f.Number, f.Started, time.Duration(f.For)}
	return err
}
