package litmus

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

const (
	resetFirst = "reset before it fired"
	firedFirst = "fired before the reset"

	firedEarly = "fired before its time"
	firedTwice = "fired once too often"
)

// resetPairs are those of something that is due, and is moved to another time.
//
//	reset|fire             an element of a delay queue. Forbidden: it is taken twice, or not at all;
//	                       it is taken before the time it was moved to by a Reset that says it was
//	                       in time
//	reset|fire in a wheel  a function armed in the hashed, the hierarchical or the revolving wheel,
//	                       called by the wheel's turn or by an executor. Forbidden: after a Reset
//	                       that says the function was armed there is more than one call, or none;
//	                       after one that says it was not, more than two, or one; the last is before
//	                       its time
//
// Where a call or an element is missing, the round does not end.
func resetPairs() []Pair {
	outcomes := grades([]string{resetFirst, firedFirst},
		[]string{firedEarly, firedTwice, tookError})
	return []Pair{
		{
			Name: "reset|fire", Outcomes: outcomes, batch: 256, maxPause: 7,
			newFixture: func(rng *rand.Rand) fixture { return &itemFixture{rng: rng} },
		},
		{
			Name: "reset|fire in a wheel", Outcomes: outcomes, batch: 256, maxPause: 9,
			newFixture: func(rng *rand.Rand) fixture { return &wheelFixture{rng: rng} },
		},
	}
}

// itemFixture races Take or Poll with Reset. Usually the taker polls, which is quicker than to
// sleep for an instant.
type itemFixture struct {
	rng    *rand.Rand
	queue  *delayqueue.Queue[int]
	sleeps bool // the taker does
	rounds []itemRound
}

type itemRound struct {
	first, second time.Duration // delays

	// Who resets it has these; the times are not before those of the calls.
	put, reset time.Time
	inTime     bool

	// The taker's.
	got int
	err error
	at  time.Time

	taken int // how often, the judge's
}

func (fx *itemFixture) prepare(rounds int) {
	fx.queue = delayqueue.New[int]()
	fx.sleeps = fx.rng.IntN(16) == 0
	fx.rounds = make([]itemRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		switch fx.rng.IntN(8) {
		case 0:
			r.first = farDelay
		case 1, 2:
			r.first = time.Duration(fx.rng.IntN(1000))
		}
		if fx.rng.IntN(4) == 0 {
			r.second = time.Duration(fx.rng.IntN(1000))
		}
	}
}

func (fx *itemFixture) acts() []act { return []act{fx.take, fx.reset} }

func (fx *itemFixture) reset(a *actor, i int) {
	r := &fx.rounds[i]
	r.put = time.Now()
	it := mustPut(fx.queue, i, r.first)
	a.pause()
	r.reset = time.Now()
	r.inTime = it.Reset(r.second)
}

func (fx *itemFixture) take(a *actor, i int) {
	r := &fx.rounds[i]
	if fx.sleeps {
		r.got, r.err = fx.queue.Take(nil)
	} else {
		a.spinUntil(func() (ok bool) { r.got, ok = fx.queue.Poll(); return ok })
	}
	r.at = time.Now()
}

func (fx *itemFixture) outcome(i int) string {
	r := &fx.rounds[i]
	if r.err != nil {
		return tookError
	}
	e := &fx.rounds[r.got]
	e.taken++
	switch {
	case e.taken > 1:
		return firedTwice
	case e.inTime && r.at.Sub(e.reset) < e.second, !e.inTime && r.at.Sub(e.put) < e.first:
		return firedEarly
	case e.inTime:
		return resetFirst
	}
	return firedFirst
}

func (fx *itemFixture) describe(i int) string {
	r := &fx.rounds[i]
	e := &fx.rounds[r.got]
	return fmt.Sprintf("element %d, %v, taken %d times; put for %v, %v later reset for %v: %v; "+
		"taken %v after that",
		r.got, r.err, e.taken, e.first, e.reset.Sub(e.put), e.second, e.inTime, r.at.Sub(e.reset))
}

func (fx *itemFixture) finish() error {
	fx.queue.Close()
	if n := fx.queue.Len(); n > 0 {
		return fmt.Errorf("%d elements are left", n)
	}
	return nil
}

// wheelAPI is any of the wheels.
type wheelAPI interface {
	timer.Scheduler
	Armed() int
	Close() []timer.Handle
}

func newWheel(rng *rand.Rand, c timer.Config) wheelAPI {
	c.Tick = time.Duration(1 << rng.IntN(12))
	switch rng.IntN(3) {
	case 0:
		return hashedwheel.New(c)
	case 1:
		return hierarchical.New(c)
	}
	return revolver.New(c)
}

// wheelFixture races the call of a function by one actor, to whom the wheel hands what is due, with
// its Reset by the other. Sometimes the wheel calls itself.
type wheelFixture struct {
	rng    *rand.Rand
	wheel  wheelAPI
	rounds []wheelRound

	mu  sync.Mutex
	due []func() // handed over and not called
}

type wheelRound struct {
	first, second time.Duration // delays

	near   atomic.Bool // the reset is about to come
	reset  time.Time   // not after it
	inTime bool
	done   atomic.Bool // the above are known

	fired atomic.Int32
	at    [2]atomic.Int64 // when, after the epoch of the round
	epoch time.Time
}

func (fx *wheelFixture) prepare(rounds int) {
	var c timer.Config
	if c.Executor = fx.queueDue; fx.rng.IntN(4) == 0 {
		c.Executor = func(f func()) error { f(); return nil }
	}
	fx.wheel = newWheel(fx.rng, c)
	fx.rounds = make([]wheelRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		if fx.rng.IntN(4) == 0 {
			r.first = time.Duration(fx.rng.IntN(1000))
		}
		if fx.rng.IntN(2) == 0 { // so that a call out of turn shows as one that is early
			r.second = time.Duration(fx.rng.IntN(1000))
		}
	}
}

// queueDue is the executor of the wheel.
func (fx *wheelFixture) queueDue(f func()) error {
	fx.mu.Lock()
	defer fx.mu.Unlock()
	fx.due = append(fx.due, f)
	return nil
}

// nextDue returns what has been kept longest, or nil.
func (fx *wheelFixture) nextDue() (f func()) {
	fx.mu.Lock()
	defer fx.mu.Unlock()
	if len(fx.due) > 0 {
		f, fx.due = fx.due[0], fx.due[1:]
	}
	return f
}

func (fx *wheelFixture) acts() []act { return []act{fx.fire, fx.reset} }

func (r *wheelRound) fires() {
	now := time.Since(r.epoch)
	if n := r.fired.Add(1); int(n) <= len(r.at) {
		r.at[n-1].Store(int64(now))
	}
}

func (fx *wheelFixture) reset(a *actor, i int) {
	r := &fx.rounds[i]
	r.epoch = time.Now()
	h := fx.wheel.AfterFunc(r.first, r.fires)
	a.pause()
	if a.oneIn(2) { // or else the wheel has not had the time to hand it over
		a.spinUntil(func() bool { return r.fired.Load() > 0 || fx.waiting() })
	}
	r.reset = time.Now()
	r.near.Store(true)
	a.pauseUpTo(6)
	r.inTime = h.Reset(r.second)
	r.done.Store(true)
}

// waiting reports whether something has been handed over and not been called.
func (fx *wheelFixture) waiting() bool {
	fx.mu.Lock()
	defer fx.mu.Unlock()
	return len(fx.due) > 0
}

// fire calls what is due until the function of the round has been called as often as it should be.
func (fx *wheelFixture) fire(a *actor, i int) {
	r := &fx.rounds[i]
	a.spinUntil(func() bool {
		if f := fx.nextDue(); f != nil {
			// Without a look at the other it nearly always comes too early.
			for looks := 0; looks < 500 && !r.near.Load(); {
				looks++
			}
			// a Reset looks at the clock, and takes a lock, before it comes to the point
			a.pauseUpTo(8)
			f()
			return false
		}
		return r.done.Load() && r.fired.Load() >= r.calls()
	})
}

// calls returns how many calls there are to be, once that is known.
func (r *wheelRound) calls() int32 {
	if r.inTime {
		return 1
	}
	return 2
}

func (fx *wheelFixture) outcome(i int) string {
	r := &fx.rounds[i]
	latest := time.Duration(max(r.at[0].Load(), r.at[1].Load()))
	switch {
	case r.fired.Load() != r.calls():
		return firedTwice
	case latest-r.reset.Sub(r.epoch) < r.second:
		return firedEarly
	case r.inTime:
		return resetFirst
	}
	return firedFirst
}

func (fx *wheelFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%T: armed for %v, %v later reset for %v: %v; %d calls, after %v and %v",
		fx.wheel,
		r.first, r.reset.Sub(r.epoch), r.second, r.inTime, r.fired.Load(),
		time.Duration(r.at[0].Load()), time.Duration(r.at[1].Load()))
}

// finish sees to it that what has been handed over and been called by now is called no more.
func (fx *wheelFixture) finish() error {
	returned := fx.wheel.Close()
	for f := fx.nextDue(); f != nil; f = fx.nextDue() {
		f()
	}
	if n := len(returned); n > 0 {
		return fmt.Errorf("the wheel returns %d functions", n)
	}
	for i := range fx.rounds {
		if r := &fx.rounds[i]; fx.outcome(i) == firedTwice {
			return fmt.Errorf("%d calls in the end of round %d, reset in time %v", r.fired.Load(),
				i, r.inTime)
		}
	}
	return nil
}
