package future

import "github.com/punctual-go/punctual/internal/cell"

// State is the state of a future.
type State uint8

// The states. The last three are final. The future of a periodic task goes from running back to
// pending after each run but the last. StateFailed has the longer name because [Failed] is a
// function.
const (
	Pending     = State(cell.Pending)
	Running     = State(cell.Running)
	Succeeded   = State(cell.Succeeded)
	StateFailed = State(cell.Failed)
	Cancelled   = State(cell.Cancelled)
)

// Settled reports whether the state is final.
func (s State) Settled() bool { return cell.Phase(s).Settled() }

// String returns the state in lower case.
func (s State) String() string {
	switch s {
	case Pending:
		return "pending"
	case Running:
		return "running"
	case Succeeded:
		return "succeeded"
	case StateFailed:
		return "failed"
	case Cancelled:
		return "cancelled"
	}
	return "invalid"
}
