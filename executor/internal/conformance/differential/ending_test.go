package differential

import (
	"math"
	"slices"
)

// What follows from a script and what happened on the JDK, whatever futures and cancels said.

// refuses tells whether a command comes after a shutdown, with a policy that drops in Java.
func (s script) refuses(command int) bool {
	return s.kind == pooled && s.policy != abort &&
		command > min(s.first(shutdown), s.first(shutdownNow))
}

// over is when a timer ends: when it is cancelled, or when a task has failed.
func (s script) over(java outcome) int {
	at := s.commands[s.first(shutdownNow)].at
	return min(at, s.death(java))
}

// death is when a task has failed that a timer ran, or never.
func (s script) death(java outcome) int {
	at := never
	for i, c := range s.commands {
		if s.kind == timed && c.task() && c.failing() > 0 {
			at = min(at, java.ended(i, c.failing()))
		}
	}
	return at
}

// lost are the tasks that a pool has dropped for lack of room, with the commands that found none.
// What has started tells what was waiting; a caller that runs tasks itself loses none.
func (s script) lost(java outcome) map[int]int {
	lost := map[int]int{}
	if s.kind != pooled || s.policy != discard && s.policy != discardOldest {
		return lost
	}
	var waiting []int
	for i, c := range s.commands[:min(s.first(shutdown), s.first(shutdownNow))] {
		waiting = slices.DeleteFunc(waiting, func(n int) bool { return java.started(n) <= c.at })
		switch {
		case c.op == cancel && java.cancels(i):
			waiting = slices.DeleteFunc(waiting, func(n int) bool { return n == c.n[0] })
		case !c.task() || java.started(i) == c.at:
		case len(waiting) < s.room():
			waiting = append(waiting, i)
		case s.policy == discard:
			lost[i] = i
		default:
			lost[waiting[0]] = i
			waiting = append(waiting[1:], i)
		}
	}
	return lost
}

// room is how many tasks may wait.
func (s script) room() int {
	switch s.queue {
	case handOff:
		return 0
	case bounded:
		return s.capacity
	}
	return math.MaxInt
}
