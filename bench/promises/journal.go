package main

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// journal is what happened while a program was played, in order.
type journal []event

func (j journal) all(what string) journal {
	var found journal
	for _, e := range j {
		if e.what == what {
			found = append(found, e)
		}
	}
	return found
}

func (j journal) of(id string) journal {
	var found journal
	for _, e := range j {
		if e.id == id {
			found = append(found, e)
		}
	}
	return found
}

// first returns the first event of a kind; ok is false if there is none.
func (j journal) first(what string) (e event, ok bool) {
	i := slices.IndexFunc(j, func(e event) bool { return e.what == what })
	if i < 0 {
		return event{}, false
	}
	return j[i], true
}

// begun returns the ids of all runs in the order in which they began, but of the tasks that only
// occupy workers.
func (j journal) begun() []string {
	var ids []string
	for _, e := range j {
		if e.what == "begin" && !strings.HasPrefix(e.id, holder) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// pen writes a journal.
type pen struct {
	start time.Time

	mu      sync.Mutex
	events  journal
	forward func(event) // each event too, at once; or nil
}

func newPen(forward func(event)) *pen { return &pen{start: time.Now(), forward: forward} }

func (p *pen) now() time.Duration { return time.Since(p.start) }

// note writes an event down. The order of the journal is that of its times.
func (p *pen) note(e event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.at = p.now()
	p.events = append(p.events, e)
	if p.forward != nil {
		p.forward(e)
	}
}

func (p *pen) journal() journal {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}
