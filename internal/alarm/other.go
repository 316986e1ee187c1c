//go:build !linux

package alarm

import "github.com/punctual-go/punctual/internal/clock"

func newPrecise(clock.Clock) precise { return nil }

// inBubble does not matter where time.Timer is all there is.
func inBubble() bool { return false }
