package metrics

import (
	"math"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// byName returns the measurements of the tasks of each name, and then of those without a name: what
// is left of all when the others are taken away. So their sums are those of the pool.
func byName(m insight.Measurements) (tasks []insight.TaskMeasurements) {
	rest := m.TaskMeasurements
	rest.Name, rest.LastSuccess = "", time.Time{}
	index := map[string]int{}
	for _, t := range m.Tasks {
		rest.Failures = less(rest.Failures, t.Failures)
		rest.Skipped = less(rest.Skipped, t.Skipped)
		rest.Expired = less(rest.Expired, t.Expired)
		rest.Missed = less(rest.Missed, t.Missed)
		subtract(&rest.Late, &t.Late)
		subtract(&rest.Took, &t.Took)
		t.Name = valid(t.Name)
		if i, ok := index[t.Name]; ok {
			join(&tasks[i], &t)
			continue
		}
		index[t.Name] = len(tasks)
		tasks = append(tasks, t)
	}
	limit(&rest.Late)
	limit(&rest.Took)
	return append(tasks, rest)
}

// join adds the measurements of tasks whose name looks the same.
func join(sum, t *insight.TaskMeasurements) {
	sum.Failures += t.Failures
	sum.Skipped += t.Skipped
	sum.Expired += t.Expired
	sum.Missed += t.Missed
	if t.LastSuccess.After(sum.LastSuccess) {
		sum.LastSuccess = t.LastSuccess
	}
	add(&sum.Late, &t.Late)
	add(&sum.Took, &t.Took)
}

func add(sum, h *insight.Histogram) {
	for i, n := range h.Counts {
		sum.Counts[i] += n
	}
	if sum.Sum += h.Sum; sum.Sum < 0 { // beyond the longest duration
		sum.Sum = math.MaxInt64
	}
	sum.Max = max(sum.Max, h.Max)
}

func subtract(from, h *insight.Histogram) {
	for i, n := range h.Counts {
		from.Counts[i] = less(from.Counts[i], n)
	}
	from.Sum = max(from.Sum-h.Sum, 0)
}

// limit lowers the maximum to what the counts allow, after something has been taken away.
func limit(h *insight.Histogram) {
	for i := len(h.Counts) - 1; i >= 0; i-- {
		if h.Counts[i] > 0 {
			if i < len(h.Counts)-1 {
				h.Max = min(h.Max, h.Bound(i))
			}
			return
		}
	}
	h.Max = 0
}

// less never wraps: a source of somebody else's may not add up.
func less(a, b uint64) uint64 { return a - min(a, b) }
