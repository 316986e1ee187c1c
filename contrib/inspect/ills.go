package inspect

import (
	"slices"
	"strings"

	"github.com/punctual-go/punctual/executor/insight"
)

// ills are what is wrong with tasks and what their own status does not tell.
type ills struct {
	byName map[string]string // the worst of each name
	dead   []*entry          // those that a failure has ended, by name
}

func (s *seen) findIlls() ills {
	found := ills{byName: map[string]string{}}
	for _, t := range s.troubles() {
		switch t.What {
		case insight.Dead:
			found.dead = append(found.dead, deadEntry(t))
		case insight.Stuck, insight.GivenUp, insight.Expiring:
			if found.byName[t.Name] == "" { // the worst comes first
				found.byName[t.Name] = t.What
			}
		}
	}
	slices.SortFunc(found.dead, byName)
	return found
}

// deadEntry returns a task that a failure has ended, as it is listed.
func deadEntry(t insight.Trouble) *entry {
	return &entry{name: t.Name, lower: strings.ToLower(t.Name), id: hashed(t.Name), dead: &t}
}

// illOf says in a word what is wrong with a task, the worst that is; "" if nothing is. What is
// known of a name only holds for those tasks of the name that it can be true of.
func (s *seen) illOf(e *entry, b *brief) string {
	if e.dead != nil {
		return "" // others may have its name
	}
	worst := b.wrong
	add := func(what string, is bool) {
		if is && (worst == "" || rank(what) < rank(worst)) {
			worst = what
		}
	}
	switch what := s.ills().byName[e.name]; what {
	case insight.Stuck:
		add(what, b.state == stateRunning)
	case insight.GivenUp:
		add(what, b.state == statePaused)
	case insight.Expiring:
		add(what, true)
	}
	overdue := b.state == stateWaiting && s.at.UnixNano()-b.next >= int64(longOverdue)
	add(insight.Overdue, overdue && !s.figures.Paused)
	return worst
}

// briefOfDead returns by what a task is chosen and sorted that a failure has ended.
func briefOfDead(t *insight.Trouble) brief {
	b := brief{state: insight.Dead, next: noNext}
	if t.Run != nil {
		b.took, b.runs = t.Run.Took, t.Run.Number
	}
	return b
}

// deadRow is a task in a line that a failure has ended.
func (s *seen) deadRow(e *entry) row {
	r := row{Task: link{text(named(e.name)), e.path(s.source)}, State: insight.Dead, Kind: stateEnded}
	if run := e.dead.Run; run != nil {
		r.Runs = run.Number
		r.Last = &lastRun{Number: run.Number, Started: run.Started, Took: span(run.Took),
			Error: s.page.redactor.error(run.Err)}
	}
	return r
}

// noNext is the time of the next run of a task that has none, as a brief has it.
const noNext = int64(1<<63 - 1)
