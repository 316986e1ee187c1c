//go:build !unix

package driver

import "time"

var start = time.Now()

// processorTime returns the time of the clock, for want of a better measure.
func processorTime() time.Duration { return time.Since(start) }
