package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// stoppable is what all wheels have.
type stoppable interface {
	timer.Scheduler
	Schedule(d time.Duration, f func()) (timer.Handle, error)
	Stop() []timer.Handle
	Pending() int
}

func newHashed(c timer.Config) stoppable       { return hashedwheel.New(c) }
func newHierarchical(c timer.Config) stoppable { return hierarchical.New(c) }
func newRevolver(c timer.Config) stoppable     { return revolver.New(c) }

// turned is chaos on a wheel.
type turned struct {
	*round
	wheel  stoppable
	series atomic.Int64 // how many there may have been, each with a handle that nobody else has
	alarms []*alarm     // the round's lock guards it
}

// alarm is a function that is armed, and what has become of it.
type alarm struct {
	earliest atomic.Int64 // of all its armings
	begun    atomic.Int64
	stopped  atomic.Int64 // by its handle
	returned int64        // by the end of the wheel

	mu     sync.Mutex // guards what follows, and the calls of Reset
	handle timer.Handle
	armed  int64 // how often
	unsure int64 // armings at the end of the wheel that may have been refused, or ended so
}

// wheelRound is a round on the wheels that are made so.
func wheelRound(newWheel func(timer.Config) stoppable) func(*round) {
	return func(r *round) {
		c := timer.Config{Tick: 1 + micros(r.rng, 300), Slots: 2 + r.rng.IntN(64), OnPanic: func(any, []byte) {}}
		if r.rng.IntN(4) == 0 {
			c.PendingLimit = 1 + r.rng.IntN(100)
		}
		w := &turned{round: r, wheel: newWheel(c)}
		var returned []timer.Handle
		r.run(80, w.step, func(*rand.Rand) { returned = w.wheel.Stop() })
		returned = append(returned, w.wheel.Stop()...)
		w.audit(returned)
	}
}

func (w *turned) step(rng *rand.Rand) {
	switch rng.IntN(8) {
	case 0, 1, 2, 3:
		w.arm(rng)
	case 4, 5:
		if a := w.some(rng); a != nil && a.handle.Stop() {
			a.stopped.Add(1)
		}
	case 6:
		if a := w.some(rng); a != nil {
			w.rearm(a, micros(rng, 1000))
		}
	case 7:
		if _ = w.wheel.Pending(); rng.IntN(4) == 0 {
			w.repeat(rng)
		}
	}
}

// repeat starts a series on a wheel, and stops it after some steps of others.
func (w *turned) repeat(rng *rand.Rand) {
	period := 1 + micros(rng, 300)
	d, run := w.owe(0, nothing)
	d.once = false
	f := func() { _ = run(context.Background()) }
	w.series.Add(1) // before the wheel knows of it, which may end before the series has been told that it began
	var s *timer.Series
	var err error
	if rng.IntN(2) == 0 {
		d.rate = period
		s, err = timer.AtFixedRate(w.wheel, 0, period, f, timer.CatchUp(timer.CatchUpPolicy(rng.IntN(3))))
	} else {
		d.delay = period
		s, err = timer.WithFixedDelay(w.wheel, 0, period, f)
	}
	if err != nil {
		return
	}
	time.Sleep(micros(rng, 300))
	if s.Stop() {
		<-s.Done()
		runs := d.begun.Load()
		w.demand(uint64(runs) == s.Runs(), "%d runs, of which a series says %d", runs, s.Runs())
		time.Sleep(period)
		w.demand(d.begun.Load() == runs, "a series goes on after its end")
	}
}

// arm arms a new function.
func (w *turned) arm(rng *rand.Rand) {
	delay, manner := micros(rng, 1000)-200*time.Microsecond, rng.IntN(16)
	a := &alarm{armed: 1}
	a.earliest.Store(int64(time.Since(epoch) + delay))
	w.mu.Lock() // for the handle to be known to all
	defer w.mu.Unlock()
	if h, err := w.wheel.Schedule(delay, func() { w.called(a, manner) }); err == nil {
		a.handle = h
		w.alarms = append(w.alarms, a)
	}
}

// rearm arms a function anew. Once the wheel is stopped nobody can tell whether it has been so before, and
// returns the function, or refuses it.
func (w *turned) rearm(a *alarm, delay time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := int64(time.Since(epoch) + delay)
	a.earliest.Store(min(a.earliest.Load(), at))
	was := a.handle.Reset(delay)
	switch err := timer.Err(a.handle); {
	case errors.Is(err, timer.ErrStopped):
		a.unsure++
	case err == nil && !was:
		a.armed++
	}
}

func (w *turned) called(a *alarm, manner int) {
	now := int64(time.Since(epoch))
	w.ops.Add(1)
	a.begun.Add(1)
	if early := a.earliest.Load() - now; early > 0 {
		w.fault(&w.early, "a function began %v early", time.Duration(early))
	}
	switch manner {
	case 0:
		panic("chaos")
	case 1:
		runtime.Goexit()
	}
}

func (w *turned) some(rng *rand.Rand) *alarm {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.alarms) == 0 {
		return nil
	}
	return w.alarms[rng.IntN(len(w.alarms))]
}

// audit finds one end for every arming. Functions that have left the wheel by its end may just begin.
func (w *turned) audit(returned []timer.Handle) {
	by := map[timer.Handle]*alarm{}
	for _, a := range w.alarms {
		by[a.handle] = a
	}
	others := map[timer.Handle]bool{}
	for _, h := range returned {
		a := by[h]
		switch {
		case a != nil:
			a.returned++
		case others[h]:
			w.fault(&w.duplicate, "a handle of a series is returned twice")
		}
		others[h] = true
	}
	w.demand(int64(len(others)) <= int64(len(by))+w.series.Load(), "the wheel returns what it has not taken")
	for _, a := range w.alarms {
		for end := time.Now().Add(Patience / 2); a.ends() < a.armed-a.unsure && time.Now().Before(end); {
			runtime.Gosched() // its goroutine may not have come so far
		}
		switch ends := a.ends(); {
		case ends > a.armed+a.unsure:
			w.fault(&w.duplicate, "a function armed %d times, or %d more, has %d ends", a.armed, a.unsure, ends)
		case ends < a.armed-a.unsure:
			w.fault(&w.lost, "a function armed %d times, or %d less, has %d ends", a.armed, a.unsure, ends)
		}
	}
}

// ends is how many armings have come to an end.
func (a *alarm) ends() int64 { return a.begun.Load() + a.stopped.Load() + a.returned }
