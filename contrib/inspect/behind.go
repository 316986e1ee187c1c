package inspect

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// showsBehind is shown of a task whose runs take longer than its period, so that it misses some
// each time: nothing fails, and nothing is late for long.
const showsBehind = "behind"

// fewestBehind is how many runs in a row have to be so.
const fewestBehind = 3

// behind returns the tasks that are so, among those names that are measured.
func (s *seen) behind() (found []insight.Trouble) {
	if !s.history().Kept {
		return nil
	}
	for _, m := range s.measurements().Tasks {
		if m.Missed == 0 || s.tasks().named(m.Name) != 1 {
			continue
		}
		e := s.tasks().byID[hashed(m.Name)]
		if e == nil || e.name != m.Name {
			continue
		}
		if since, period := e.behindSince(); period > 0 {
			found = append(found, insight.Trouble{What: showsBehind, Name: m.Name, Since: since,
				Count:  m.Missed,
				Reason: "its runs take longer than its period of " + span(period).String()})
		}
	}
	return found
}

// behindSince returns since when each run has taken longer than the period, as far as is
// remembered; the period is 0 if that is not so.
func (e *entry) behindSince() (since time.Time, period time.Duration) {
	st := e.handle.Status()
	past := e.handle.History() // the latest first
	if st.Kind == executor.FixedDelay || st.Calendar != nil || st.Period <= 0 || st.Paused {
		return since, 0
	}
	well := func(r insight.PastRun) bool { return r.Missed == 0 || r.Took < st.Period }
	n := slices.IndexFunc(past, well)
	if n < 0 {
		n = len(past)
	}
	if n < fewestBehind {
		return since, 0
	}
	return past[n-1].Started, st.Period
}
