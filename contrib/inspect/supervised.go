package inspect

import "time"

// supervised is a supervisor.
type supervised struct {
	Name        text      `json:"name"`
	State       string    `json:"state"`
	Succeeded   uint64    `json:"succeeded"`
	TimedOut    uint64    `json:"timed_out"`
	Failed      uint64    `json:"failed"`
	Rejected    uint64    `json:"rejected"`
	Capped      uint64    `json:"capped"`
	LastSuccess time.Time `json:"last_success,omitzero"`
	Next        time.Time `json:"next,omitzero"`
	Delay       span      `json:"delay"`
	WorstGap    span      `json:"worst_gap"`
	Unfinished  int       `json:"unfinished"`
	Status      string    `json:"status"`
	Shows       string    `json:"shows"` // ok, or what is wrong

	Deeds []shownDeed `json:"actions,omitempty"` // what has been done to it on this page
}

func (s *seen) supervised() *supervised {
	st := s.supervisor
	return &supervised{Name: text(s.title()), State: st.State, Succeeded: st.Succeeded,
		TimedOut: st.TimedOut, Failed: st.Failed, Rejected: st.Rejected, Capped: st.Capped,
		LastSuccess: st.LastSuccess, Next: st.Next, Delay: span(st.Delay),
		WorstGap: span(st.WorstGap), Unfinished: st.Unfinished,
		Status: s.health.Status, Shows: s.shows()}
}
