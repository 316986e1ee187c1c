package metrics

import (
	"maps"
	"math"
	"slices"

	"github.com/punctual-go/punctual/executor/runlog"
)

// WithProgress returns a source that is read like s, and tells as well how far its runs in progress
// are, as they say by [runlog.Progress]: punctual.run.progress, by name of task. The Log has to
// observe the pool. A source without this has no such figure, and costs nothing for it.
//
//	set, err := metrics.Of(metrics.WithProgress(jobs, runs))
func WithProgress(s Source, runs *runlog.Log) Source { return progressing{s, runs} }

// progressing is a source of whose runs it is known how far they are.
type progressing struct {
	Source
	runs *runlog.Log
}

// readProgress tells for each name how far that of its runs is which is least far. Of the names
// beyond the bound the least is told.
func readProgress(s *sight, to *points) {
	if s.runs == nil {
		return
	}
	least := map[string]float64{}
	for _, r := range s.runs.InProgress(s.named) {
		if ratio, known := r.Progress.Ratio(); known {
			name := valid(r.Name)
			if was, ok := least[name]; !ok || ratio < was {
				least[name] = ratio
			}
		}
	}
	for _, name := range bounded(least, math.Min) {
		to.add(least[name], name)
	}
}

// bounded returns the names that are told one by one, in order. What is known of the others is
// joined into that of the name "other".
func bounded(values map[string]float64, join func(a, b float64) float64) []string {
	names := slices.Sorted(maps.Keys(values))
	if len(names) <= mostNames {
		return names
	}
	for _, name := range names[mostNames:] {
		if was, ok := values[other]; ok {
			values[other] = join(was, values[name])
		} else {
			values[other] = values[name]
		}
	}
	names = names[:mostNames]
	if !slices.Contains(names, other) {
		names = append(names, other)
	}
	return names
}
