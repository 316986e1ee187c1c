// Package watchdog ends the process when something hangs, and shows where. A test that hangs in
// real time has no other way out: the race that it has lost is over, and only the stacks of the
// goroutines tell which one.
package watchdog

import (
	"os"
	"runtime"
	"time"
)

// Start writes the stacks of all goroutines to the standard error and panics with a message, unless
// the timer that it returns is stopped, or reset, within the limit.
func Start(limit time.Duration, message func() string) *time.Timer {
	return time.AfterFunc(limit, func() {
		stacks := make([]byte, 1<<22)
		_, _ = os.Stderr.Write(stacks[:runtime.Stack(stacks, true)])
		panic(message())
	})
}
