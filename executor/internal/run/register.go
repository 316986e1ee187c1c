package run

import "github.com/punctual-go/punctual/internal/cell"

// Register has the periodic tasks of an owner that have not left it. The owner's lock guards it,
// and the places of the plans. It is a slice, so that a copy of it takes microseconds where to look
// into the tasks would take milliseconds.
type Register struct {
	*Env
	cells []*cell.Cell
}

// keptPlaces is room that is not given back.
const keptPlaces = 1 << 10

// EnrolLocked puts a periodic task into the register. The lock is held.
func (r *Register) EnrolLocked(c *cell.Cell, pl *Plan) {
	r.cells = append(r.cells, c)
	pl.place = len(r.cells)
}

// StrikeLocked takes a task that has ended out of the register, and lets go of its functions. The
// lock is held.
func (r *Register) StrikeLocked(pl *Plan) {
	if pl.place == 0 {
		return
	}
	last := len(r.cells) - 1
	moved := r.cells[last]
	r.cells[pl.place-1], r.cells[last] = moved, nil
	r.cells = r.cells[:last]
	if pl.place <= last { // else it was the last
		r.Host.PlanOf(moved).place = pl.place
	}
	pl.place = 0
	if cap(r.cells) > keptPlaces && last < cap(r.cells)/4 {
		r.cells = append(make([]*cell.Cell, 0, 2*last), r.cells...)
	}
	if pl.Kept != nil {
		r.LeftLocked(pl)
	}
	pl.LetGo()
}

// Enrolled returns the periodic tasks that have not left the owner, in no order. With the lock held
// it only copies: room for the copy is made before.
func (r *Register) Enrolled() []*cell.Cell {
	for {
		r.Lock.Lock()
		n := len(r.cells)
		r.Lock.Unlock()
		room := make([]*cell.Cell, n+n/8+16) // more may come meanwhile
		if cells, ok := r.enrolledIn(room); ok {
			return cells
		}
	}
}

// enrolledIn copies them to where there may be room.
func (r *Register) enrolledIn(room []*cell.Cell) (cells []*cell.Cell, ok bool) {
	r.Lock.Lock()
	defer r.Lock.Unlock()
	if len(r.cells) > len(room) {
		return nil, false
	}
	return room[:copy(room, r.cells)], true
}
