package wheel

// Dial is the structure in which timers wait for their tick. Its methods are called with the
// wheel's lock held. The hand is the last tick that has been dealt with; every timer in the dial has
// a later one.
type Dial interface {
	// Add takes in t. The dial owns the exported fields of t until it gives t back.
	Add(t *Timer, hand int64)

	// Remove takes out t, which is in the dial.
	Remove(t *Timer)

	// Next returns a tick after the hand and not after that of any timer, ok; or false if the dial
	// is empty. It may be earlier than necessary once for each removed timer.
	Next(hand int64) (tick int64, ok bool)

	// Expire moves the hand to tick, which Next has returned, or beyond, but not beyond the tick now,
	// and takes out the timers up to there, in any order. If that is much work it does a piece, and
	// returns true to be called again with the same arguments; in between, timers behind the hand may
	// be added, and any removed.
	Expire(tick, now int64, due func(*Timer)) (hand int64, more bool)

	// Drain takes out all timers, in any order.
	Drain(out func(*Timer))
}

// Piece is how many timers a dial looks at before it lets go of the lock.
const Piece = 1024
