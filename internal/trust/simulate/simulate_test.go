package simulate_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/trust/simulate"
)

// How many seeds to play of each kind, with more operations each, and from which on.
const (
	seedsVariable = "PUNCTUAL_SEEDS"
	firstVariable = "PUNCTUAL_FIRST_SEED"
)

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, variable)
	return n
}

// A seed that fails does so again, but perhaps not each time:
// PUNCTUAL_FIRST_SEED=n PUNCTUAL_SEEDS=1 go test -count 1000.
func TestNoKindHasAFault(t *testing.T) {
	ops := 300
	if os.Getenv(seedsVariable) != "" {
		ops = 1000
	}
	first, seeds := number(t, firstVariable, 1), number(t, seedsVariable, 100)
	for _, kind := range simulate.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			var sum simulate.Report
			began := time.Now()
			for seed := first; seed < first+seeds; seed++ {
				sum.Add(kind.Run(t, seed, ops))
			}
			assert.Zero(t, sum.Bad(), "%+v", sum)
			assert.GreaterOrEqual(t, sum.Ops, int64(ops)*int64(seeds),
				"as many operations as asked for")
			assert.Greater(t, sum.Runs, sum.Ops/10, "and work is done")
			rate := float64(sum.Ops) / time.Since(began).Seconds()
			t.Logf("%d operations, %d runs, %.0f operations a second", sum.Ops, sum.Runs, rate)
		})
	}
}

func TestAYearHasNoDriftAndLeavesNothingOnTheHeap(t *testing.T) {
	var told time.Duration
	report := simulate.Years(t, 1, func(virtual time.Duration) { told = virtual })
	assert.Zero(t, report.Wrong, report.Faults)
	assert.Zero(t, report.Drift, report.Faults)
	assert.Greater(t, report.Runs, int64(200_000))
	assert.LessOrEqual(t, report.HeapGrowth, int64(simulate.HeapNoise), "%d objects",
		report.HeapObjects)
	assert.GreaterOrEqual(t, told, 8766*time.Hour)
}
