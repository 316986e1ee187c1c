package wheel

// Dial is the structure in which timers wait for their tick. Its methods are called with the lock
// of the wheel held. The hand is the last tick that has been dealt with; every timer in the dial
// has a later one.
type Dial interface {
	// Add inserts t. The dial owns the exported fields of t until it gives t back.
	Add(t *Timer, hand int64)

	// Remove removes t, which is in the dial.
	Remove(t *Timer)

	// Next returns a tick that is later than the hand and no later than that of any timer, or false
	// if the dial is empty. Each removal may make it too early once: the wheel then wakes for
	// nothing.
	Next(hand int64) (tick int64, ok bool)

	// Expire moves the hand to tick, which Next has returned, or further, up to the tick now, and
	// passes every timer up to there to due, in any order. If that is much work it does a piece of
	// it and returns true, to be called again with the same arguments. Between two pieces timers
	// later than the hand may be added, and any removed.
	Expire(tick, now int64, due func(*Timer)) (hand int64, more bool)

	// Drain removes all timers and passes them to out, in any order.
	Drain(out func(*Timer))
}

// Piece is how many timers Expire looks at in one piece, after which the wheel lets go of the lock:
// so a tick with a million timers keeps nobody from arming another.
const Piece = 1024
