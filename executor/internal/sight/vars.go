package sight

import (
	"encoding/json"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// Vars is what an executor shows to package expvar: numbers only, times in nanoseconds, so that a
// collector can draw them. The names stay.
type Vars struct {
	Name        string   `json:"name"`
	State       string   `json:"state"`
	Workers     int      `json:"workers"`
	Busy        int      `json:"busy"`
	Queued      int      `json:"queued"`
	Overdue     int64    `json:"overdue_ns"`
	Accepted    uint64   `json:"accepted"`
	Rejected    uint64   `json:"rejected"`
	Completed   uint64   `json:"completed"`
	Cancelled   uint64   `json:"cancelled"`
	Returned    uint64   `json:"returned"`
	Runs        uint64   `json:"runs"`
	Failures    uint64   `json:"failures"`
	Skipped     uint64   `json:"skipped"`
	Retries     uint64   `json:"retries"`
	Expired     uint64   `json:"expired"`
	TimedOut    uint64   `json:"timed_out"`
	Overrunning int      `json:"overrunning"`
	Wakeups     uint64   `json:"wakeups"`
	Late        *lateVar `json:"late,omitempty"`
	Took        *distVar `json:"took,omitempty"`
}

type distVar struct {
	Count uint64 `json:"count"`
	Sum   int64  `json:"sum_ns"`
	P50   int64  `json:"p50_ns"`
	P99   int64  `json:"p99_ns"`
	Max   int64  `json:"max_ns"`
}

type lateVar struct {
	distVar
	By byVar `json:"by"`
}

type byVar struct {
	Clock    int64 `json:"clock_ns"`
	Previous int64 `json:"previous_ns"`
	Held     int64 `json:"held_ns"`
	Busy     int64 `json:"busy_ns"`
	Queue    int64 `json:"queue_ns"`
	Slack    int64 `json:"slack_ns"`
	Wake     int64 `json:"wake_ns"`
}

// MeasuredLocked fills in what is measured of the runs of an owner. The lock is held.
func (v *Vars) MeasuredLocked(o *run.Owner) {
	s := Of(o)
	if s.insight == nil {
		return
	}
	all, by := &s.insight.All, &s.insight.Reasons
	took := distOf(&all.Took)
	v.Took = &took
	v.Late = &lateVar{distOf(&all.Late), byVar{
		Clock: int64(by.Clock), Previous: int64(by.Previous), Held: int64(by.Held),
		Busy: int64(by.Busy), Queue: int64(by.Queue), Slack: int64(by.Slack), Wake: int64(by.Wake),
	}}
}

func distOf(h *insight.Histogram) distVar {
	at := func(q float64) int64 { return int64(h.Quantile(q)) }
	return distVar{h.Count(), int64(h.Sum), at(0.5), at(0.99), int64(h.Max)}
}

// String returns the fields as JSON.
func (v Vars) String() string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null" // of numbers and strings, so it does not happen
	}
	return string(text)
}

// VarFunc shows the values of the moment in which it is asked.
type VarFunc func() Vars

// String returns them as JSON.
func (f VarFunc) String() string { return f().String() }
