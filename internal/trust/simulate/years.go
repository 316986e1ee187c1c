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

// YearsReport is what has come of a long time.
type YearsReport struct {
	Runs   int64
	Wrong  int64         // runs that were not planned, or planned and not made
	Drift  time.Duration // the most that a run, at any time, was off its plan
	Faults []string      // the first few, in words

	// HeapGrowth is what the live heap has grown by from a tenth of the time to its end, in bytes, and HeapObjects
	// the same in objects. Each of the two is the least of several samples, between which runs are made: what the runs
	// need for a moment is not in the least of them. What does not exceed [HeapNoise] is the runtime's.
	HeapGrowth, HeapObjects int64
}

// year is a Julian one.
const year = 8766 * time.Hour

// The times of the mix. All are whole minutes, the tick of the wheels, so that everything is exact everywhere.
var everyOf = []time.Duration{24 * time.Hour, 7 * time.Hour, 97 * time.Minute, 31 * time.Minute}

// Years plays periodic work for so many years of virtual time in one bubble: at fixed rate and with fixed delay, on a
// scheduled pool, an event loop, the wheels, and the classic timer, side by side. Every run is compared with its plan.
// Progress, which may be nil, is told of the time played, ten times a year.
func Years(t *testing.T, years int, progress func(virtual time.Duration)) (report YearsReport) {
	synctest.Test(t, func(*testing.T) {
		e := &epoch{start: time.Now(), report: &report}
		e.begin()
		e.pass(time.Duration(years)*year, progress)
		e.end()
	})
	return report
}

// epoch is one such bubble.
type epoch struct {
	start  time.Time
	report *YearsReport
	beats  []*beat
	closes []func()
	heap   [2]sample
}

// beat is one series with its plan: run n, from 0 on, begins n periods after the first.
type beat struct {
	epoch  *epoch
	name   string
	first  time.Duration
	period time.Duration // from start to start
	takes  time.Duration
	runs   atomic.Int64
	worst  atomic.Int64 // of the deviations from the plan
}

// run is the body of every series.
func (b *beat) run() {
	planned := b.first + time.Duration(b.runs.Add(1)-1)*b.period
	if off := time.Since(b.epoch.start) - planned; off != 0 {
		b.worst.Store(max(b.worst.Load(), int64(max(off, -off))))
	}
	if b.takes > 0 {
		time.Sleep(b.takes)
	}
}

func (b *beat) task(context.Context) error {
	b.run()
	return nil
}

// add adds a series. Those of one period begin at different times in different places.
func (e *epoch) add(name string, period, takes time.Duration) *beat {
	b := &beat{epoch: e, name: fmt.Sprint(name, " each ", period), period: period, takes: takes}
	b.first = time.Duration(1+len(e.beats)) * time.Minute
	e.beats = append(e.beats, b)
	return b
}

// begin begins all series.
func (e *epoch) begin() {
	pool := executor.NewScheduledPool(3 * len(everyOf)) // one worker for each, so that nobody waits
	e.onExecutor("pool", pool)
	e.closes = append(e.closes, func() { pool.ShutdownNow(); <-pool.Terminated() })
	loop := eventloop.New()
	e.onExecutor("loop", loop)
	e.closes = append(e.closes, func() { loop.ShutdownNow(); <-loop.Terminated() })
	config := timer.Config{Tick: time.Minute, Slots: 64}
	e.onWheel("hashed wheel", hashedwheel.New(config))
	e.onWheel("hierarchical wheel", hierarchical.New(config))
	e.onWheel("revolver", revolver.New(config))
	e.onTimer(timer.New("years"))
}

// onExecutor has a pool or a loop repeat; on a loop nothing may take any time, as the others would have to wait.
func (e *epoch) onExecutor(name string, on timetable) {
	for i, every := range everyOf {
		takes := time.Duration(0)
		if name == "pool" {
			takes = time.Duration(i) * time.Minute
		}
		b := e.add(name+" at fixed rate", every, takes)
		e.must(on.AtFixedRate(b.first, every, b.task, executor.CatchUp(executor.CatchUpPolicy(i%3))))
		b = e.add(name+" with fixed delay", every, takes)
		e.must(on.WithFixedDelay(b.first, every-takes, b.task))
	}
}

func (e *epoch) must(_ any, err error) {
	if err != nil {
		panic(err)
	}
}

func (e *epoch) onWheel(name string, on wheel) {
	e.closes = append(e.closes, func() { on.Stop() })
	for i, every := range everyOf {
		takes := time.Duration(i) * time.Minute
		b := e.add(name+" at fixed rate", every, takes)
		rate, err := timer.AtFixedRate(on, b.first, every, b.run)
		e.must(rate, err)
		b = e.add(name+" with fixed delay", every, takes)
		delay, err := timer.WithFixedDelay(on, b.first, every-takes, b.run)
		e.must(delay, err)
		e.closes = append(e.closes, func() { rate.Stop(); delay.Stop() })
	}
}

func (e *epoch) onTimer(on *timer.Timer) {
	e.closes = append(e.closes, on.Cancel)
	for _, every := range everyOf {
		b := e.add("timer at fixed rate", every, 0)
		e.must(nil, on.AtFixedRate(timer.NewTask(b.run), b.first, every))
		b = e.add("timer repeating", every, 0)
		e.must(nil, on.Repeat(timer.NewTask(b.run), b.first, every))
	}
}

// pass lets the time go by, and looks at the heap after a tenth of it and at its end.
func (e *epoch) pass(length time.Duration, progress func(time.Duration)) {
	const parts = 10
	for part := range length / (year / parts) {
		if part == length/year {
			e.heap[0] = measure()
		}
		time.Sleep(time.Until(e.start.Add((part + 1) * (year / parts))))
		if progress != nil {
			progress(time.Since(e.start))
		}
	}
	e.heap[1] = measure()
	time.Sleep(time.Second) // past the runs of this very moment
}

// sample is a state of the heap.
type sample struct{ bytes, objects int64 }

// HeapNoise is by how much the heap may seem to grow in [Years], however long. The runtime keeps up to 128 of the
// records by which goroutines wait for channels and locks, of some 100 bytes, for each processor, and all the records
// of goroutines that there have been at once.
const HeapNoise = 64 << 10

// measure returns the least of several samples, a day apart. With one processor there are fewer caches: those of the
// others are given up.
func measure() sample {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	least := sample{1 << 62, 1 << 62}
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
func (e *epoch) end() {
	synctest.Wait()
	now := time.Since(e.start)
	for _, b := range e.beats {
		planned := int64((now-b.first)/b.period) + 1
		runs, worst := b.runs.Load(), time.Duration(b.worst.Load())
		e.report.Runs += runs
		e.report.Drift = max(e.report.Drift, worst)
		if wrong := max(runs-planned, planned-runs); wrong > 0 || worst > 0 {
			e.report.Wrong += wrong
			e.report.Faults = append(e.report.Faults,
				fmt.Sprintf("%s: %d runs, %d planned, up to %v off", b.name, runs, planned, worst))
		}
	}
	e.report.HeapGrowth = e.heap[1].bytes - e.heap[0].bytes
	e.report.HeapObjects = e.heap[1].objects - e.heap[0].objects
	for _, close := range e.closes {
		close()
	}
	time.Sleep(time.Hour) // for bodies that take their time
}
