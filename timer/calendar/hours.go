package calendar

import (
	"fmt"

	"github.com/punctual-go/punctual/internal/civil"
)

// Between is open every day from a time of day to another, which is not part of it. It may go over
// midnight, as Between(At(22, 0), At(3, 0)); Between(At(18, 0), At(0, 0)) is the evening. It panics
// if both are the same.
func Between(from, to TimeOfDay) Window {
	if from == to {
		panic(fmt.Sprintf("calendar: a window from %v to %[1]v is empty, or the whole day", from))
	}
	return Window{hours{from, to}}
}

type hours struct{ from, to TimeOfDay }

func (w hours) Look(t civil.Time) (inside bool, until civil.Time) {
	day, second := t.Split()
	from, to := int(w.from.second), int(w.to.second)
	inside = from <= second && second < to
	if from > to {
		inside = from <= second || second < to
	}
	end := from
	if inside {
		end = to
	}
	if end <= second {
		day++
	}
	return inside, day.At(end)
}

func (w hours) String() string { return fmt.Sprintf("%v-%v", w.from, w.to) }
