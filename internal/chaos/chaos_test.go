package chaos_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/internal/chaos"
)

// TestStress goes on for some time with every kind, or as long as the environment variable PUNCTUAL_STRESS says,
// by turns with and without delay points.
func TestStress(t *testing.T) {
	length := 200 * time.Millisecond
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
