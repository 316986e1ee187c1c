package drill_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/soak/drill"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/trust/chaos"
	"github.com/punctual-go/punctual/internal/trust/history"
	"github.com/punctual-go/punctual/internal/trust/litmus"
	"github.com/punctual-go/punctual/internal/trust/pairs"
	"github.com/punctual-go/punctual/internal/trust/simulate"
)

// TestDrill does the job that the process is given, or else a little of each.
func TestDrill(t *testing.T) {
	job, given, err := drill.Given()
	if err != nil {
		t.Fatal(err)
	}
	if given {
		r := do(t, job)
		done := r.Ops
		if job.Part == drill.Years {
			done = job.Ops // not the runs
		}
		drill.Tell(os.Stdout, drill.Message{Done: done, End: &r})
		return
	}
	for _, job := range littleOfEach() {
		t.Run(fmt.Sprint(job.Part, " ", job.Kind), func(t *testing.T) {
			if r := do(t, job); !r.Clean() {
				t.Errorf("%+v", r)
			}
		})
	}
}

func littleOfEach() (jobs []drill.Job) {
	for _, k := range simulate.Kinds() {
		jobs = append(jobs, drill.Job{Part: drill.Virtual, Kind: k.Name, Seed: 1, Seeds: 4, Ops: 200})
	}
	jobs = append(jobs, drill.Job{Part: drill.Pairs, Seed: 1, Seeds: 20})
	for _, k := range history.Kinds() {
		jobs = append(jobs, drill.Job{Part: drill.Linear, Kind: k.Name, Seed: 1, Seeds: 10})
	}
	for _, p := range litmus.Pairs() {
		jobs = append(jobs, drill.Job{Part: drill.Litmus, Kind: p.Name, Seed: 1, Seeds: 1, Ops: 300})
	}
	for _, k := range chaos.Kinds() {
		jobs = append(jobs, drill.Job{Part: drill.Chaos, Kind: k.Name, Seed: 1, Seeds: 2})
	}
	return append(jobs, drill.Job{Part: drill.Years, Seed: 1, Seeds: 1, Ops: 1})
}

func do(t *testing.T, job drill.Job) drill.Report {
	w := &work{Job: job, began: time.Now(), told: time.Now()}
	switch job.Part {
	case drill.Virtual:
		w.virtual(t)
	case drill.Pairs:
		w.pairs(t)
	case drill.Linear:
		w.linear(t)
	case drill.Litmus:
		w.litmus(t)
	case drill.Chaos:
		w.chaos(t)
	case drill.Years:
		w.years(t)
	default:
		t.Fatalf("no part %q", job.Part)
	}
	return w.report
}

// work is a job in progress.
type work struct {
	drill.Job
	report drill.Report
	began  time.Time
	told   time.Time
}

// progress tells how far it is, now and then.
func (w *work) progress(done int64, seed uint64) {
	if time.Since(w.told) > 200*time.Millisecond {
		w.told = time.Now()
		drill.Tell(os.Stdout, drill.Message{Done: done, At: seed})
	}
}

// eachSeed calls f for every seed, and sees to what has been wrong.
func (w *work) eachSeed(f func(seed uint64) drill.Report) {
	for seed := w.Seed; seed < w.Seed+uint64(w.Seeds); seed++ {
		if w.Length > 0 && time.Since(w.began) > w.Length {
			return
		}
		w.progress(w.report.Ops, seed)
		r := f(seed)
		r.Seeds = 1
		if !r.Clean() {
			r.Bad = append(r.Bad, seed)
		}
		w.report.Add(r)
	}
}

// named returns the kind of the given name.
func named[K any](t *testing.T, kinds []K, name func(K) string, want string) K {
	for _, k := range kinds {
		if name(k) == want {
			return k
		}
	}
	t.Fatalf("there is no kind %q", want)
	panic("unreachable")
}

func (w *work) virtual(t *testing.T) {
	kind := named(t, simulate.Kinds(), func(k simulate.Kind) string { return k.Name }, w.Kind)
	w.eachSeed(func(seed uint64) drill.Report {
		r := kind.Run(t, seed, int(w.Ops))
		return drill.Report{
			Ops: r.Ops, Lost: r.Lost, Duplicate: r.Duplicate, Early: r.Early, Late: r.Late,
			Stuck: r.Stuck, Leaked: r.Leaked, Faults: r.Faults,
		}
	})
}

func (w *work) pairs(t *testing.T) {
	var seen pairs.Counts
	about := pairs.Named(w.About)
	w.eachSeed(func(seed uint64) drill.Report {
		r := pairs.Run(t, seed, about...)
		seen.Add(r.Seen)
		return drill.Report{
			Ops: r.Ops, Lost: r.Lost, Duplicate: r.Duplicate, Early: r.Early, Late: r.Late, Wrong: r.Wrong,
			Stuck: r.Stuck, Leaked: r.Leaked, Faults: r.Faults,
		}
	})
	w.report.Seen = seen.ByName()
}

// yield lets others go on at a delay point, now and then.
func yield(delay.Point) {
	if n := rand.IntN(16); n < 4 {
		for range n {
			runtime.Gosched()
		}
	}
}

// checkPatience is for one history of some fifty operations, which takes microseconds.
const checkPatience = time.Minute

func (w *work) linear(t *testing.T) {
	kind := named(t, history.Kinds(), func(k history.Kind) string { return k.Name }, w.Kind)
	w.eachSeed(func(seed uint64) (r drill.Report) {
		if seed%2 == 1 {
			defer delay.Set(yield)()
		}
		h := kind.Record(seed)
		r.Ops = int64(h.Operations())
		if verdict := h.Check(checkPatience); verdict != "ok" {
			r.Wrong++
			r.Fault("%s, seed %d: %s%s", w.Kind, seed, verdict, w.keep(h))
		}
		return r
	})
}

// keep writes a history to a file, and says so.
func (w *work) keep(h history.History) string {
	if w.Out == "" {
		return "\n" + h.Describe()
	}
	path := filepath.Join(w.Out, fmt.Sprintf("history-%s-%d.json", w.Kind, h.Seed))
	if err := history.Write(path, h); err != nil {
		return fmt.Sprintf(" (and could not be kept: %v)\n%s", err, h.Describe())
	}
	return ", kept as " + path
}

func (w *work) litmus(t *testing.T) {
	pair := named(t, litmus.Pairs(), func(p litmus.Pair) string { return p.Name }, w.Kind)
	if w.Seed%4 == 3 {
		defer delay.Set(yield)()
	}
	r := pair.Race(int(w.Ops), w.Seed, func(done int) { w.progress(int64(done), w.Seed) })
	w.report = drill.Report{Seeds: 1, Ops: int64(r.Rounds), Wrong: int64(len(r.Faults)), Faults: r.Faults}
	w.report.Seen = map[string]int64{}
	for outcome, n := range r.Seen {
		w.report.Seen[outcome] = int64(n)
	}
	if !w.report.Clean() {
		w.report.Bad = []uint64{w.Seed}
	}
}

func (w *work) chaos(t *testing.T) {
	kind := named(t, chaos.Kinds(), func(k chaos.Kind) string { return k.Name }, w.Kind)
	before := runtime.NumGoroutine()
	w.eachSeed(func(seed uint64) drill.Report {
		r := kind.Round(seed, seed%2 == 1)
		out := drill.Report{Ops: r.Ops, Lost: r.Lost, Duplicate: r.Duplicate, Early: r.Early, Faults: r.Faults}
		out.Wrong = max(0, int64(len(r.Faults))-r.Lost-r.Duplicate-r.Early)
		return out
	})
	if left := goroutinesAbove(before); left != "" {
		w.report.Leaked++
		w.report.Fault("%s: goroutines are left\n%s", w.Kind, left)
	}
}

// goroutinesAbove waits for goroutines that are about to end, and returns the stacks of all if they
// stay.
func goroutinesAbove(before int) string {
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			return strings.TrimSpace(string(stacks[:runtime.Stack(stacks, true)]))
		}
		time.Sleep(time.Millisecond)
	}
	return ""
}

func (w *work) years(t *testing.T) {
	year := 365.25 * 24 * float64(time.Hour)
	r := simulate.Years(t, int(w.Ops), func(virtual time.Duration) { w.progress(int64(float64(virtual)/year), w.Seed) })
	w.report = drill.Report{Seeds: 1, Ops: r.Runs, Wrong: r.Wrong, Faults: r.Faults}
	told := fmt.Sprintf("%d virtual years: %d runs, drift %v, heap growth %d bytes, %d objects", w.Ops, r.Runs, r.Drift, r.HeapGrowth, r.HeapObjects)
	if r.Drift != 0 || r.HeapGrowth > simulate.HeapNoise {
		w.report.Wrong++
		w.report.Fault("%s", told)
	}
	w.report.Notes = []string{told}
}
