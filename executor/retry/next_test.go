package retry_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor/retry"
)

var errFailed = errors.New("failed")

func TestTheNextWaitIsThatOfTheBackoff(t *testing.T) {
	b := retry.Backoff{Base: time.Second, Max: 5 * time.Second, Spread: retry.NoSpread}
	for n, want := range []time.Duration{1, 1, 2, 4, 5, 5} { // 0 counts as 1
		wait, ok := b.Next(n, 0, errFailed)
		assert.True(t, ok)
		assert.Equal(t, want*time.Second, wait, "after attempt %d", n)
	}
	b.Spread = retry.DecorrelatedSpread
	for range 100 {
		wait, _ := b.Next(1, 2*time.Second, errFailed)
		assert.GreaterOrEqual(t, wait, time.Second)
		assert.LessOrEqual(t, wait, 5*time.Second)
	}
	b.Spread = retry.FullSpread
	wait, _ := b.Next(3, 0, errFailed)
	assert.Less(t, wait, 4*time.Second)
}

func TestTheErrorDecidesAboutTheNextAttempt(t *testing.T) {
	b := retry.Backoff{Base: time.Second}
	wait, ok := b.Next(1, 0, fmt.Errorf("push: %w", retry.After(errFailed, time.Minute)))
	assert.True(t, ok)
	assert.Equal(t, time.Minute, wait)
	wait, ok = b.Next(1, 0, retry.After(errFailed, -time.Minute))
	assert.True(t, ok)
	assert.Zero(t, wait)
	_, ok = b.Next(1, 0, fmt.Errorf("push: %w", retry.Permanent(errFailed)))
	assert.False(t, ok)
}

func TestABackoffThatMakesNoSenseIsNotValid(t *testing.T) {
	assert.NoError(t, retry.Backoff{}.Validate())
	assert.NoError(t, retry.Backoff{Base: 1, Factor: 1, Max: 1, Spread: retry.NoSpread, Within: 1}.Validate())
	for want, b := range map[string]retry.Backoff{
		"negative duration":         {Base: -1},
		"negative duration in back": {Max: -1},
		"negative duration in":      {Within: -1},
		"factor 0.5 is not":         {Factor: 0.5},
		"factor NaN is not":         {Factor: math.NaN()},
		"factor +Inf is not":        {Factor: math.Inf(1)},
		"spread 4 is unknown":       {Spread: 4},
	} {
		assert.ErrorContains(t, b.Validate(), want)
	}
}
