package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// forSeeds holds from:to, the seeds of the long set. The second is left out.
const forSeeds = "PUNCTUAL_TEST_SEEDS"

// Faults at random: servers are killed, stopped, cut off and wiped, workers killed, stopped, cut
// off and drained, while others submit, cancel, declare and command. Then all is healed, and what
// the journals say is judged. A fault found is not found again for sure with its seed: that only
// draws the same, and what meets what is up to the machine.
func TestFaultsAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	from, to, lasts := seeds(t)
	for seed := from; seed < to; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			(&campaign{seed: seed, lasts: lasts}).run(t)
		})
	}
}

// seeds tells which campaigns are to be made, and for how long each lasts.
func seeds(t *testing.T) (from, to uint64, lasts time.Duration) {
	t.Helper()
	if os.Getenv(forLong) == "" {
		return 1, 2, 10 * time.Second
	}
	from, to = 1, 7
	if text := os.Getenv(forSeeds); text != "" {
		_, err := fmt.Sscanf(text, "%d:%d", &from, &to)
		require.NoError(t, err, "%s is %q, and not as 1:20", forSeeds, text)
	}
	return from, to, 40 * time.Second
}

// dice is a source of what a part of the campaign draws: each has its own, as they draw at once.
func (c *campaign) dice() *rand.Rand {
	c.drawing++
	return rand.New(rand.NewPCG(c.seed, c.drawing))
}
