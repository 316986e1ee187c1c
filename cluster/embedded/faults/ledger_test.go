package faults

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// ledger is what the journals say about a task.
type ledger struct {
	accepted []event // each submission that returned its ID
	cancels  []event // prevented, or without an answer
	outcomes []string
	runs     []span
	kept     bool // in the failed set
}

func (l *ledger) String() string {
	return fmt.Sprint(l.outcomes, " accepted ", l.accepted, " cancelled ", l.cancels,
		" runs ", l.runs)
}

// judgeTasks judges all tasks, each by itself, and the keys.
func (v *verdict) judgeTasks(events []event, spans []span) {
	tasks := map[string]*ledger{}
	tasks[theSet] = &ledger{}
	of := func(id string) *ledger {
		if tasks[id] == nil {
			tasks[id] = &ledger{}
		}
		return tasks[id]
	}
	for _, e := range events {
		switch e.Kind {
		case "accepted":
			of(e.ID).accepted = append(of(e.ID).accepted, e)
		case "outcome":
			of(e.ID).outcomes = append(of(e.ID).outcomes, e.Text)
		case "kept":
			of(e.ID).kept = true
		case "uncertain":
			v.Uncertain++
		case "cancelled":
			if e.Text == prevents {
				v.Cancelled++
				of(e.ID).cancels = append(of(e.ID).cancels, e)
			}
		case "failed":
			v.note(&v.Failed, "failed: %v", e)
		}
	}
	for _, s := range spans {
		if s.Series == "" {
			of(s.ID).runs = append(of(s.ID).runs, s)
		}
	}
	for id, l := range tasks {
		v.judgeTask(id, l)
		if tasks[theSet].kept && l.failed() && !l.kept {
			v.note(&v.Unkept, "is not in the failed set: %s, %v", id, l)
		}
	}
	v.judgeKeys(tasks)
}

// theSet is an ID that is written down as kept when the failed set has been read.
const theSet = "all"

// failed tells whether the outcome of a task is a failure.
func (l *ledger) failed() bool {
	return len(l.outcomes) > 0 && (strings.Contains(l.outcomes[0], " failed: ") ||
		strings.Contains(l.outcomes[0], cluster.ErrAbandoned.Error()))
}

// judgeRetries judges the attempts of tasks that are tried again: none begins before its time, and
// none that came before one which is stored by then.
func (v *verdict) judgeRetries(events []event, spans []span) {
	stored := map[string][]event{}
	for _, e := range events {
		if e.Kind == "retries" {
			stored[e.ID] = append(stored[e.ID], e)
		}
	}
	for _, s := range spans {
		for _, e := range stored[s.ID] {
			switch {
			case s.Attempt == e.Attempt+1 && s.At.Before(e.Planned.Add(-earliest)):
				v.note(&v.Retried, "too early: %v, planned as %v", s.event, e)
			case s.Attempt <= e.Attempt && !s.stale && s.At.After(e.At.Add(asked)):
				v.note(&v.Retried, "again: %v, after %v", s.event, e)
			}
		}
	}
}

func (v *verdict) judgeTask(id string, l *ledger) {
	if len(l.accepted) == 0 {
		return
	}
	v.Accepted++
	slices.Sort(l.outcomes)
	l.outcomes = slices.Compact(l.outcomes)
	switch {
	case len(l.outcomes) == 0:
		v.note(&v.Unfinished, "without outcome: %s, %v", id, l)
		return
	case len(l.outcomes) > 1:
		v.note(&v.Disagree, "outcomes disagree: %s, %v", id, l)
	}
	is := func(err error) bool { return strings.Contains(l.outcomes[0], err.Error()) }
	if is(cluster.ErrGone) {
		v.note(&v.Gone, "gone: %s, %v", id, l)
	}
	// Where faults are as dense as here, a task can lose its worker at each of five attempts.
	if is(cluster.ErrAbandoned) && 0 < len(l.runs) && len(l.runs) < 5 && l.runs[0].Task != "bomb" {
		v.note(&v.Abandoned, "abandoned: %s, %v", id, l)
	}
	if strings.HasSuffix(l.outcomes[0], "<nil>") && len(l.runs) == 0 {
		v.note(&v.Unrun, "has never run: %s, %v", id, l)
	}
	for _, c := range l.cancels {
		if !is(cluster.ErrCancelled) {
			v.note(&v.Ignored, "is not cancelled: %s, %v", id, l)
		}
		for _, r := range l.runs {
			if !r.stale && r.At.After(c.At.Add(asked)) {
				v.note(&v.Revived, "began after %v: %v", c, r.event)
			}
		}
	}
}

// asked is for how long a worker may know, as it begins a run, that it is not cancelled, and for
// how long a busy machine may keep it from that.
const asked = 500 * time.Millisecond

// judgeKeys judges that a key has one task at a time: the next is stored only if what became of the
// last frees the key, and from then on nobody gets the last.
func (v *verdict) judgeKeys(tasks map[string]*ledger) {
	keys := map[string][]event{}
	for _, l := range tasks {
		for _, e := range l.accepted {
			if e.Key != "" {
				keys[e.Key] = append(keys[e.Key], e)
			}
		}
	}
	for key, calls := range keys {
		slices.SortFunc(calls, func(a, b event) int { return a.At.Compare(b.At) })
		rank := map[string]int{}
		for i, e := range calls {
			if _, known := rank[e.ID]; !known {
				rank[e.ID] = len(rank)
			}
			for _, before := range calls[:i] {
				if before.At.Before(e.Begun) && rank[before.ID] > rank[e.ID] {
					v.note(&v.Keys, "key %s: %s again, after %s", key, e.ID, before.ID)
				}
			}
		}
		for id, n := range rank {
			if n < len(rank)-1 && !tasks[id].frees(key) {
				v.note(&v.Keys, "key %s: %s does not free it: %v", key, id, tasks[id])
			}
		}
	}
}

// frees tells whether the outcome of a task frees its key.
func (l *ledger) frees(key string) bool {
	if len(l.outcomes) == 0 {
		return false
	}
	if strings.HasPrefix(key, unlessFailed) && !strings.HasSuffix(l.outcomes[0], "<nil>") {
		return true
	}
	return strings.Contains(l.outcomes[0], cluster.ErrCancelled.Error())
}

// unlessFailed begins the keys of OnceUnlessFailed.
const unlessFailed = "unless"
