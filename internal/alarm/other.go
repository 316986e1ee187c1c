//go:build !linux

package alarm

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// The only means here is the runtime timer.
func newThread(clock.Clock) means { return nil }
func newPoller(clock.Clock) means { return nil }

// InBubble guesses: the clock of a testing/synctest bubble starts in the year 2000, and a pool is
// hardly made in a bubble that has gone on for a quarter of a century. A real clock that is set so
// wrong looks like a bubble; then wake-ups are not shared unless told, and that is all.
func InBubble() bool { return time.Now().Year() < 2025 }
