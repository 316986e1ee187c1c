package simulate

import "fmt"

// Report is the outcome of one simulation, or of many.
type Report struct {
	Ops  int64 // operations: calls into the facility, and stretches of time
	Runs int64 // bodies that have begun, elements that were taken

	Lost      int64 // what was accepted and has no end, or what is kept was dropped
	Duplicate int64 // what has two ends: run twice, run after it was cancelled, or beside itself
	Early     int64 // began before its time
	Late      int64 // time passed while it was due and could have begun; or began out of turn
	Stuck     int64 // waited for what never came
	Leaked    int64 // outlived its facility

	Faults []string // the first few, in words, with their seeds
}

// manyFaults is how many are kept in words.
const manyFaults = 5

// Bad returns how many faults there are.
func (r Report) Bad() int64 {
	return r.Lost + r.Duplicate + r.Early + r.Late + r.Stuck + r.Leaked
}

// Add adds the counts of another report, and its faults as long as there are few.
func (r *Report) Add(other Report) {
	r.Ops += other.Ops
	r.Runs += other.Runs
	r.Lost += other.Lost
	r.Duplicate += other.Duplicate
	r.Early += other.Early
	r.Late += other.Late
	r.Stuck += other.Stuck
	r.Leaked += other.Leaked
	for _, fault := range other.Faults {
		if len(r.Faults) < manyFaults {
			r.Faults = append(r.Faults, fault)
		}
	}
}

// note counts a fault of the given sort, which is a field of the report.
func (r *Report) note(sort *int64, seed uint64, format string, args ...any) {
	*sort++
	if len(r.Faults) < manyFaults {
		r.Faults = append(r.Faults, fmt.Sprintf("seed %d: ", seed)+fmt.Sprintf(format, args...))
	}
}
