package debounce

import "time"

// turn is a run, from the first call for it on. The lock of the debouncer guards it.
type turn struct {
	first   time.Time // call
	flushed bool      // nothing puts it off any more
	begun   bool

	done chan struct{} // closed at the end; nil while nobody waits for that
	err  error         // of the run, once done is closed
}

// await returns a channel that is closed at the end.
func (t *turn) await() <-chan struct{} {
	if t.done == nil {
		t.done = make(chan struct{})
	}
	return t.done
}

// end ends the turn, with the error of its run.
func (t *turn) end(err error) {
	t.err = err
	if t.done != nil {
		close(t.done)
	}
}
