package pairs

import (
	"slices"
	"time"
)

// start is the beginning of a body.
type start struct {
	r *record
	b *bodyRun
}

// lanes are the numbers of all lanes of a life.
var lanes = []int{1, 2, 3, 4}

// lane returns the number of the lane of a task; 0 if it is in none.
func (r *record) lane() int {
	switch w := r.t.way.way; {
	case w&serialWays != 0:
		return 1 + r.t.lane
	case w&laneWays != 0:
		return 3 + r.t.lane
	}
	return 0
}

// starts returns the beginnings in a lane, or all for lane 0, in their order.
func (j *journal) starts(lane int) (all []start) {
	for _, r := range j.records {
		if lane == 0 || r.lane() == lane {
			for _, b := range r.bodies {
				all = append(all, start{r, b})
			}
		}
	}
	slices.SortFunc(all, func(a, b start) int { return a.b.seq - b.b.seq })
	return all
}

// busyAt returns how many bodies were in progress right after that time.
func (j *journal) busyAt(at time.Duration) (n int) {
	for _, r := range j.records {
		for _, b := range r.bodies {
			if b.began <= at && b.ended > at {
				n++
			}
		}
	}
	return n
}

// freeBetween returns a time at which one of so many workers was free and time passed.
func (j *journal) freeBetween(from, to time.Duration, workers int) (time.Duration, bool) {
	if from >= to {
		return 0, false
	}
	times := []time.Duration{from}
	for _, r := range j.records {
		for _, b := range r.bodies {
			if b.ended > from && b.ended < to {
				times = append(times, b.ended)
			}
		}
	}
	for _, at := range times {
		if j.busyAt(at) < workers {
			return at, true
		}
	}
	return 0, false
}

// eachUsing calls f for each task that has the option.
func (j *journal) eachUsing(f *Feature, do func(r *record, u *use)) {
	for _, r := range j.records {
		if u := r.t.using(f); u != nil {
			do(r, u)
		}
	}
}

// eachLate calls f for each run that began later than so long after it was due.
func (j *journal) eachLate(by time.Duration, f func(r *record, b *bodyRun)) {
	for _, r := range j.records {
		for _, b := range r.bodies {
			if b.began > b.due+by {
				f(r, b)
			}
		}
	}
}
