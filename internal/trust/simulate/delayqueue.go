package simulate

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

// queueSim simulates a delay queue: a driver puts, resets and removes elements; some takers stay
// and are busy between two elements, others come once. A taker counts as free while it is in Take.
type queueSim struct {
	*simulation
	queue    *delayqueue.Queue[*element]
	elements []*element
	arena    []element // to make them of

	cancelTakers []context.CancelFunc // the driver's, for takers without a timeout
	queued       int                  // elements in the queue
}

func simulateDelayQueue(t *testing.T, seed uint64, ops int) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		qs := &queueSim{simulation: sim, queue: delayqueue.New[*element](),
			arena: make([]element, ops)}
		qs.drive()
	})
}

func (qs *queueSim) drive() {
	for i := range 1 + qs.rng.IntN(3) {
		go qs.takeRepeatedly(rand.New(rand.NewPCG(qs.seed, uint64(i)+1)))
	}
	for qs.more() {
		// The sleep ends at an instant at which other things may happen, before or after.
		time.Sleep(qs.steps(5))
		n := 1 + qs.rng.IntN(6)
		for range n {
			qs.step()
		}
		qs.countOps(int64(n))
		if qs.oneIn(4) {
			qs.quiesce()
		}
	}
	for _, cancel := range qs.cancelTakers {
		cancel()
	}
	time.Sleep(time.Minute)
	qs.quiesce()
	qs.queue.Close()
	qs.audit()
}

// takeRepeatedly is a permanent taker: after each take it is busy for a while.
func (qs *queueSim) takeRepeatedly(rng *rand.Rand) {
	for qs.take(context.Background()) {
		if busy := max(0, rng.IntN(16)-8); busy > 0 {
			time.Sleep(time.Duration(busy) * grid)
		}
	}
}

// takeOnce is a taker that leaves for good after one Take: it hides no lost wake-up by coming back.
func (qs *queueSim) takeOnce(ctx context.Context, cancel context.CancelFunc) {
	qs.take(ctx)
	cancel()
}

func (qs *queueSim) take(ctx context.Context) bool {
	qs.mu.Lock()
	qs.advanceLocked()
	qs.size++
	qs.mu.Unlock()
	e, err := qs.queue.Take(ctx)
	qs.mu.Lock()
	defer qs.mu.Unlock()
	now := qs.advanceLocked()
	qs.size--
	qs.report.Ops++
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			end, _ := ctx.Deadline()
			qs.checkTimeoutLocked(end.Sub(qs.start), now)
		}
		return false
	}
	qs.takenLocked(e, now)
	return true
}

// checkTimeoutLocked judges a taker whose time was over at the given time.
func (qs *queueSim) checkTimeoutLocked(end, now time.Duration) {
	switch {
	case now < end:
		qs.faultLocked(&qs.report.Early, "a taker with a timeout at %v gave up", end)
	case end < qs.quietUntil:
		qs.faultLocked(&qs.report.Late, "a taker with a timeout at %v gave up", end)
	}
}

// step is one operation of the driver.
func (qs *queueSim) step() {
	switch k := qs.rng.IntN(22); {
	case k < 9:
		qs.put()
	case k < 13:
		ctx, cancel := context.WithTimeout(context.Background(), qs.steps(16))
		go qs.takeOnce(ctx, cancel)
	case k < 15:
		ctx, cancel := context.WithCancel(context.Background())
		qs.cancelTakers = append(qs.cancelTakers, cancel)
		go qs.takeOnce(ctx, cancel)
	case k < 16:
		if n := len(qs.cancelTakers); n > 0 {
			qs.cancelTakers[n-1]()
			qs.cancelTakers = qs.cancelTakers[:n-1]
		}
	case k < 17:
		qs.drain()
	case len(qs.elements) == 0:
	case k < 19:
		qs.remove(latest(qs.simulation, qs.elements))
	default:
		qs.reset(latest(qs.simulation, qs.elements))
	}
}

// quiesce waits until nothing can run. Then no taker may be parked while the head is due.
func (qs *queueSim) quiesce() {
	synctest.Wait()
	e, at, ok := qs.queue.Peek()
	n := qs.queue.Len()
	qs.mu.Lock()
	defer qs.mu.Unlock()
	now := qs.advanceLocked()
	if qs.heldUp > 0 {
		return
	}
	if n != qs.queued {
		qs.faultLocked(&qs.report.Lost, "there are %d elements, which should be %d", n, qs.queued)
	}
	if ok && qs.size > 0 && at.Sub(qs.start) <= now {
		qs.faultLocked(&qs.report.Late, "at rest, %d takers sleep beside element %d, due since %v",
			qs.size, e.seq, e.due)
	}
}

// audit checks the final state: what was put was taken, removed, or is still there.
func (qs *queueSim) audit() {
	synctest.Wait()
	for at, e := range qs.queue.All() {
		qs.mu.Lock()
		if e.gone || e.due < qs.freeUntil || qs.exact() && at.Sub(qs.start) != e.due &&
			e.due != never {
			qs.faultLocked(&qs.report.Lost, "element %d, due at %v, is there at the end, for %v",
				e.seq, e.due, at.Sub(qs.start))
		}
		e.gone = true
		qs.mu.Unlock()
	}
	time.Sleep(time.Second) // for takers that are held up
	synctest.Wait()
	qs.mu.Lock()
	defer qs.mu.Unlock()
	qs.advanceLocked()
	if qs.size > 0 {
		qs.faultLocked(&qs.report.Stuck, "%d takers outlive Close", qs.size)
	}
	for _, e := range qs.elements {
		if !e.gone {
			qs.faultLocked(&qs.report.Lost, "element %d, due at %v, was never delivered",
				e.seq, e.due)
		}
	}
}
