package simulate

import "time"

// grid is the step of all times that are drawn.
const grid = time.Millisecond

// never stands for a time that does not come.
const never = time.Duration(1<<63 - 1)

// timeline remembers in which states of the simulation time has passed. Every change of the state
// calls pass first: so the state was the same since the change before, and time that has passed
// since then passed in that state.
//
// Something that was due at a time before free is late: after that time, a while has passed in
// which somebody was free to begin it. Something that was decided before quiet, and not told to
// whoever waits for it, is late likewise.
type timeline struct {
	start      time.Time
	lastChange time.Duration // of the last change

	running int // bodies, or busy takers
	size    int // how many there may be; with fewer, somebody is free
	heldUp  int // goroutines that the hook holds up: while there are any, nobody is blamed

	quietUntil time.Duration // up to here time has passed while nobody was held up
	// up to here time has passed while nobody was held up and somebody was free
	freeUntil time.Duration

	stamp        int64 // of the last change; they are counted
	instantStamp int64 // of the first change at this time
}

// overdue reports whether what has been due since the given time has been so beside somebody who
// was free.
func (tl *timeline) overdue(due time.Duration) bool { return due < tl.freeUntil }

// now is the time since the start.
func (tl *timeline) now() time.Duration { return time.Since(tl.start) }

// advanceLocked notes what time has passed, and returns the present.
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
