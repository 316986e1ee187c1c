package calendar

import (
	"fmt"

	"github.com/punctual-go/punctual/internal/civil"
)

// Window is a part of all times that a clock and a calendar can show: some hours of each day, some
// days of each week. It is a value: to be compared with ==, and to be printed. The zero Window is
// never open.
type Window struct{ set window }

// window is what a Window consists of.
type window interface {
	civil.Window
	fmt.Stringer
}

// All returns the window that is open when all of the windows are: 25 December of each year is
//
//	All(InMonths(time.December), OnDays(Day(25)))
//
// It panics without a window.
func All(windows ...Window) Window {
	if len(windows) == 0 {
		panic("calendar: All has no window")
	}
	all := windows[len(windows)-1].parts()
	for i := len(windows) - 2; i >= 0; i-- {
		all = allOf{both{windows[i].parts(), all}}
	}
	return Window{all}
}

// String tells the window in words.
func (w Window) String() string { return w.parts().String() }

func (w Window) parts() window {
	if w.set == nil {
		return never{}
	}
	return w.set
}

// anyOf returns the window that is open when one of the windows is. There is one at least.
func anyOf(windows []Window) window {
	some := windows[len(windows)-1].parts()
	for i := len(windows) - 2; i >= 0; i-- {
		some = either{windows[i].parts(), some}
	}
	return some
}

// clause tells in words what a schedule is restricted to.
func clause(w window) string {
	if n, ok := w.(not); ok {
		return fmt.Sprintf(", except %v", n.closed)
	}
	return ", within " + w.String()
}

// both is open when a and b are. It is closed at least as long as one of them.
type both struct{ a, b civil.Window }

func (w both) Look(t civil.Time) (inside bool, until civil.Time) {
	a, untilA := w.a.Look(t)
	b, untilB := w.b.Look(t)
	if a == b && a {
		return true, min(untilA, untilB)
	}
	return false, laterIf(!a, untilA, !b, untilB)
}

// allOf is both with a text.
type allOf struct{ both }

func (w allOf) String() string { return fmt.Sprintf("(%v and %v)", w.a, w.b) }

// either is open when a or b is, at least as long as one of them.
type either struct{ a, b civil.Window }

func (w either) Look(t civil.Time) (inside bool, until civil.Time) {
	a, untilA := w.a.Look(t)
	b, untilB := w.b.Look(t)
	if !a && !b {
		return false, min(untilA, untilB)
	}
	return true, laterIf(a, untilA, b, untilB)
}

func (w either) String() string { return fmt.Sprintf("%v or %v", w.a, w.b) }

// laterIf returns the later of those times whose condition holds. One does.
func laterIf(hasA bool, a civil.Time, hasB bool, b civil.Time) civil.Time {
	switch {
	case hasA && hasB:
		return max(a, b)
	case hasA:
		return a
	}
	return b
}

// not is open when another window is closed.
type not struct{ closed civil.Window }

func (w not) Look(t civil.Time) (inside bool, until civil.Time) {
	inside, until = w.closed.Look(t)
	return !inside, until
}

func (w not) String() string { return fmt.Sprintf("not %v", w.closed) }

// never is never open.
type never struct{}

func (never) Look(civil.Time) (inside bool, until civil.Time) { return false, civil.Never }
func (never) String() string                                  { return "never" }
