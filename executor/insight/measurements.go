package insight

import "time"

// Measurements are what is kept of the runs of a pool or loop that is watched, see [Config].
type Measurements struct {
	TaskMeasurements                    // of all runs
	Tasks            []TaskMeasurements // by name; beyond the first 200 they share the name "other"

	// Reasons has what the late runs that were explained had waited for, in all; those that have
	// expired included. Unexplained counts the others.
	Reasons     Lateness
	Unexplained uint64
}

// TaskMeasurements are those of the tasks of one name, or of all.
type TaskMeasurements struct {
	Name     string
	Late     Histogram // from when a run was due to when it began
	Took     Histogram // from when it began to the end of its body
	Failures uint64    // runs that have failed, as in Stats; no attempts that others follow
	Skipped  uint64    // runs that have returned executor.ErrSkipped; they have not failed
	Expired  uint64    // runs that did not begin in time, as in Stats; they are in no histogram
	Missed   uint64    // periods that got no run of their own

	LastSuccess time.Time // when a run last succeeded; zero before that
}
