// Package report is what a run has found out, as data, as tables in Markdown, and as pictures.
package report

import (
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// Report is everything about one run. Its JSON is what other programs may read.
type Report struct {
	Date       time.Time  `json:"date"`
	Command    string     `json:"command"`
	Quick      bool       `json:"quick"`  // smaller sizes, to see that it works
	Rounds     int        `json:"rounds"` // as asked for; a workload may have fewer
	Incomplete string     `json:"incomplete,omitempty"`
	Machine    Machine    `json:"machine"`
	Systems    []System   `json:"systems"`
	Workloads  []Workload `json:"workloads"`
	Targets    []Check    `json:"targets"`
}

// System is one that has been measured.
type System struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// Workload is what has been measured of one workload.
type Workload struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Title   string          `json:"title"`
	Params  workload.Params `json:"params"`
	Rounds  int             `json:"rounds"` // at most; one that has failed has fewer
	Figures []Figure        `json:"figures"`
	Results []*Result       `json:"results"` // one of each system that can do it
}

// Figure is a [workload.Figure].
type Figure struct {
	Name  string `json:"name"`
	Unit  string `json:"unit,omitempty"`
	Title string `json:"title,omitempty"`
}

// text says what is measured, and in which unit.
func (f Figure) text() string {
	if f.Title == "" || f.Unit == "" {
		return f.Title + f.Unit
	}
	return f.Title + ", " + f.Unit
}

// Result is what one system has done of a workload.
type Result struct {
	System  string              `json:"system"`
	Rounds  []workload.Figures  `json:"rounds"`
	Summary map[string]*Summary `json:"summary"` // by figure; empty if it has failed
	Failure string              `json:"failure,omitempty"`
}

// Summary is one figure over all rounds.
type Summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// NewWorkload returns w with the sizes and the rounds it is measured with, and no results yet.
func NewWorkload(w workload.Workload, params workload.Params, rounds int) Workload {
	r := Workload{Name: w.Name, Kind: w.Kind, Title: w.Title, Params: params, Rounds: rounds, Results: []*Result{}}
	for _, f := range w.Figures {
		r.Figures = append(r.Figures, Figure(f))
	}
	return r
}

// Finish works out what follows from the rounds: summaries and targets.
func (r *Report) Finish() {
	for _, w := range r.Workloads {
		for _, result := range w.Results {
			result.summarize(w.Figures)
		}
	}
	r.Targets = r.check(targets())
}

// summarize leaves out what has failed, even if there are rounds from before: the median of those
// that went well would be a better one than it deserves.
func (r *Result) summarize(figures []Figure) {
	r.Summary = map[string]*Summary{}
	if r.Failure != "" {
		return
	}
	for _, f := range figures {
		var values []float64
		for _, round := range r.Rounds {
			if v, ok := round[f.Name]; ok {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		median := stat.Quantile(0.5, stat.Empirical, values, nil)
		r.Summary[f.Name] = &Summary{Median: median, Min: values[0], Max: values[len(values)-1]}
	}
}

// Measured reports whether there is any figure at all.
func (r *Report) Measured() bool {
	return slices.ContainsFunc(r.Workloads, func(w Workload) bool {
		return slices.ContainsFunc(w.Results, func(r *Result) bool { return len(r.Rounds) > 0 })
	})
}

func (r *Report) workload(name string) *Workload {
	if i := slices.IndexFunc(r.Workloads, func(w Workload) bool { return w.Name == name }); i >= 0 {
		return &r.Workloads[i]
	}
	return nil
}

func (w *Workload) result(system string) *Result {
	if i := slices.IndexFunc(w.Results, func(r *Result) bool { return r.System == system }); i >= 0 {
		return w.Results[i]
	}
	return nil
}

func (w *Workload) figure(name string) Figure {
	if i := slices.IndexFunc(w.Figures, func(f Figure) bool { return f.Name == name }); i >= 0 {
		return w.Figures[i]
	}
	return Figure{Name: name}
}

// own are the systems of this module; the others are its rivals.
var own = []string{"pool", "exact", "relaxed", "watched", "fixed", "loop", "hashed", "hierarchical", "revolver", "queue"}

func isOwn(system string) bool { return slices.Contains(own, system) }
