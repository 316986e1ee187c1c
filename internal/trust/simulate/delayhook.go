package simulate

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/delay"
)

// mode is what the hook does at the delay points.
type mode uint8

const (
	noDelays mode = iota // there is no hook
	yields               // it lets others run, some times
	sleeps               // it sleeps, some steps of the grid
)

// drawMode draws the mode of a simulation: half of them yield, one in ten sleeps.
func drawMode(n int) mode {
	switch {
	case n < 5:
		return yields
	case n < 6:
		return sleeps
	default:
		return noDelays
	}
}

// delayHook holds up goroutines at the delay points. Any goroutine of the bubble calls it, perhaps
// with a lock held, so it draws without one.
type delayHook struct {
	sim   *simulation
	state atomic.Uint64
	off   atomic.Bool
}

func (h *delayHook) at(p delay.Point) {
	x := mix(h.state.Add(0x9e3779b97f4a7c15))
	switch {
	case h.off.Load():
	case h.sim.mode == yields:
		if x&3 == 0 {
			for range 1 + x>>8&3 {
				runtime.Gosched()
			}
		}
	case !p.Locked() && x&7 == 0:
		h.sim.holdUp(grid + time.Duration(x>>8%3)*grid)
	}
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
