package retry

import (
	"time"

	"github.com/punctual-go/punctual/internal/series"
)

// Backoff says how long to wait before each further attempt; the option Retry of package executor
// takes it. With the zero Backoff it comes at once. The option that has a series run less often
// while it fails is SlowDown.
//
// With base 100 ms, factor 2, and a most of 1 s, the waits are, for a random number of 0, of one
// half, and close to 1:
//
//	NoSpread            100 200 400 800 1000    always
//	FullSpread          0 0 0 0 0               50 100 200 400 500       100 200 400 800 1000
//	EqualSpread         50 100 200 400 500      75 150 300 600 750       100 200 400 800 1000
//	DecorrelatedSpread  100 100 100 100 100     200 350 575 912 1000     300 900 1000 1000 1000
//
// The kinds of jitter are those of Brooker, "Exponential Backoff And Jitter" (AWS, 2015).
type Backoff struct {
	Base   time.Duration // the first wait
	Factor float64       // of each wait to the one before; 0 means 2, and 1 a constant wait
	Max    time.Duration // of a wait; 0 means no limit
	Spread Spread        // how waits are varied; the zero value is FullSpread

	// Within bounds the whole: no attempt begins so long after the first began, or later, and no
	// wait is begun that would end there. 0 means no limit.
	Within time.Duration
}

// Spread says how the waits of a [Backoff] are varied at random, so that many tasks that failed
// together do not come back together.
type Spread uint8

// With w for the wait of the back-off and r for a random number from 0 to 1:
const (
	FullSpread         Spread = Spread(series.FullSpread)         // r·w
	EqualSpread        Spread = Spread(series.EqualSpread)        // w/2 + r·w/2
	DecorrelatedSpread Spread = Spread(series.DecorrelatedSpread) // base + r·(3·last − base)
	NoSpread           Spread = Spread(series.NoSpread)           // w
)
