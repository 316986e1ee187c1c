package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// events is what a recording says of some tasks.
type events struct {
	submitted, rejected int
	began, ended        int
	succeeded, skipped  int
	overran, expired    int
	cancelled, dropped  int
}

// tape is a recording, summed up.
type tape struct {
	all      events
	names    map[string]*events
	ends     map[uint64]int // how often a task has ended
	complete bool
	partial  bool // events are missing
	bad      []string
}

// event is a line of a recording, as far as it matters here.
type event struct {
	What string `json:"e"`
	Task uint64 `json:"id"`
	Name string `json:"name"`
	How  string `json:"how"`
	Last bool   `json:"last"`
}

// readTape reads a recording.
func readTape(text []byte) *tape {
	r := &tape{names: map[string]*events{}, ends: map[uint64]int{}}
	name := map[uint64]string{}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			r.bad = append(r.bad, fmt.Sprintf("line %d of the recording: %v", i+1, err))
			continue
		}
		if i == 0 {
			continue // the header
		}
		if e.What == "submit" {
			name[e.Task] = e.Name
			r.ends[e.Task] = 0
		}
		of := r.names[name[e.Task]]
		if of == nil {
			of = new(events)
			r.names[name[e.Task]] = of
		}
		r.add(&r.all, e)
		of.add(e)
		if e.Last {
			r.ends[e.Task]++
		}
	}
	return r
}

func (r *tape) add(all *events, e event) {
	switch e.What {
	case "lost", "full":
		r.partial = true
	case "close":
		r.complete = true
	}
	all.add(e)
}

func (n *events) add(e event) {
	switch e.What {
	case "submit":
		n.submitted++
	case "reject":
		n.rejected++
	case "begin":
		n.began++
	case "end":
		n.ended++
		switch e.How {
		case "ok":
			n.succeeded++
		case "skipped":
			n.skipped++
		case "timeout":
			n.overran++
		}
	case "expire":
		n.expired++
	case "cancel":
		n.cancelled++
	case "drop":
		n.dropped++
	}
}
