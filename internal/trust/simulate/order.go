package simulate

import "time"

// lastStarts is how many starts are remembered: a task is overtaken by one of the latest.
const lastStarts = 16

// orderOracle finds what has been overtaken: what begins after something that should have been
// behind it, although it was in the queue when that left.
type orderOracle struct {
	starts [lastStarts]startRecord
	n      int
}

// startRecord is one start. Its order relative to other events is known by stamps.
type startRecord struct {
	id            int
	due           time.Duration // or what else the queue goes by
	queuedFrom    int64         // when it came to the queue, at the earliest
	queuedInstant int64         // likewise, but the beginning of that instant
	tick          time.Duration // of a wheel: those of a later one are behind it anyhow
	leftFrom      int64         // when it left the queue, at the earliest
	startedAt     time.Duration // when it began
}

// overtaken adds a start, of something that has been in the queue since the given stamp at the
// latest, and returns another of those that began before it and should have been behind it, if
// there is one. With strict only those count that began at an earlier time: several at once may
// leave the queue in order, and begin in any. With vague only the instant at which it came is
// known.
func (o *orderOracle) overtaken(s startRecord, since int64, strict, vague bool) (by startRecord,
	bad bool) {
	for i := range min(o.n, lastStarts) {
		a := &o.starts[i]
		first := s.due < a.due || s.due == a.due &&
			(since < a.queuedInstant || since < a.queuedFrom && !vague)
		if first && since < a.leftFrom && s.tick <= a.tick &&
			(!strict || a.startedAt < s.startedAt) {
			by, bad = *a, true
			break
		}
	}
	o.starts[o.n%lastStarts] = s
	o.n++
	return by, bad
}
