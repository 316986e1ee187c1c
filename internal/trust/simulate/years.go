package simulate

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// YearsReport is the outcome of [Years].
type YearsReport struct {
	Runs   int64
	Wrong  int64         // runs that were not planned, or planned and not made
	Drift  time.Duration // the most that a run, at any time, was off its plan
	Faults []string      // the first few, in words

	// HeapGrowth is what the live heap has grown by from a tenth of the time to its end, in bytes,
	// and HeapObjects the same in objects. Each of the two is the least of several samples, between
	// which runs are made: what the runs need for a moment is not in the least of them. What does
	// not exceed [HeapNoise] is the runtime's.
	HeapGrowth, HeapObjects int64
}

// year is a Julian one.
const year = 8766 * time.Hour

// The times of the mix. All are whole minutes, the tick of the wheels, so that everything is exact
// everywhere.
var periods = []time.Duration{24 * time.Hour, 7 * time.Hour, 97 * time.Minute, 31 * time.Minute}

// Years runs periodic work for so many years of virtual time in one bubble: at fixed rate and with
// fixed delay, on a scheduled pool, an event loop, the wheels, and the classic timer, side by side.
// Every run is compared with its plan. Progress, which may be nil, is told of the time passed, ten
// times a year.
func Years(t *testing.T, years int, progress func(virtual time.Duration)) (report YearsReport) {
	synctest.Test(t, func(*testing.T) {
		lr := &longRun{start: time.Now(), report: &report}
		lr.begin()
		lr.sleep(time.Duration(years)*year, progress)
		lr.end()
	})
	return report
}

// longRun is the state of one call of [Years].
type longRun struct {
	start  time.Time
	report *YearsReport
	series []*plannedSeries
	closes []func()
	heap   [2]heapSample
}

// plannedSeries is one series with its plan: run n, from 0 on, begins n periods after the first.
type plannedSeries struct {
	run    *longRun
	name   string
	first  time.Duration
	period time.Duration // from start to start
	takes  time.Duration
	runs   atomic.Int64
	worst  atomic.Int64 // of the deviations from the plan
}

// begin is the body of every series.
func (ps *plannedSeries) begin() {
	planned := ps.first + time.Duration(ps.runs.Add(1)-1)*ps.period
	if off := time.Since(ps.run.start) - planned; off != 0 {
		ps.worst.Store(max(ps.worst.Load(), int64(max(off, -off))))
	}
	if ps.takes > 0 {
		time.Sleep(ps.takes)
	}
}

func (ps *plannedSeries) task(context.Context) error {
	ps.begin()
	return nil
}

// add adds a series. Those of one period begin at different times in different places.
func (lr *longRun) add(name string, period, takes time.Duration) *plannedSeries {
	ps := &plannedSeries{run: lr, name: fmt.Sprint(name, " each ", period), period: period,
		takes: takes}
	ps.first = time.Duration(1+len(lr.series)) * time.Minute
	lr.series = append(lr.series, ps)
	return ps
}

// begin begins all series.
func (lr *longRun) begin() {
	pool := executor.NewScheduledPool(3 * len(periods)) // one worker for each, so that nobody waits
	lr.onExecutor("pool", pool)
	lr.closes = append(lr.closes, func() { pool.ShutdownNow(); <-pool.Terminated() })
	loop := eventloop.New()
	lr.onExecutor("loop", loop)
	lr.closes = append(lr.closes, func() { loop.ShutdownNow(); <-loop.Terminated() })
	config := timer.Config{Tick: time.Minute, Slots: 64}
	lr.onWheel("hashed wheel", hashedwheel.New(config))
	lr.onWheel("hierarchical wheel", hierarchical.New(config))
	lr.onWheel("revolver", revolver.New(config))
	lr.onTimer(timer.New("years"))
}

// onExecutor has a pool or a loop repeat; on a loop nothing may take any time, as the others would
// have to wait.
func (lr *longRun) onExecutor(name string, on schedulerAPI) {
	for i, every := range periods {
		takes := time.Duration(0)
		if name == "pool" {
			takes = time.Duration(i) * time.Minute
		}
		ps := lr.add(name+" at fixed rate", every, takes)
		lr.must(on.AtFixedRate(ps.first, every, ps.task,
			executor.CatchUp(executor.CatchUpPolicy(i%3))))
		ps = lr.add(name+" with fixed delay", every, takes)
		lr.must(on.WithFixedDelay(ps.first, every-takes, ps.task))
	}
}

func (lr *longRun) must(_ any, err error) {
	if err != nil {
		panic(err)
	}
}

func (lr *longRun) onWheel(name string, on wheel) {
	lr.closes = append(lr.closes, func() { on.Close() })
	for i, every := range periods {
		takes := time.Duration(i) * time.Minute
		ps := lr.add(name+" at fixed rate", every, takes)
		rate, err := timer.AtFixedRate(on, ps.first, every, ps.begin)
		lr.must(rate, err)
		ps = lr.add(name+" with fixed delay", every, takes)
		delay, err := timer.WithFixedDelay(on, ps.first, every-takes, ps.begin)
		lr.must(delay, err)
		lr.closes = append(lr.closes, func() { rate.Stop(); delay.Stop() })
	}
}

func (lr *longRun) onTimer(on *timer.Timer) {
	lr.closes = append(lr.closes, on.Cancel)
	for _, every := range periods {
		ps := lr.add("timer at fixed rate", every, 0)
		lr.must(nil, on.AtFixedRate(timer.NewTask(ps.begin), ps.first, every))
		ps = lr.add("timer repeating", every, 0)
		lr.must(nil, on.Repeat(timer.NewTask(ps.begin), ps.first, every))
	}
}

// sleep lets the time go by, and looks at the heap after a tenth of it and at its end.
func (lr *longRun) sleep(length time.Duration, progress func(time.Duration)) {
	const parts = 10
	for part := range length / (year / parts) {
		if part == length/year {
			lr.heap[0] = measureHeap()
		}
		time.Sleep(time.Until(lr.start.Add((part + 1) * (year / parts))))
		if progress != nil {
			progress(time.Since(lr.start))
		}
	}
	lr.heap[1] = measureHeap()
	time.Sleep(time.Second) // past the runs of this very moment
}

// heapSample is the size of the live heap.
type heapSample struct{ bytes, objects int64 }

// HeapNoise is by how much the heap may seem to grow in [Years], however long. The runtime keeps up
// to 128 of the records by which goroutines wait for channels and locks, of some 100 bytes, for
// each processor, and all the records of goroutines that there have been at once, of some 500.
const HeapNoise = 128 << 10

// measureHeap returns the least of several samples, a day apart. With one processor there are fewer
// caches: those of the others are given up.
func measureHeap() heapSample {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	least := heapSample{1 << 62, 1 << 62}
	var stats runtime.MemStats
	for range 8 {
		time.Sleep(24*time.Hour + time.Second)
		synctest.Wait()
		runtime.GC()
		runtime.GC() // what the first has only made ready to be freed
		runtime.ReadMemStats(&stats)
		least.bytes = min(least.bytes, int64(stats.HeapAlloc))
		least.objects = min(least.objects, int64(stats.HeapObjects))
	}
	return least
}

// end ends everything, and compares the counts with the plans.
func (lr *longRun) end() {
	synctest.Wait()
	now := time.Since(lr.start)
	for _, ps := range lr.series {
		planned := int64((now-ps.first)/ps.period) + 1
		runs, worst := ps.runs.Load(), time.Duration(ps.worst.Load())
		lr.report.Runs += runs
		lr.report.Drift = max(lr.report.Drift, worst)
		if wrong := max(runs-planned, planned-runs); wrong > 0 || worst > 0 {
			lr.report.Wrong += wrong
			lr.report.Faults = append(lr.report.Faults,
				fmt.Sprintf("%s: %d runs, %d planned, up to %v off", ps.name, runs, planned, worst))
		}
	}
	lr.report.HeapGrowth = lr.heap[1].bytes - lr.heap[0].bytes
	lr.report.HeapObjects = lr.heap[1].objects - lr.heap[0].objects
	for _, close := range lr.closes {
		close()
	}
	time.Sleep(time.Hour) // for bodies that take their time
}
