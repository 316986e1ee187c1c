package delayqueue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

// How many seeds to run, and from which on.
const (
	seedsVariable = "PUNCTUAL_SEEDS"
	firstVariable = "PUNCTUAL_FIRST_SEED"
)

// The fuzz for the one fault that hides from all other tests: a taker that sleeps on beside a due
// element. It needs takers that leave for good, as those who come back mend a lost wake-up; takers
// that are busy while others are parked; and times on a coarse grid, so that deadlines, timeouts
// and ends of work coincide. Time is virtual, hence lateness exact.
//
// A seed fixes what is done and when, not the order of goroutines within one instant.
func TestNoTakerSleepsThroughAnElement(t *testing.T) {
	first, seeds := number(t, firstVariable, 1), number(t, seedsVariable, 10_000)
	for seed := first; seed < first+seeds; seed++ {
		var faults []error // reported out here, as a bubble that fails ends the test
		synctest.Test(t, func(t *testing.T) { faults = newWorld(seed).run() })
		if len(faults) > 0 {
			t.Fatalf("seed %d: %v\nTo run it many times: %s=%d %s=1 go test -run %s -count 1000",
				seed, errors.Join(faults...), firstVariable, seed, seedsVariable, t.Name())
		}
	}
}

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// tick is the grid of all times in the fuzz.
const tick = time.Millisecond

// world is one run: a queue, its takers, and a driver that puts, resets and removes.
type world struct {
	seed  uint64
	rng   *rand.Rand // the driver's
	start time.Time
	queue *delayqueue.Queue[*parcel]

	mu      sync.Mutex // held by the driver over an operation and its record
	parcels []*parcel
	stays   []span
	inside  int // takers in Take
	faults  []error

	cancels []context.CancelFunc // the driver's, for takers without a timeout
}

// parcel is an element with its history.
type parcel struct {
	id    int
	item  *delayqueue.Item[*parcel]
	due   []span // from when due, until taken, removed or reset; the last may be open
	taken int
	gone  bool // taken or removed
}

// span is a time from..to since the start; to is never while it is open.
type span struct{ from, to time.Duration }

const never = time.Duration(1<<63 - 1)

func newWorld(seed uint64) *world {
	return &world{
		seed:  seed,
		rng:   rand.New(rand.NewPCG(seed, 0)),
		start: time.Now(),
		queue: delayqueue.New[*parcel](),
	}
}

// run drives the world to its end and returns what went wrong.
func (w *world) run() []error {
	for i := range 1 + w.rng.IntN(2) {
		go w.stay(rand.New(rand.NewPCG(w.seed, uint64(i)+1)))
	}
	for range 14 {
		// The sleep ends at an instant at which other things may happen, before or after.
		time.Sleep(w.ticks(5))
		for range 1 + w.rng.IntN(4) {
			w.act()
		}
		w.rest()
	}
	for _, cancel := range w.cancels {
		cancel()
	}
	time.Sleep(2 * time.Minute)
	w.rest()
	w.queue.Close()
	synctest.Wait()
	w.judge()
	return w.faults
}

// ticks returns a random time of less than n ticks; zero often.
func (w *world) ticks(n int) time.Duration { return ticks(w.rng, n) }

func ticks(rng *rand.Rand, n int) time.Duration {
	return time.Duration(max(0, rng.IntN(n+n/4)-n/4)) * tick
}

func (w *world) now() time.Duration { return time.Since(w.start) }

// stay is a permanent taker: after each take it is busy for a while.
func (w *world) stay(rng *rand.Rand) {
	for w.take(context.Background()) {
		time.Sleep(ticks(rng, 25))
	}
}

// visit is a taker that takes once, if anything, and leaves for good.
func (w *world) visit(ctx context.Context, cancel context.CancelFunc) {
	defer cancel()
	w.take(ctx)
}

func (w *world) take(ctx context.Context) bool {
	w.mu.Lock()
	w.inside++
	w.mu.Unlock()
	from := w.now()
	p, err := w.queue.Take(ctx)
	to := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inside--
	w.stays = append(w.stays, span{from, to})
	if err != nil {
		return false
	}
	p.taken++
	w.end(p, to)
	return true
}

// act is one step of the driver.
func (w *world) act() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch k := w.rng.IntN(21); {
	case k < 8:
		w.put()
	case k < 13:
		ctx, cancel := context.WithTimeout(context.Background(), w.ticks(16))
		go w.visit(ctx, cancel)
	case k < 15:
		ctx, cancel := context.WithCancel(context.Background())
		w.cancels = append(w.cancels, cancel)
		go w.visit(ctx, cancel)
	case k < 16:
		if n := len(w.cancels); n > 0 {
			w.cancels[n-1]()
			w.cancels = w.cancels[:n-1]
		}
	case k < 17:
		for _, p := range w.queue.Drain(w.rng.IntN(3)) {
			p.taken++
			w.end(p, w.now())
		}
	case len(w.parcels) == 0:
	case k < 18:
		if p := w.parcels[w.rng.IntN(len(w.parcels))]; p.item.Remove() {
			w.end(p, w.now())
		}
	default:
		w.reset(w.parcels[w.rng.IntN(len(w.parcels))], w.ticks(20))
	}
}

func (w *world) put() {
	p := &parcel{id: len(w.parcels)}
	delay := w.ticks(20)
	p.due = []span{{w.now() + delay, never}}
	w.parcels = append(w.parcels, p)
	item, err := w.queue.Put(p, delay)
	if err != nil {
		w.fault("put: %v", err)
	}
	p.item = item
}

func (w *world) reset(p *parcel, delay time.Duration) {
	if p.item.Reset(delay) {
		now := w.now()
		p.due[len(p.due)-1].to = now
		p.due = append(p.due, span{now + delay, never})
	}
}

// end notes that p has left the queue.
func (w *world) end(p *parcel, at time.Duration) {
	if p.gone {
		w.fault("parcel %d has left the queue twice", p.id)
	}
	p.gone = true
	p.due[len(p.due)-1].to = at
}

// rest waits until nothing can run. Then nobody may be parked beside a due head.
func (w *world) rest() {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if p, at, ok := w.queue.Peek(); ok && w.inside > 0 && at.Sub(w.start) <= w.now() {
		w.fault("at rest at %v, %d takers sleep beside parcel %d, due since %v",
			w.now(), w.inside, p.id, at.Sub(w.start))
	}
}

// judge looks at the whole history.
func (w *world) judge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inside > 0 {
		w.fault("%d takers outlive Close", w.inside)
	}
	for _, p := range w.parcels {
		if !p.gone {
			w.fault("parcel %d was never delivered", p.id)
		}
		if last := p.due[len(p.due)-1]; p.taken > 0 && last.to < last.from {
			w.fault("parcel %d, due at %v, was delivered early, at %v", p.id, last.from, last.to)
		}
		for _, due := range p.due {
			w.judgeLateness(p, due)
		}
	}
}

// judgeLateness: while an element is due, time may pass only if nobody is in Take. A taker that was
// there at the deadline, or came later, and stayed on for any time has slept through it.
func (w *world) judgeLateness(p *parcel, due span) {
	for _, s := range w.stays {
		if max(s.from, due.from) < min(s.to, due.to) {
			w.fault("parcel %d was due from %v to %v, but a taker waited from %v to %v",
				p.id, due.from, due.to, s.from, s.to)
		}
	}
}

func (w *world) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Errorf(format, args...))
}
