package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/bench/rivals/report"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// outcomes returns "workload figure left op bound right: outcome" of each target of the report.
func outcomes(r *report.Report) (all []string) {
	r.Finish()
	for _, c := range r.Targets {
		right := ""
		if c.Right != nil {
			right = " " + c.Right.System
			if c.Right.Workload != "" {
				right += " " + c.Right.Workload
			}
		}
		all = append(all, fmt.Sprintf("%s %s: %s %s %v%s: %s", c.Workload, c.Figure, c.Left.System, c.Op, c.Bound, right, c.Outcome))
	}
	return all
}

// both is a report of one workload with figures of two systems.
func both(t *testing.T, name, figure, left string, l float64, right string, r float64) *report.Report {
	report := canned(t)
	report.Workloads = nil
	add(t, report, name, map[string][]workload.Figures{left: {{figure: l}}, right: {{figure: r}}})
	return report
}

func TestTargetsAreMetUpToTheirBound(t *testing.T) {
	tests := []struct {
		workload, figure string
		left             string
		met, missed      float64
		right            string
		other            float64
		target           string
	}{
		{"schedule-cancel-1k", "ns", "pool", 80, 81, "afterfunc", 100, "pool ≤ 0.8 afterfunc"},
		{"schedule-cancel-1M", "ns", "pool", 110, 111, "jdk-scheduled", 100, "pool ≤ 1.1 jdk-scheduled"},
		{"soon", "ns", "jdk-scheduled", 200, 199, "pool", 100, "jdk-scheduled ≥ 2 pool"},
		{"soon", "ns", "afterfunc", 250, 249, "pool", 100, "afterfunc ≥ 2.5 pool"},
		{"due-1M", "ns", "jdk-scheduled", 300, 299, "pool", 100, "jdk-scheduled ≥ 3 pool"},
		{"due-1M", "ns", "afterfunc", 200, 199, "pool", 100, "afterfunc ≥ 2 pool"},
		{"execute", "ns", "fixed", 150, 151, "channel", 100, "fixed ≤ 1.5 channel"},
		{"execute", "ns", "fixed", 99, 100, "ants", 100, "fixed < 1 ants"},
		{"execute", "ns", "fixed", 99, 100, "errgroup", 100, "fixed < 1 errgroup"},
		{"execute", "ns", "jdk-scheduled", 500, 499, "pool", 100, "jdk-scheduled ≥ 5 pool"},
		{"submit-get", "ns", "pool", 300, 301, "channel", 100, "pool ≤ 3 channel"},
		{"lateness", "p50_us", "pool", 60, 61, "jdk-scheduled", 50, "pool ≤ 1.2 jdk-scheduled"},
		{"lateness", "p99_us", "pool", 50, 51, "afterfunc", 250, "pool ≤ 0.2 afterfunc"},
		{"lateness", "cpu", "pool", 0.6, 0.61, "afterfunc", 0.5, "pool ≤ 1.2 afterfunc"},
		{"lateness", "cpu", "pool", 0.75, 0.76, "jdk-scheduled", 0.5, "pool ≤ 1.5 jdk-scheduled"},
		{"lateness", "cpu", "relaxed", 0.35, 0.36, "afterfunc", 0.5, "relaxed ≤ 0.7 afterfunc"},
		{"density-100", "cpu", "pool", 0.65, 0.66, "afterfunc", 0.5, "pool ≤ 1.3 afterfunc"},
		{"busy-16", "p99_us", "pool", 30, 31, "afterfunc", 10, "pool ≤ 3 afterfunc"},
		{"cancelled-900", "cpu_ns", "pool", 120, 121, "afterfunc", 100, "pool ≤ 1.2 afterfunc"},
		{"shutdown-1M", "ms", "pool", 300, 301, "afterfunc", 100, "pool ≤ 3 afterfunc"},
		{"pools-100", "threads", "pool", 2.4, 2.6, "", 0, "pool ≤ 2"},
		{"pending", "bytes", "pool", 100, 101, "jdk-scheduled", 100, "pool ≤ 1 jdk-scheduled"},
		{"pending", "bytes", "pool", 0, 1, "afterfunc", 0, "pool ≤ 1 afterfunc"},
		{"idle-1M", "switches", "pool", 0.49, 0.5, "", 0, "pool ≤ 0"},
		{"allocations", "run", "pool", 1.04, 1.06, "", 0, "pool ≤ 1"},
		{"allocations", "cancelled", "pool", 1.04, 1.06, "", 0, "pool ≤ 1"},
		{"allocations", "periodic", "pool", 0.04, 0.06, "", 0, "pool ≤ 0"},
	}
	for _, tt := range tests {
		for outcome, left := range map[string]float64{report.Met: tt.met, report.Missed: tt.missed} {
			r := both(t, tt.workload, tt.figure, tt.left, left, tt.right, tt.other)
			want := fmt.Sprintf("%s %s: %s: %s", tt.workload, tt.figure, tt.target, outcome)
			if got := outcomes(r); !slices.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, strings.Join(got, "\n"))
			}
		}
	}
}

func TestThereIsNoRatioToNothing(t *testing.T) {
	r := both(t, "pending", "bytes", "pool", 1, "afterfunc", 0)
	r.Finish()
	if !strings.Contains(r.Markdown(), " `afterfunc` 0 B |     – | ≤ 1 × |   missed |") {
		t.Error(r.Markdown())
	}
}

func TestTenMillionAreHeldAgainstAThousand(t *testing.T) {
	for _, tt := range []struct {
		many    float64
		outcome string
	}{{200, report.Met}, {201, report.Missed}} {
		r := canned(t)
		r.Workloads = nil
		add(t, r, "schedule-cancel-1k", map[string][]workload.Figures{"pool": {{"ns": 100}}})
		add(t, r, "schedule-cancel-10M", map[string][]workload.Figures{"pool": {{"ns": tt.many}}})
		want := "schedule-cancel-10M ns: pool ≤ 2 pool schedule-cancel-1k: " + tt.outcome
		if got := outcomes(r); !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestWhatWasNotAskedForIsNoTarget(t *testing.T) {
	r := canned(t)
	r.Workloads = nil
	add(t, r, "lateness", map[string][]workload.Figures{"afterfunc": {{"p50_us": 1}}})
	add(t, r, "schedule-cancel-10M", map[string][]workload.Figures{"pool": {{"ns": 1}}})
	if got := outcomes(r); len(got) != 0 {
		t.Error(got)
	}
	if strings.Contains(r.Markdown(), "Targets") || !r.AllMet() {
		t.Error("an empty table of targets, or one that is not met")
	}
}

func TestFailureOfARivalIsNoneOfOursAndOurOwnIs(t *testing.T) {
	r := both(t, "soon", "ns", "pool", 100, "afterfunc", 1000)
	r.Workloads[0].Results[0].Failure = "out of memory" // that of afterfunc, the first by name
	if got := outcomes(r); !slices.Contains(got, "soon ns: afterfunc ≥ 2.5 pool: no rival") || !r.AllMet() {
		t.Error(got, r.AllMet())
	}
	r = both(t, "soon", "ns", "pool", 100, "afterfunc", 1000)
	r.Workloads[0].Results[1].Failure = "out of memory"
	if got := outcomes(r); !slices.Contains(got, "soon ns: afterfunc ≥ 2.5 pool: missed") || r.AllMet() {
		t.Error(got, r.AllMet())
	}
}

func TestEveryTargetIsAboutAFigureThatThereIs(t *testing.T) {
	r := canned(t)
	r.Workloads = nil
	for _, w := range workload.All() {
		figures := workload.Figures{}
		for _, f := range w.Figures {
			figures[f.Name] = 1
		}
		all := map[string][]workload.Figures{}
		for _, s := range []string{"pool", "relaxed", "fixed", "afterfunc", "channel", "ants", "pond", "workerpool", "conc", "errgroup", "jdk-scheduled"} {
			all[s] = []workload.Figures{figures}
		}
		add(t, r, w.Name, all)
	}
	got := outcomes(r)
	if len(got) != 40 {
		t.Errorf("%d targets", len(got))
	}
	for _, line := range got {
		if strings.HasSuffix(line, report.NoRival) {
			t.Errorf("%s, though all are there", line)
		}
	}
}
