package simulate

import "time"

// grid is the step of all times that are drawn.
const grid = time.Millisecond

// never stands for a time that does not come.
const never = time.Duration(1<<63 - 1)

// timeline remembers in which states of the simulation time has passed. Every change of the state
// calls advanceLocked first, so all time since the change before has passed in one state.
//
// A task that was due before freeUntil is late: since it was due, time has passed while a worker
// was free to begin it. Likewise, what was decided before quietUntil and has not reached those who
// wait for it is late.
type timeline struct {
	start      time.Time
	lastChange time.Duration // of the last change

	running int // bodies, or busy takers
	size    int // how many there may be; with fewer, somebody is free
	heldUp  int // goroutines that the hook holds up: while there are any, nobody is blamed

	quietUntil time.Duration // up to here time has passed while nobody was held up
	// Up to here time has passed while nobody was held up and somebody was free.
	freeUntil time.Duration

	stamp        int64 // of the last change; they are counted
	instantStamp int64 // of the first change at this time
}

// overdue reports whether something due at the given time has been left waiting beside a free
// worker.
func (tl *timeline) overdue(due time.Duration) bool { return due < tl.freeUntil }

// now is the time since the start.
func (tl *timeline) now() time.Duration { return time.Since(tl.start) }

// advanceLocked notes in which state time has passed, and returns the present.
func (tl *timeline) advanceLocked() time.Duration {
	now := tl.now()
	tl.stamp++
	if now == tl.lastChange {
		return now
	}
	if tl.heldUp == 0 {
		tl.quietUntil = now
		if tl.running < tl.size {
			tl.freeUntil = now
		}
	}
	tl.lastChange, tl.instantStamp = now, tl.stamp
	return now
}
