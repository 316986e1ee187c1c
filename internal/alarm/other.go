//go:build !linux

package alarm

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// The only means here is the runtime timer.
func newThread(clock.Clock) means { return nil }
func newPoller(clock.Clock) means { return nil }

// inBubble guesses: the clock of a testing/synctest bubble starts in the year 2000, and no bubble is
// expected to be older than a quarter of a century when a pool is made in it. A real clock that is
// set so wrong looks like a bubble, and then nothing but a sparing of wake-ups is lost.
func inBubble() bool { return time.Now().Year() < 2025 }
