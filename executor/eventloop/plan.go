package eventloop

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

func planOf(c *cell.Cell) *run.Plan { return c.Plan.Detail.(*run.Plan) }

// letGoLocked drops what only a series that goes on needs.
func letGoLocked(c *cell.Cell) {
	if pl := planOf(c); pl.Periodic() { // else the plan may be that of others, too
		pl.LetGo()
	}
}
