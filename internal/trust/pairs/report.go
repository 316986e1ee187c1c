package pairs

import "fmt"

// Report is the outcome of a life, or of many.
type Report struct {
	Lives int64
	Ops   int64 // submissions, commands, and bodies

	Lost      int64 // what was accepted and has no end, or an impossible one
	Duplicate int64 // what has two ends, or ran beside itself
	Early     int64 // began before its time
	Late      int64 // was due while a worker was free, and did not begin
	Wrong     int64 // figures that do not agree, limits that do not hold
	Stuck     int64 // waited for what never came
	Leaked    int64 // outlived its executor

	Faults []string // the first few, in words
	Seen   Counts   // how often each pair was effective
}

// manyFaults is how many are kept in words.
const manyFaults = 8

// Bad returns how many faults there are.
func (r Report) Bad() int64 {
	return r.Lost + r.Duplicate + r.Early + r.Late + r.Wrong + r.Stuck + r.Leaked
}

// Add adds another report.
func (r *Report) Add(o Report) {
	r.Lives += o.Lives
	r.Ops += o.Ops
	r.Lost += o.Lost
	r.Duplicate += o.Duplicate
	r.Early += o.Early
	r.Late += o.Late
	r.Wrong += o.Wrong
	r.Stuck += o.Stuck
	r.Leaked += o.Leaked
	for _, fault := range o.Faults {
		if len(r.Faults) < manyFaults {
			r.Faults = append(r.Faults, fault)
		}
	}
	r.Seen.Add(o.Seen)
}

// note counts a fault of a sort, which is a field of the report.
func (r *Report) note(sort *int64, format string, args ...any) {
	*sort++
	if len(r.Faults) < manyFaults {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}
