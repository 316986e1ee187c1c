package driver

import (
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// meter measures from when it is started: the clock, and what the process uses of the processors.
type meter struct {
	begin time.Time
	used  time.Duration
}

func startMeter() meter {
	used := processorTime()
	return meter{time.Now(), used}
}

// per returns what each of so many tasks has taken up to now.
func (m meter) per(tasks int) workload.Figures { return m.until(time.Now(), tasks) }

// until returns the same of tasks that have come to their end a moment ago.
func (m meter) until(end time.Time, tasks int) workload.Figures {
	used := processorTime() - m.used
	return workload.Figures{
		"ns":     float64(end.Sub(m.begin)) / float64(tasks),
		"cpu_ns": float64(used) / float64(tasks),
	}
}
