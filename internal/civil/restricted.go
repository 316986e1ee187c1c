package civil

// Window is a set of times that consists of spans: open or not, and for how long.
type Window interface {
	// Look reports whether t is inside, and until when that stays so. It may tell an earlier end
	// than the true one, but not t itself: then one has to look again from there.
	Look(t Time) (inside bool, until Time)
}

// Restricted is what some times have in common with a window. Restricted times of equal parts are
// equal, if the types of the parts can be compared.
type Restricted struct {
	Times  Times
	Window Window
}

// Next returns the first time that is of both, and not before t, or Never. It looks at the 400
// years after which the calendar repeats itself. It goes from span to span: what is outside costs
// one step, however many times it has.
func (r Restricted) Next(t Time) Time {
	for last := t + cycle; t <= last; {
		t = r.Times.Next(t)
		if t > last {
			break
		}
		inside, until := r.Window.Look(t)
		if inside {
			return t
		}
		t = until
	}
	return Never
}
