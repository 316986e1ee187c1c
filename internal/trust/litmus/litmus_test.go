package litmus_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/internal/trust/litmus"
)

const (
	someRounds   = 3000
	enoughRounds = 10_000 // of a pair, for every acceptable outcome to be seen
)

// There are someRounds of each pair, or as many as the environment variable PUNCTUAL_LITMUS says.
// From enoughRounds on an outcome that does not show is a failure, too.
func TestLitmus_B17_B35_NoPairEndsAsItMustNot(t *testing.T) {
	rounds := someRounds
	if n, err := strconv.Atoi(os.Getenv("PUNCTUAL_LITMUS")); err == nil {
		rounds = n
	}
	seed := uint64(time.Now().UnixNano())
	for _, p := range litmus.Pairs() {
		t.Run(p.Name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			began := time.Now()
			r := p.Race(rounds, seed, nil)
			t.Logf("%d rounds of %v, seed %d: %v", r.Rounds,
				time.Since(began)/time.Duration(max(r.Rounds, 1)), seed, r.Seen)
			assert.Equal(t, rounds, r.Rounds)
			assert.Empty(t, r.Faults)
			if rounds >= enoughRounds {
				assert.Empty(t, r.Unseen(p), "never seen")
			}
		})
	}
}
