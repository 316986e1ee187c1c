//go:build unix

package driver

import (
	"syscall"
	"time"
)

// processorTime returns how long this process has used processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there are no bad arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
