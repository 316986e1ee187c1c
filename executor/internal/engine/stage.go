package engine

// stage is the stage of a pool's life. It only moves forward:
//
//	running  -> draining    Shutdown, Close: refuses tasks, runs what the policies keep
//	running  -> stopping    ShutdownNow: starts nothing more
//	draining -> stopping    ShutdownNow
//	draining -> tidying     the queue is empty, the last run over, the last worker gone
//	stopping -> tidying     the last run over, the last worker gone
//	tidying  -> terminated  the AfterTermination hooks have returned
type stage uint8

const (
	running stage = iota
	draining
	stopping
	tidying
	terminated
)

// String returns the stage as Stats shows it.
func (s stage) String() string {
	return [...]string{StateRunning, "shutting down", "stopping", "tidying", "terminated"}[s]
}

// StateRunning is the state of a pool that is not shut down.
const StateRunning = "running"
