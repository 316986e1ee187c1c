package run

import "github.com/punctual-go/punctual/internal/cell"

// Judge finds out whether the body has returned an error that matches [ErrSkipped]. It calls
// methods of that error, which is the user's: if one ends the goroutine, the run has failed. A run
// that has exceeded its timeout has failed already, and a panic is none that says anything.
func (x *Execution) Judge() {
	if x.Err == nil || x.Abrupt || x.overrun || !cell.Matches(x.Err, ErrSkipped) {
		return
	}
	x.Skipped = true
	if pl := x.Plan; pl.Expected() && !pl.Periodic() {
		pl.LeftOut = true
	}
}

// consult calls f, which calls methods of the body's error. If one ends the goroutine, the run is
// settled on the way out.
func (x *Execution) consult(f func()) {
	returned := false
	defer func() {
		if !returned {
			x.lookAhead()
			x.settle()
		}
	}()
	f()
	returned = true
}
