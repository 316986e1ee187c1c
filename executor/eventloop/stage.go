package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// stage is the stage of a loop's life. It only moves forward:
//
//	running  -> quieting    ShutdownGracefully: takes tasks for now, drops tasks for later
//	running  -> draining    Shutdown, Close: refuses tasks, runs those that are left
//	quieting -> draining    quiet for long enough, or out of time; or Shutdown, Close
//	running, quieting, draining -> stopping    ShutdownNow: begins no further task
//	draining, stopping -> terminated           nothing is left, and nothing runs
type stage uint8

const (
	running stage = iota
	quieting
	draining
	stopping
	terminated
)

// String returns the stage in lower case.
func (s stage) String() string {
	return [...]string{"running", "quieting", "shutting down", "stopping", "terminated"}[s]
}

// calm is what a quieting loop needs to know. The loop's lock guards it. dropDelayed counts in
// every later stage too.
type calm struct {
	quiet time.Duration // how long no task may run
	from  int64         // when the last run ended, or quieting began
	end   int64         // when the loop stops waiting for quiet

	unwanted    []*cell.Cell // arrived since, and to be dropped
	dropDelayed bool         // drop what was not due at the shutdown
}

// until returns when the loop has been quiet for long enough, if nothing comes.
func (k *calm) until() int64 { return min(clock.Later(k.from, k.quiet), k.end) }
