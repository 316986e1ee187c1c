package run

import "github.com/punctual-go/punctual/internal/cell"

// register has the periodic tasks of an owner that have not left it. The owner's lock guards it,
// and the places of the plans. It is a slice, so that a copy of it takes microseconds where to look
// into the tasks would take milliseconds.
type register struct{ cells []*cell.Cell }

// keptPlaces is room that is not given back.
const keptPlaces = 1 << 10

// EnrolLocked puts a periodic task into the register. The lock is held.
func (o *Owner) EnrolLocked(c *cell.Cell, pl *Plan) {
	r := &o.series
	r.cells = append(r.cells, c)
	pl.place = len(r.cells)
}

// StrikeLocked takes a task that has ended out of the register, and lets go of its functions.
// Planned leads from a cell to its plan. The lock is held.
func (o *Owner) StrikeLocked(pl *Plan, planned func(*cell.Cell) *Plan) {
	if pl.place == 0 {
		return
	}
	r := &o.series
	last := len(r.cells) - 1
	moved := r.cells[last]
	r.cells[pl.place-1] = moved
	r.cells[last] = nil
	r.cells = r.cells[:last]
	planned(moved).place = pl.place
	pl.place = 0
	if cap(r.cells) > keptPlaces && last < cap(r.cells)/4 {
		r.cells = append(make([]*cell.Cell, 0, 2*last), r.cells...)
	}
	if pl.Kept != nil {
		o.LeftLocked(pl)
	}
	pl.LetGo()
}

// Enrolled returns the periodic tasks that have not left the owner, in no order. With the lock held
// it only copies: room for the copy is made before.
func (o *Owner) Enrolled() []*cell.Cell {
	for {
		o.Lock.Lock()
		n := len(o.series.cells)
		o.Lock.Unlock()
		room := make([]*cell.Cell, n+n/8+16) // more may come meanwhile
		if cells, ok := o.enrolledIn(room); ok {
			return cells
		}
	}
}

// enrolledIn copies them to where there may be room.
func (o *Owner) enrolledIn(room []*cell.Cell) (cells []*cell.Cell, ok bool) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if len(o.series.cells) > len(room) {
		return nil, false
	}
	return room[:copy(room, o.series.cells)], true
}
