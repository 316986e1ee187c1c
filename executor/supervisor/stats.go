package supervisor

import (
	"fmt"
	"time"
)

// Stats is a snapshot of a supervisor, taken in one piece.
type Stats struct {
	Name  string
	State string // new, waiting, running, suspended, stopped

	Succeeded uint64 // cycles by their outcome; see Kind
	TimedOut  uint64
	Failed    uint64
	Rejected  uint64
	Capped    uint64

	LastSuccess time.Time     // when the last cycle that succeeded has ended; zero if none has
	Delay       time.Duration // between cycles at present, without jitter
	Next        time.Time     // when the next cycle begins; zero unless it is waited for
	Unfinished  int           // runs that have outlived their cycle and go on

	// WorstGap is the longest time from the start of one cycle to that of the next, whatever goes wrong
	// with the runs: the time-out, the delay at its longest, and the jitter. It does not count what a
	// busy process adds, nor the time of a suspension; and cycles that are capped begin no run.
	WorstGap time.Duration
}

// counts are the cycles that have ended, by kind.
type counts [kinds]uint64

// Stats returns a snapshot of the supervisor.
func (s *Supervisor) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{
		Name:        s.shared.Name,
		State:       s.state.String(),
		Succeeded:   s.counts[Succeeded],
		TimedOut:    s.counts[TimedOut],
		Failed:      s.counts[Failed],
		Rejected:    s.counts[Rejected],
		Capped:      s.counts[Capped],
		LastSuccess: s.lastSuccess,
		Delay:       s.backoff.delay,
		Next:        s.due,
		Unfinished:  s.unfinished(),
		WorstGap:    plus(s.timeout, s.backoff.worst()),
	}
}

// String tells the state of the supervisor in a line.
func (s *Supervisor) String() string {
	st := s.Stats()
	return fmt.Sprintf("supervisor(%q: %s, delay %v, %d succeeded, %d timed out, %d failed, %d rejected, %d capped, %d unfinished)",
		st.Name, st.State, st.Delay, st.Succeeded, st.TimedOut, st.Failed, st.Rejected, st.Capped, st.Unfinished)
}
