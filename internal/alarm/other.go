//go:build !linux

package alarm

func newPrecise() precise { return nil }

// inBubble does not matter where time.Timer is all there is.
func inBubble() bool { return false }
