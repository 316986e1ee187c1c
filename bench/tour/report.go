package main

import (
	"encoding/json"
	"io"
	"time"
)

// report is the tour as data. Durations are in nanoseconds; times count from the start of the
// comparison.
type report struct {
	Length     time.Duration `json:"lengthNs"`
	Period     time.Duration `json:"periodNs"`
	Work       time.Duration `json:"workNs"`
	StalledRun int           `json:"stalledRun"`
	Stall      time.Duration `json:"stallNs"`
	Lateness   string        `json:"latenessDefinition"`
	Systems    []system      `json:"systems"`

	Picture      string `json:"svg,omitempty"`
	PictureError string `json:"svgError,omitempty"`

	Ordeal   *ordeal `json:"ordeal"`
	Showcase []step  `json:"showcase"`
}

func newReport(sc scenario, systems []system) *report {
	return &report{
		Length:     sc.length,
		Period:     sc.period,
		Work:       sc.work,
		StalledRun: sc.stalled,
		Stall:      sc.stall,
		Lateness:   latenessDefinition,
		Systems:    systems,
	}
}

func (r *report) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
