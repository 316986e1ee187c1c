package chaos_test

import (
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/trust/chaos"
)

// TestStress goes on for some time with every kind, or as long as the environment variable
// PUNCTUAL_STRESS says, by turns with and without delay points.
func TestStress(t *testing.T) {
	length := 200 * time.Millisecond
	if testing.Short() {
		length = 50 * time.Millisecond
	}
	if d, err := time.ParseDuration(os.Getenv("PUNCTUAL_STRESS")); err == nil {
		length = d
	}
	for _, kind := range chaos.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			rounds, ops := 0, int64(0)
			for end := time.Now().Add(length); time.Now().Before(end) && !t.Failed(); rounds++ {
				report := kind.Round(rand.Uint64(), rounds%2 == 1)
				assert.Empty(t, report.Faults)
				ops += report.Ops
			}
			t.Logf("%d rounds, %d operations", rounds, ops)
		})
	}
}

// Every delay point is passed, or it would hold nobody up.
func TestEveryDelayPointIsPassed(t *testing.T) {
	var passed [delay.Points]atomic.Int64
	defer delay.Set(func(p delay.Point) { passed[p].Add(1) })()
	missing := func() (points []delay.Point) {
		for p := range delay.Points {
			if passed[p].Load() == 0 {
				points = append(points, p)
			}
		}
		return points
	}
	for seed := uint64(0); seed < 10_000 && len(missing()) > 0; seed++ {
		for _, kind := range chaos.Kinds() {
			kind.Round(seed, false)
		}
	}
	assert.Empty(t, missing())
}
