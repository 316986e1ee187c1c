package inspect

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// fleetSeen is a fleet at a moment.
type fleetSeen struct {
	at        time.Time
	processes []*fleetProcess // those that live first, and then those that are gone, the last one first
	services  []service       // names that can't be resolved, or lead to too many addresses
	tasks     func() fleetTaskList
}

// fleetProcess is a replica at that moment.
type fleetProcess struct {
	Name     text      `json:"name"`
	Path     string    `json:"path"` // below the address of the page
	Address  string    `json:"address"`
	State    string    `json:"state"`
	Shows    word      `json:"shows"` // as its own page, if it is up; else its state
	Version  text      `json:"version"`
	Started  time.Time `json:"started,omitzero"`
	Answered time.Time `json:"answered,omitzero"` // last
	Trouble  string    `json:"trouble,omitempty"` // why it does not answer, or is gone
	Since    time.Time `json:"since,omitzero"`    // likewise

	has   *record
	amiss bool // it should answer, and does not
}

func (f *Fleet) seeLocked(now time.Time) *fleetSeen {
	s := &fleetSeen{at: now}
	var gone []*fleetProcess
	for _, m := range f.members {
		if p := newFleetProcess(&m.now, now); p.State == replicaGone {
			gone = append(gone, p)
		} else {
			s.processes = append(s.processes, p)
		}
	}
	for i := range f.gone {
		gone = append(gone, newFleetProcess(&f.gone[i], now))
	}
	slices.SortStableFunc(gone, func(a, b *fleetProcess) int { return b.Since.Compare(a.Since) })
	s.processes = append(s.processes, gone...)
	s.distinguish()
	for _, one := range f.services {
		if one.trouble != "" || one.more > 0 {
			s.services = append(s.services, *one)
		}
	}
	s.tasks = sync.OnceValue(func() fleetTaskList {
		began := time.Now()
		defer func() { f.crew.spent.Add(int64(time.Since(began))) }()
		return s.findTasks()
	})
	return s
}

// distinguish adds to the names of processes of one host where they are.
func (s *fleetSeen) distinguish() {
	at := map[text]string{} // the addresses of the processes of a host; "" if these are several
	for _, p := range s.processes {
		if known, ok := at[p.Name]; ok && known != p.Address {
			at[p.Name] = ""
			continue
		}
		at[p.Name] = p.Address
	}
	for _, p := range s.processes {
		if u, err := url.Parse(p.Address); err == nil && at[p.Name] == "" {
			p.Name += text(" at " + u.Host)
		}
	}
}

func newFleetProcess(r *replica, now time.Time) *fleetProcess {
	p := &fleetProcess{Name: text(r.address), Path: "process/" + r.id + "/", Address: r.address,
		State: r.state(now), Answered: r.answered, has: r.has}
	p.Shows = word(p.State)
	if r.trouble != "" || r.why != "" {
		p.amiss = r.why == ""
		p.Trouble, p.Since = cmp.Or(r.why, r.trouble), r.since
	}
	if r.has == nil {
		return p
	}
	if is := r.has.Process; is.Host != "" {
		p.Name = is.Host
	}
	p.Version, p.Started = r.has.Process.Version, r.has.Process.Started
	if p.State == replicaUp && r.has.Shows != "" {
		p.Shows = r.has.Shows
	}
	return p
}

// lives reports whether the process is asked and has answered.
func (p *fleetProcess) lives() bool { return p.has != nil && p.State != replicaGone }

// Called is a version for people.
func (p *fleetProcess) Called() string { return called(p.Version) }

func called(version text) string {
	if version == "" {
		return "unknown version"
	}
	return version.String()
}

// fleetRanks are what can be shown of a process beside what can be of a source, the worst first.
var fleetRanks = append([]string{replicaSilent}, append(slices.Clone(ranks), replicaUp)...)

// worseOf returns the worse of two words; one that is not known is better than any that is wrong.
func worseOf(a, b word) word {
	if rankOf(b) < rankOf(a) {
		return b
	}
	return a
}

// rankOf returns how bad a word is; one that is not known is in between.
func rankOf(w word) int {
	if i := slices.Index(fleetRanks, string(w)); i >= 0 {
		return i
	}
	return slices.Index(fleetRanks, insight.HealthDegraded)
}

// mark is what a word is called in the style sheet: only words of ours are there.
func mark(w word) string {
	if slices.Contains(fleetRanks, string(w)) || slices.Contains(states, string(w)) ||
		w == replicaGone || w == replicaUnknown {
		first, _, _ := strings.Cut(string(w), " ")
		return "s-" + first
	}
	return ""
}
