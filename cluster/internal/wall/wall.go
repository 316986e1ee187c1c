// Package wall is the clock of this process, which tests may set wrong.
package wall

import (
	"sync/atomic"
	"time"
)

var wrong atomic.Int64

// Now is the time by this process's clock.
func Now() time.Time { return time.Now().Add(time.Duration(wrong.Load())) }

// Misset makes the clock wrong by d from now on.
func Misset(d time.Duration) { wrong.Store(int64(d)) }
