package supervisor

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// Stats is a consistent snapshot of a supervisor.
type Stats struct {
	Name  string
	State string // new, waiting, running, suspended, stopped

	Succeeded uint64 // cycles by outcome; see Kind
	TimedOut  uint64
	Failed    uint64
	Rejected  uint64
	Capped    uint64

	LastSuccess time.Time     // end of the last cycle that succeeded; zero if none has
	Delay       time.Duration // between cycles at present, without jitter
	Next        time.Time     // start of the next cycle; zero unless it is waited for
	Unfinished  int           // runs that go on although their cycle has ended

	// WorstGap is the longest time from the start of one cycle to the start of the next, however
	// badly the runs go: the timeout, the longest delay, and the jitter. It does not include what a
	// busy process adds, or the time of a suspension; and a capped cycle starts no run. With a
	// calendar it is what follows a cycle that has gone wrong.
	WorstGap time.Duration
}

// counts holds the numbers of ended cycles, by kind.
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

// Insight returns the health of the supervisor: it is down once it is stopped, and else ok. Nothing
// is expected of its cycles; give its callbacks, see [AfterCycle], what you expect. Of a supervisor
// there are no measurements and no history: those of its runs are its pool's.
func (s *Supervisor) Insight() insight.View { return (*view)(s) }

// view is a Supervisor as an [insight.View].
type view Supervisor

func (*view) Measurements() (none insight.Measurements) { return none }

func (*view) History() (none insight.History) { return none }

func (v *view) Health() insight.Health {
	st := (*Supervisor)(v).Stats()
	h := insight.Health{
		Status: insight.HealthOK, At: time.Now(), Pool: st.Name, State: st.State,
	}
	if st.State == stopped.String() {
		h.Status, h.Reason = insight.HealthDown, "it is stopped"
	}
	return h
}

// String returns the state of the supervisor on one line.
func (s *Supervisor) String() string {
	st := s.Stats()
	const text = "supervisor(%q: %s, delay %v, %d succeeded, %d timed out, %d failed, " +
		"%d rejected, %d capped, %d unfinished)"
	return fmt.Sprintf(text, st.Name, st.State, st.Delay,
		st.Succeeded, st.TimedOut, st.Failed, st.Rejected, st.Capped, st.Unfinished)
}
