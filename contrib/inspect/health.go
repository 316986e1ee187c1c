package inspect

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/punctual-go/punctual/executor/insight"
)

// Health returns a handler that answers with 200 while no source is down, and else with 503; with
// the health of each as JSON. A source that is degraded only says so there, unless it is [Strict].
// It is what a liveness probe asks, and often anybody may: so of tasks it says only how many are in
// which state. The page has it at "health", with their names.
func Health(sources ...Source) http.Handler { return probe(false, sources) }

// Ready returns a handler that answers with 200 while all sources take tasks, also if something is
// late or stuck there, and else with 503. It is what a readiness probe asks, and in all else like
// [Health]. The page has it at "ready".
func Ready(sources ...Source) http.Handler { return probe(true, sources) }

func probe(ready bool, sources []Source) http.Handler {
	p := Handler(sources...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		p.serveHealth(w, r, ready, false)
	})
}

// answer is what a probe gets.
type answer struct {
	Status  string   `json:"status"` // of the worst
	Sources []probed `json:"sources"`
}

// probed is a source in such an answer.
type probed struct {
	Name  text   `json:"name"`
	Kind  string `json:"kind"`
	State string `json:"state"`
	condition
}

func (p *Page) serveHealth(w http.ResponseWriter, r *http.Request, ready, names bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	c := answer{Status: insight.HealthOK, Sources: []probed{}}
	code := http.StatusOK
	for _, s := range p.sources {
		h := s.health()
		down := h.Status == insight.HealthDown
		if ready {
			down = !takesTasks(h.State)
		}
		if s.strict && h.Status != insight.HealthOK {
			code = http.StatusServiceUnavailable
		}
		switch {
		case down:
			c.Status, code = insight.HealthDown, http.StatusServiceUnavailable
		case h.Status != insight.HealthOK && c.Status == insight.HealthOK:
			c.Status = insight.HealthDegraded
		}
		is := newCondition(h, p.redactor)
		if !names {
			is.Tasks = nil
			is.Reason, _, _ = strings.Cut(is.Reason, " (") // of those who hold the workers
		}
		c.Sources = append(c.Sources, probed{text(s.title()), s.kind, h.State, is})
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(c)
}

// takesTasks reports whether a source in this state is not shut down, and about to be.
func takesTasks(state string) bool {
	switch state {
	case "running", "new", "waiting", "suspended":
		return true
	}
	return false
}
