// Package tape is the format of recordings: what a pool or event loop has done with which task and
// when, one JSON object a line. [Writer] writes them, package executor/replay reads them.
package tape

import (
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

// Version is that of the format.
const Version = 1

// Header is the first line of a recording.
type Header struct {
	Version int       `json:"punctual"`
	Name    string    `json:"name,omitempty"`
	Kind    string    `json:"kind"`    // "pool" or "loop"
	Workers int       `json:"workers"` // how many tasks may run at a time
	At      time.Time `json:"at"`      // when it begins; the times of events count from here
}

// What an event says has happened.
const (
	Submitted = "submit"
	Rejected  = "reject"
	Began     = "begin"
	Ended     = "end"
	Expired   = "expire" // a run that has come too late and does not begin
	Cancelled = "cancel"
	Dropped   = "drop"
	Over      = "over" // the task has ended without another run
	Paused    = "pause"
	Resumed   = "resume"
	Lost      = "lost" // events that the writer could not keep up with
	Full      = "full" // what follows is missing, as the recording has become too long
	Closed    = "close"
)

// How a run has ended.
const (
	OK      = "ok"
	Failed  = "error"
	Skipped = "skipped"
	Panic   = "panic"
	Goexit  = "goexit"
	Timeout = "timeout"
)

// Event is any other line. Times and durations are in nanoseconds.
type Event struct {
	At   int64  `json:"t"`
	What string `json:"e"`
	Task uint64 `json:"id,omitempty"` // its number, from 1 on, in order of submission

	// Of a submission.
	Name        string         `json:"name,omitempty"`
	In          int64          `json:"in,omitempty"` // until the first run
	Rate        int64          `json:"rate,omitempty"`
	Delay       int64          `json:"delay,omitempty"`
	Calendar    bool           `json:"calendar,omitempty"`
	Planned     bool           `json:"planned,omitempty"` // not by the period alone
	CatchUp     series.CatchUp `json:"catch_up,omitempty"`
	Timeout     int64          `json:"timeout,omitempty"`
	BeginWithin int64          `json:"begin_within,omitempty"`
	OnError     series.OnError `json:"on_error,omitempty"`
	MaxRuns     uint64         `json:"max_runs,omitempty"`
	Silent      bool           `json:"silent,omitempty"` // it has no future

	// Of a run.
	Run     uint64 `json:"n,omitempty"`
	Attempt uint64 `json:"attempt,omitempty"`
	Due     int64  `json:"due,omitempty"` // for when it was planned
	Extra   bool   `json:"extra,omitempty"`
	How     string `json:"how,omitempty"`
	Last    bool   `json:"last,omitempty"` // the task has ended with the run

	Count uint64 `json:"count,omitempty"` // of lost events
}
