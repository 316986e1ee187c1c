package simulate_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/trust/simulate"
	"github.com/punctual-go/punctual/timer"
)

// faulty is a wheel with a fault, once in some times.
type faulty struct {
	timer.Scheduler
	arm   func(right timer.Scheduler, d time.Duration, f func()) timer.Handle
	armed atomic.Int64
}

func (s *faulty) AfterFunc(d time.Duration, f func()) timer.Handle {
	if s.armed.Add(1)%8 != 0 {
		return s.Scheduler.AfterFunc(d, f)
	}
	return s.arm(s.Scheduler, d, f)
}

// deaf is a handle that says it has stopped its function, and has not.
type deaf struct{ timer.Handle }

func (deaf) Stop() bool { return true }

func TestAFaultIsFoundAndCalledByItsName(t *testing.T) {
	const step = time.Millisecond
	for name, fault := range map[string]struct {
		arm   func(right timer.Scheduler, d time.Duration, f func()) timer.Handle
		count func(r simulate.Report) int64
	}{
		"early": {
			func(right timer.Scheduler, d time.Duration,
				f func()) timer.Handle {
				return right.AfterFunc(d-step, f)
			},
			func(r simulate.Report) int64 { return r.Early },
		},
		"late": {
			func(right timer.Scheduler, d time.Duration,
				f func()) timer.Handle {
				return right.AfterFunc(d+step, f)
			},
			func(r simulate.Report) int64 { return r.Late },
		},
		"twice": {
			func(right timer.Scheduler, d time.Duration, f func()) timer.Handle {
				right.AfterFunc(d, f)
				return right.AfterFunc(d, f)
			},
			func(r simulate.Report) int64 { return r.Duplicate },
		},
		"never": {
			func(right timer.Scheduler, d time.Duration, f func()) timer.Handle {
				return right.AfterFunc(d, func() {})
			},
			func(r simulate.Report) int64 { return r.Lost },
		},
		"deaf": {
			func(right timer.Scheduler, d time.Duration, f func()) timer.Handle {
				return deaf{right.AfterFunc(d, f)}
			},
			func(r simulate.Report) int64 { return r.Duplicate },
		},
	} {
		t.Run(name, func(t *testing.T) {
			var sum simulate.Report
			for seed := range uint64(10) {
				sum.Add(simulate.SimulateOn(t, seed, 300,
					func(right timer.Scheduler) timer.Scheduler {
						return &faulty{Scheduler: right, arm: fault.arm}
					}))
			}
			assert.Positive(t, fault.count(sum), "%+v", sum)
		})
	}
}

func TestAWorldWithoutAFaultHasNone(t *testing.T) {
	var sum simulate.Report
	for seed := range uint64(10) {
		sum.Add(simulate.SimulateOn(t, seed, 300,
			func(right timer.Scheduler) timer.Scheduler { return right }))
	}
	assert.Zero(t, sum.Bad(), "%+v", sum)
}

func TestAStandstillIsReportedAndOthersGoOn(t *testing.T) {
	for name, drive := range map[string]func(){
		"nothing can run": func() { select {} },
		"time passes, and nothing else": func() {
			for {
				time.Sleep(time.Minute)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := simulate.RunDriver(t, drive)
			assert.EqualValues(t, 1, r.Stuck, "%+v", r)
			assert.Len(t, r.Faults, 1)
		})
	}
	assert.Zero(t, simulate.RunDriver(t, func() {}).Bad())
}

func TestWhatOutlivesItsWorldIsReported(t *testing.T) {
	r := simulate.RunDriver(t, func() { go func() { select {} }() })
	assert.EqualValues(t, 1, r.Leaked, "%+v", r)
}

// The table of the README: period 10, and a run that stands from 20 to 47.
func TestTheCalendarIsThatOfThePromises(t *testing.T) {
	takes := []time.Duration{0, 0, 27, 0, 0, 0, 0}
	for name, want := range map[string]struct {
		starts []time.Duration
		missed []uint64
	}{
		"burst":       {[]time.Duration{0, 10, 20, 47, 47, 50, 60}, []uint64{0, 0, 0, 1, 0, 0, 0}},
		"coalesce":    {[]time.Duration{0, 10, 20, 47, 50, 60, 70}, []uint64{0, 0, 0, 1, 0, 0, 0}},
		"skip":        {[]time.Duration{0, 10, 20, 50, 60, 70, 80}, []uint64{0, 0, 0, 2, 0, 0, 0}},
		"fixed delay": {[]time.Duration{0, 10, 20, 57, 67, 77, 87}, make([]uint64, 7)},
	} {
		starts, missed := simulate.Starts(name, 0, 10, takes)
		assert.Equal(t, want.starts, starts, name)
		assert.Equal(t, want.missed, missed, name)
	}
}

func TestWhoIsOvertakenIsEarlierOrCameFirst(t *testing.T) {
	assert.True(t, simulate.Overtaken(5, 4, 1, 2), "due earlier")
	assert.True(t, simulate.Overtaken(5, 5, 2, 1), "came first")
	assert.False(t, simulate.Overtaken(5, 5, 1, 2))
	assert.False(t, simulate.Overtaken(4, 5, 2, 1))
}

func TestReportsAddUpAndKeepTheFirstFaultsOnly(t *testing.T) {
	var sum simulate.Report
	for range 4 {
		sum.Add(simulate.Report{
			Ops: 1, Runs: 2, Lost: 1, Duplicate: 1, Early: 1, Late: 1, Stuck: 1, Leaked: 1,
			Faults: []string{"a", "b"},
		})
	}
	assert.EqualValues(t, 24, sum.Bad())
	assert.EqualValues(t, 4, sum.Ops)
	assert.EqualValues(t, 8, sum.Runs)
	assert.Len(t, sum.Faults, 5)
}
