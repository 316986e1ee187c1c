package simulate

import "time"

// grid is the step of all times that are drawn.
const grid = time.Millisecond

// never stands for a time that does not come.
const never = time.Duration(1<<63 - 1)

// gauge remembers in which states of the world time has passed. Every change of the state calls pass first: so the
// state was the same since the change before, and time that has passed since then passed in that state.
//
// Something that was due at a time before free is late: after that time, a while has passed in which somebody was free
// to begin it. Something that was decided before quiet, and not told to whoever waits for it, is late likewise.
type gauge struct {
	start time.Time
	last  time.Duration // of the last change

	running int // bodies, or busy takers
	size    int // how many there may be; with fewer, somebody is free
	asleep  int // goroutines that the hook holds up: while there are any, nobody is blamed

	quiet time.Duration // up to here time has passed while nobody was held up
	free  time.Duration // up to here time has passed while nobody was held up and somebody was free

	stamp   int64 // of the last change; they are counted
	instant int64 // of the first change at this time
}

// overdue reports whether what has been due since the given time has been so beside somebody who was free.
func (g *gauge) overdue(due time.Duration) bool { return due < g.free }

// now is the time since the start.
func (g *gauge) now() time.Duration { return time.Since(g.start) }

// pass notes what time has passed, and returns the present.
func (g *gauge) pass() time.Duration {
	now := g.now()
	g.stamp++
	if now == g.last {
		return now
	}
	if g.asleep == 0 {
		g.quiet = now
		if g.running < g.size {
			g.free = now
		}
	}
	g.last, g.instant = now, g.stamp
	return now
}
