package sight

import (
	"math/bits"
	"time"
)

// episode is a time in which runs of one kind are late again and again. Of its late runs the first,
// second, fourth, eighth and so on are worth a record, and one a minute. It is over when a minute
// has passed without any. A single run on time does not end it: a task that is late every other
// time would be told each time.
type episode struct {
	count      uint64 // late runs
	suppressed uint64 // since the last record
	last       int64  // when the last of them began
	recorded   int64  // when one was last worth a record
}

const (
	episodeEnds  = int64(time.Minute)
	recordedEach = int64(time.Minute)
)

// late counts a late run that has begun now. It reports whether that is worth a record, and how
// many before it were not.
func (e *episode) late(now int64) (notable bool, suppressed uint64) {
	if e.count > 0 && now-e.last > episodeEnds {
		*e = episode{}
	}
	e.count++
	e.last = now
	if bits.OnesCount64(e.count) > 1 && now-e.recorded < recordedEach {
		e.suppressed++
		return false, 0
	}
	suppressed, e.suppressed, e.recorded = e.suppressed, 0, now
	return true, suppressed
}
