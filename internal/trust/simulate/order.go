package simulate

import "time"

// lastStarts is how many starts are remembered. Who is overtaken is so by one of the last.
const lastStarts = 16

// orderOracle finds out who has been overtaken: who begins after another that should have been
// behind it, although it was in the queue when that one left.
type orderOracle struct {
	starts [lastStarts]startRecord
	n      int
}

// startRecord is one that begins. Times before and after it are told by stamps.
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
// leave the queue in order, and begin in any. With vague it is known only in which instant it came.
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
