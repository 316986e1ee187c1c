package simulate

import "time"

// wait is a wait in progress for tasks of a host, by a goroutine that may be in one of its runs.
type wait struct {
	call         *call
	host         *host
	scope        scope
	targets      []*job
	ownRun       bool // that the caller is in a run of the host, which gives up its place meanwhile
	from         time.Duration
	helpableFrom time.Duration // since when there could be help without certainty; below 0 if not
	reported     bool
}
