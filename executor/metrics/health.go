package metrics

import (
	"math"

	"github.com/punctual-go/punctual/executor/insight"
)

const (
	// mostNames bounds the tasks whose health is told one by one, as pools bound what they measure.
	mostNames = 200
	other     = "other"
)

func statusValue(status string) float64 {
	switch status {
	case insight.HealthOK:
		return 0
	case insight.HealthDegraded:
		return 1
	}
	return 2
}

// ofHealth reports whether a metric is read from the health of a source.
func (m Metric) ofHealth() bool {
	switch m.Name {
	case "punctual.pool.health", "punctual.task.expected", "punctual.task.health":
		return true
	}
	return false
}

var healthStates = []string{"ok", "new", "paused", "late", "failed"}

// readExpected counts the tasks in each state, also those in which none is: a series must not come
// and go.
func readExpected(s *sight, to *points) {
	counts := map[string]int{}
	for _, t := range s.health.Tasks {
		counts[t.State]++
	}
	for _, state := range healthStates {
		to.add(float64(counts[state]), state)
	}
}

// readTaskHealth tells for each name how the worst of its tasks is.
func readTaskHealth(s *sight, to *points) {
	worst := map[string]float64{}
	for _, t := range s.health.Tasks {
		name := valid(t.Name)
		worst[name] = max(worst[name], stateValue(t.State))
	}
	for _, name := range bounded(worst, math.Max) {
		to.add(worst[name], name)
	}
}

func stateValue(state string) float64 {
	switch state {
	case "late":
		return 1
	case "failed":
		return 2
	}
	return 0
}
