package supervisor_test

import (
	"fmt"
	"time"
)

// patience is somebody who waits for the next cycle to begin as long as WorstGap says, and no
// longer, but does not count suspensions.
type patience struct {
	pauses []pause
	held   bool
}

// pause is a time when a supervisor was suspended, or asked to be.
type pause struct{ from, to time.Duration }

// do takes note of a step that is done now.
func (p *patience) do(st step, now time.Duration) {
	switch {
	case st.op == "suspend" && !p.held:
		p.held = true
		p.pauses = append(p.pauses, pause{from: now, to: 1<<63 - 1})
	case st.op == "resume" && p.held:
		p.held = false
		p.pauses[len(p.pauses)-1].to = now
	}
}

// check looks at the starts of all cycles so far: those with an outcome, capped ones included, and
// one that has begun a run and has no outcome yet.
func (p *patience) check(s *subject) error {
	st, now := s.Stats(), time.Since(s.epoch)
	var starts []time.Duration
	for _, o := range s.told() {
		starts = append(starts, o.Started.Sub(s.epoch))
	}
	switch begun := s.begun(); st.State {
	case "running":
		starts = append(starts, begun[len(begun)-1])
	case "waiting":
		starts = append(starts, now) // the next is not before
	}
	for i := 1; i < len(starts); i++ {
		from, to := starts[i-1], starts[i]
		if gap := to - from; gap > st.WorstGap && !p.paused(from, to) {
			return fmt.Errorf("nothing began from %v to %v, and the worst gap is %v", from, to, st.WorstGap)
		}
	}
	return nil
}

func (p *patience) paused(from, to time.Duration) bool {
	for _, pause := range p.pauses {
		if pause.from <= to && pause.to >= from {
			return true
		}
	}
	return false
}
