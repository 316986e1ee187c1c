package report_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/report"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// canned is a small report of known figures.
func canned(t *testing.T) *report.Report {
	r := &report.Report{
		Date:    time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC),
		Command: "go -C bench run ./rivals",
		Rounds:  3,
		Machine: report.Machine{
			Processor: "Abacus", Processors: 4, GOMAXPROCS: 2, Memory: 24 << 30, System: "linux/amd64", Kernel: "7.1",
			Go: "go1.99", Java: "17", Netty: "4.1", Modules: map[string]string{"github.com/alitto/pond/v2": "v2.7.1"},
		},
		Systems: []report.System{
			{Name: "pool", Title: "two workers"}, {Name: "afterfunc", Title: "the runtime"},
			{Name: "gozero", Title: "a wheel"}, {Name: "ticker", Title: "unused"},
		},
	}
	add(t, r, "schedule-cancel-1k", map[string][]workload.Figures{
		"pool":      {{"ns": 81.26, "cpu_ns": 97}, {"ns": 79}, {"ns": 12345}},
		"afterfunc": {{"ns": 200}, {"ns": 100}, {"ns": 110}},
	})
	add(t, r, "execute", map[string][]workload.Figures{"pool": {{"ns": 1234.5}}})
	add(t, r, "pending", map[string][]workload.Figures{
		"pool":      {{"bytes": 204, "allocs": 1.5}},
		"afterfunc": {{"bytes": 204.2}},
	})
	w := &r.Workloads[0]
	w.Results = append(w.Results, &report.Result{
		System: "gozero", Rounds: []workload.Figures{{"ns": 1}}, Failure: "gozero: ended:\n\ttoo | much",
	})
	return r
}

// add adds what has been measured of the workload of that name.
func add(t *testing.T, r *report.Report, name string, rounds map[string][]workload.Figures) *report.Workload {
	t.Helper()
	for _, w := range workload.All() {
		if w.Name != name {
			continue
		}
		r.Workloads = append(r.Workloads, report.NewWorkload(w, w.Params, 3))
		added := &r.Workloads[len(r.Workloads)-1]
		for _, system := range slices.Sorted(maps.Keys(rounds)) {
			added.Results = append(added.Results, &report.Result{System: system, Rounds: rounds[system]})
		}
		return added
	}
	t.Fatalf("no workload %s", name)
	return nil
}
