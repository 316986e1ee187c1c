package simulate

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// drive is the driver of an executor simulation. It submits, waits, cancels and reconfigures, and
// lets time pass in between; in the end it closes the executor.
func (es *executorSim) drive() {
	if es.scheduler != nil && es.oneIn(30) {
		es.submitBacklog()
	}
	for es.more() {
		time.Sleep(es.steps(es.maxPause))
		for range 1 + es.rng.IntN(6) {
			es.step()
		}
		if es.oneIn(3) {
			es.quiesce()
			es.submit(es.drawTask()) // with nothing else going on
		}
	}
	es.quiesce()
	es.close()
	time.Sleep(time.Second) // for those who come too late
	es.audit()
}

// step is one operation of the driver.
func (es *executorSim) step() {
	switch n := es.rng.IntN(20); {
	case n < 10:
		es.submit(es.drawTask())
	case n < 12:
		later(es.simulation, func(t *task) { es.submit(t) }, es.drawTask())
	case n < 15:
		if t := latest(es.simulation, es.tasks); t != nil {
			go es.get(t, es.steps(16), es.oneIn(4))
		}
	case n < 18:
		way := es.rng.IntN(3)
		if es.oneIn(2) {
			later(es.simulation, func(t *task) { es.cancel(t, way) },
				latest(es.simulation, es.tasks))
		} else if t := latest(es.simulation, es.tasks); t != nil {
			es.cancel(t, way)
		}
	case n < 19:
		es.submitMany()
	default:
		es.reconfigure()
	}
}

// submitMany submits many tasks at once: in a row and without futures, which a pool may hand to a
// worker in one piece, or by several submitters at a time.
func (es *executorSim) submitMany() {
	if es.oneIn(2) {
		es.inspect()
		return
	}
	n := 2 + es.rng.IntN(5)
	if es.oneIn(2) {
		for range n {
			if t := es.drawTask(); t != nil {
				go es.submit(t)
			}
		}
		return
	}
	for range n * (1 + es.rng.IntN(4)) {
		if t := es.newTask(); t != nil {
			es.submit(t)
		}
	}
}

// submitBacklog schedules enough tasks for the pool to treat its heap as a large one, all due
// together, and a series whose late runs come before most of them.
func (es *executorSim) submitBacklog() {
	t := es.newTask()
	t.method, t.rule, t.period, t.takes = asSeries, burst, grid, 4*grid
	t.lastRun, t.asksRun = 40, true
	t.option(executor.MaxRuns(t.lastRun))
	es.submit(t)
	d := es.steps(6) + grid
	for range min(700, es.ops*3/4) {
		t := es.newTask()
		t.method, t.initial = bySchedule, d
		if es.oneIn(16) {
			t.initial = es.steps(8)
		}
		if es.oneIn(8) {
			t.takes = grid
		}
		es.submit(t)
	}
}

// inspect asks the facility about a task that it knows.
func (es *executorSim) inspect() {
	t := latest(es.simulation, es.tasks)
	if t == nil || !es.hasFuture(t) {
		return
	}
	es.countOps(1)
	if t.timed == nil {
		_ = t.future.State()
		return
	}
	// Note what is known before asking: the next run may begin before the answer is looked at.
	es.mu.Lock()
	due, planned, begun := min(es.advanceLocked(), t.due), t.dueBy != never, t.begun
	es.mu.Unlock()
	at, ok := t.timed.Next()
	runs := t.timed.Runs()
	es.mu.Lock()
	defer es.mu.Unlock()
	if ok && es.exact() && planned && at.Sub(es.start) < due {
		es.faultLocked(&es.report.Early, "task %v, due at %v, is said to begin at %v", t, due,
			at.Sub(es.start))
	}
	if int(runs) < begun {
		es.faultLocked(&es.report.Lost, "task %v had begun %d times, and is said to have %d times",
			t, begun, runs)
	}
}

// reconfigure changes what can be changed while an executor runs. A scheduled pool and a plain one
// may grow and shrink.
func (es *executorSim) reconfigure() {
	if es.pool == nil {
		return
	}
	es.countOps(1)
	switch es.rng.IntN(9) {
	case 0, 1:
		es.resize()
	case 2:
		_ = es.pool.SetKeepAlive(es.steps(8) + grid)
	case 3:
		_ = es.pool.SetCoreTimeout(es.oneIn(2))
	case 4:
		es.pool.PrestartWorkers()
	case 5:
		_ = es.pool.Running()
	case 6:
		es.endBaseContext()
	default:
		es.checkQueueOrder(es.pool.Queued())
	}
}

// endBaseContext ends the context that those of all runs derive from.
func (es *executorSim) endBaseContext() {
	if es.cancelBase == nil || !es.oneIn(4) {
		return
	}
	es.mu.Lock()
	es.baseEnded = true
	es.mu.Unlock()
	es.cancelBase()
}

// checkQueueOrder checks that a pool that knows times lists its queue in order.
func (es *executorSim) checkQueueOrder(waiting []executor.Pending) {
	if es.scheduler == nil {
		return
	}
	for i := 1; i < len(waiting); i++ {
		a, b := waiting[i-1].Scheduled, waiting[i].Scheduled
		if !a.IsZero() && !b.IsZero() && b.Before(a) {
			es.fault(&es.report.Late, "what waits is not in order: %v before %v", a.Sub(es.start),
				b.Sub(es.start))
		}
	}
}

// resize changes the core size.
func (es *executorSim) resize() {
	if es.fixedSize {
		return
	}
	n := 1 + es.rng.IntN(4)
	es.mu.Lock()
	es.advanceLocked()
	grow := n > es.size
	if !grow {
		es.size = n
	}
	es.maxBodies = max(es.maxBodies, n)
	es.singleWorker = false
	es.mu.Unlock()
	err := es.pool.SetCoreSize(n)
	es.mu.Lock()
	defer es.mu.Unlock()
	es.advanceLocked()
	es.size, es.maxWorkers = n, n
	if err != nil {
		es.faultLocked(&es.report.Lost, "core size %d: %v", n, err)
	}
}
