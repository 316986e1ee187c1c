package series

import "time"

// Spot is where a waiting task stands in time.
type Spot struct {
	slot, planned int64
	date          time.Time
}

// Spot returns where a task that runs once stands.
func (g *Grid) Spot() (at Spot) {
	at = Spot{slot: g.slot, planned: g.planned}
	if g.Dates != nil {
		at.date = g.Dates.slot
	}
	return at
}

// Return puts the task back where it stood.
func (g *Grid) Return(at Spot) {
	g.slot, g.planned = at.slot, at.planned
	if g.Dates != nil {
		g.Dates.slot = at.date
	}
}
