//go:build !linux

package alarm

import "github.com/punctual-go/punctual/internal/clock"

// newPrecise returns nil: the only alarm here is a time.Timer.
func newPrecise(clock.Clock) precise { return nil }

// inBubble returns false. Where time.Timer is all there is, it makes no difference.
func inBubble() bool { return false }
