package supervisor_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// model is what a supervisor should be, beside one that is: a clock that goes from one event to the
// next. Times count from the epoch.
type model struct {
	interval, timeout, initial time.Duration
	bound, maxUnfinished       int
	onFailure                  supervisor.DelayPolicy
	behaviours                 []behaviour

	now         time.Duration
	state       string
	held, again bool
	delay, due  time.Duration
	cycles      int
	refuses     error

	run     behaviour // in state running
	started time.Duration
	ends    time.Duration   // when its body returns, if it is let
	late    []time.Duration // when unfinished runs return

	starts  []time.Duration
	kinds   []supervisor.Kind
	delays  []time.Duration
	success time.Duration // of the last one
}

func (m *model) do(st step) {
	switch st.op {
	case "start":
		if m.state == "new" {
			m.rest()
		}
	case "trigger":
		if !m.again {
			m.again = true
			m.hurry()
		}
	case "suspend":
		m.held = true
		if m.state == "waiting" {
			m.state = "suspended"
		}
	case "resume":
		m.held = false
		if m.state == "suspended" {
			m.rest()
		}
	case "stop":
		if st.n < 20 {
			m.stop()
		}
	case "refuse":
		m.refuses = executor.ErrSaturated
		if st.n == 0 {
			m.refuses = executor.ErrShutdown
		}
	case "accept":
		m.refuses = nil
	case "sleep":
		m.advance(m.now + time.Duration(st.n)*time.Millisecond)
	}
	m.advance(m.now)
}

// advance plays what happens up to the given time.
func (m *model) advance(to time.Duration) {
	for {
		next := to + 1
		if m.state == "waiting" {
			next = min(next, m.due)
		}
		if m.state == "running" {
			next = min(next, m.started+m.timeout, m.ends)
		}
		slices.Sort(m.late)
		if len(m.late) > 0 {
			next = min(next, m.late[0])
		}
		if next > to {
			m.now = to
			return
		}
		m.now = next
		switch {
		case len(m.late) > 0 && m.late[0] == next:
			m.late = m.late[1:]
			m.hurry()
		case m.state == "waiting":
			m.begin()
		default:
			m.end()
		}
	}
}

func (m *model) begin() {
	m.cycles++
	if len(m.late) >= m.maxUnfinished {
		m.conclude(supervisor.Capped)
		return
	}
	m.again = false
	switch m.refuses {
	case executor.ErrSaturated:
		m.conclude(supervisor.Rejected)
		return
	case executor.ErrShutdown:
		m.stop()
		return
	}
	m.state, m.started = "running", m.now
	n := len(m.starts)
	m.run = m.behaviours[n%len(m.behaviours)]
	m.ends = m.run.end(n, m.now, m.timeout)
	m.starts = append(m.starts, m.now)
}

func (m *model) end() {
	switch {
	case m.now >= m.started+m.timeout:
		m.leave()
		m.conclude(supervisor.TimedOut)
	case m.run.err == nil:
		m.success = m.now
		m.conclude(supervisor.Succeeded)
	default:
		m.conclude(supervisor.Failed)
	}
}

func (m *model) conclude(k supervisor.Kind) {
	switch {
	case k == supervisor.Succeeded, k == supervisor.Failed && m.onFailure == supervisor.Reset:
		m.delay = m.interval
	case k == supervisor.Failed && m.onFailure == supervisor.Keep:
	default:
		m.delay = min(2*m.delay, max(m.interval, m.timeout*time.Duration(m.bound)))
	}
	m.kinds = append(m.kinds, k)
	m.delays = append(m.delays, m.delay)
	m.rest()
}

func (m *model) rest() {
	m.state = "waiting"
	switch {
	case m.held:
		m.state = "suspended"
	case m.again && len(m.late) < m.maxUnfinished:
		m.due = m.now
	case m.cycles == 0:
		m.due = m.now + m.initial
	default:
		m.due = m.now + m.delay
	}
}

func (m *model) hurry() {
	if m.state == "waiting" && m.again && len(m.late) < m.maxUnfinished {
		m.due = m.now
	}
}

func (m *model) stop() {
	if m.state == "running" {
		m.leave()
	}
	m.state = "stopped"
}

// leave has the run go on by itself, if it does not heed the end of its context.
func (m *model) leave() {
	if m.run.stubborn && m.ends > m.now {
		m.late = append(m.late, m.ends)
	}
}

// check compares what there is with what should be.
func (m *model) check(s *subject) error {
	st := s.Stats()
	if st.State != m.state || st.Delay != m.delay || st.Unfinished != len(m.late) {
		return fmt.Errorf("%v, want %s, delay %v, %d unfinished", s, m.state, m.delay, len(m.late))
	}
	if got := s.begun(); !slices.Equal(got, m.starts) {
		return fmt.Errorf("begun at %v, want %v", got, m.starts)
	}
	if got := s.kinds(); !slices.Equal(got, m.kinds) {
		return fmt.Errorf("outcomes %v, want %v", got, m.kinds)
	}
	if got := s.delays(); !slices.Equal(got, m.delays) {
		return fmt.Errorf("delays %v, want %v", got, m.delays)
	}
	counts := []uint64{st.Succeeded, st.TimedOut, st.Failed, st.Rejected, st.Capped}
	for k, got := range counts {
		want := 0
		for _, kind := range m.kinds {
			if kind == supervisor.Kind(k) {
				want++
			}
		}
		if int(got) != want {
			return fmt.Errorf("%d %v, want %d", got, supervisor.Kind(k), want)
		}
	}
	if counts[0] > 0 && !st.LastSuccess.Equal(s.epoch.Add(m.success)) {
		return fmt.Errorf("last success at %v, want %v", st.LastSuccess.Sub(s.epoch), m.success)
	}
	if waits := m.state == "waiting"; waits != !st.Next.IsZero() || waits && !st.Next.Equal(s.epoch.Add(m.due)) {
		return fmt.Errorf("next at %v, want %v", st.Next.Sub(s.epoch), m.due)
	}
	over := m.state == "stopped" && len(m.late) == 0
	select {
	case <-s.Done():
		if !over {
			return fmt.Errorf("done too early")
		}
	default:
		if over {
			return fmt.Errorf("not done")
		}
	}
	return nil
}
