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

// wheelAPI is what all wheels have.
type wheelAPI interface {
	timer.Scheduler
	Schedule(d time.Duration, f func()) (timer.Handle, error)
	Close() []timer.Handle
	Armed() int
}

func newHashed(c timer.Config) wheelAPI       { return hashedwheel.New(c) }
func newHierarchical(c timer.Config) wheelAPI { return hierarchical.New(c) }
func newRevolver(c timer.Config) wheelAPI     { return revolver.New(c) }

// wheelChaos is chaos on a wheel.
type wheelChaos struct {
	*round
	wheel  wheelAPI
	series atomic.Int64 // how many there may have been, each with a handle that nobody else has
	funcs  []*armedFunc // the round's lock guards it
}

// armedFunc is a function on a wheel with its history.
type armedFunc struct {
	earliest atomic.Int64 // of all its armings
	begun    atomic.Int64
	stopped  atomic.Int64 // by its handle
	returned int64        // by the end of the wheel

	mu           sync.Mutex // guards what follows, and the calls of Reset
	handle       timer.Handle
	armed        int64 // how often
	maybeRefused int64 // armings at the end of the wheel that may have been refused, or ended so
}

// wheelRound is a round on the wheels that are made so.
func wheelRound(newWheel func(timer.Config) wheelAPI) func(*round) {
	return func(r *round) {
		c := timer.Config{Tick: 1 + micros(r.rng, 300), Slots: 2 + r.rng.IntN(64),
			OnPanic: func(any, []byte) {}}
		if r.rng.IntN(4) == 0 {
			c.PendingLimit = 1 + r.rng.IntN(100)
		}
		w := &wheelChaos{round: r, wheel: newWheel(c)}
		var returned []timer.Handle
		r.run(80, w.step, func(*rand.Rand) { returned = w.wheel.Close() })
		returned = append(returned, w.wheel.Close()...)
		w.audit(returned)
	}
}

func (w *wheelChaos) step(rng *rand.Rand) {
	switch rng.IntN(8) {
	case 0, 1, 2, 3:
		w.arm(rng)
	case 4, 5:
		if f := w.some(rng); f != nil && f.handle.Stop() {
			f.stopped.Add(1)
		}
	case 6:
		if f := w.some(rng); f != nil {
			w.rearm(f, micros(rng, 1000))
		}
	case 7:
		if _ = w.wheel.Armed(); rng.IntN(4) == 0 {
			w.repeat(rng)
		}
	}
}

// repeat starts a series on a wheel, and stops it after some steps of others.
func (w *wheelChaos) repeat(rng *rand.Rand) {
	period := 1 + micros(rng, 300)
	rec, run := w.track(0, nothing)
	rec.once = false
	f := func() { _ = run(context.Background()) }
	// Counted before the wheel knows of it: the wheel may stop before the series is known here.
	w.series.Add(1)
	var s *timer.Series
	var err error
	if rng.IntN(2) == 0 {
		rec.rate = period
		s, err = timer.AtFixedRate(w.wheel, 0, period, f,
			timer.CatchUp(timer.CatchUpPolicy(rng.IntN(3))))
	} else {
		rec.delay = period
		s, err = timer.WithFixedDelay(w.wheel, 0, period, f)
	}
	if err != nil {
		return
	}
	time.Sleep(micros(rng, 300))
	if s.Stop() {
		<-s.Done()
		runs := rec.begun.Load()
		w.demand(uint64(runs) == s.Runs(), "%d runs, of which a series says %d", runs, s.Runs())
		time.Sleep(period)
		w.demand(rec.begun.Load() == runs, "a series goes on after its end")
	}
}

// arm arms a new function.
func (w *wheelChaos) arm(rng *rand.Rand) {
	delay, bodyKind := micros(rng, 1000)-200*time.Microsecond, rng.IntN(16)
	f := &armedFunc{armed: 1}
	f.earliest.Store(int64(time.Since(processStart) + delay))
	w.mu.Lock() // for the handle to be known to all
	defer w.mu.Unlock()
	if h, err := w.wheel.Schedule(delay, func() { w.called(f, bodyKind) }); err == nil {
		f.handle = h
		w.funcs = append(w.funcs, f)
	}
}

// rearm arms a function anew. Once the wheel is stopped nobody can tell whether it has been so
// before, and returns the function, or refuses it.
func (w *wheelChaos) rearm(f *armedFunc, delay time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := int64(time.Since(processStart) + delay)
	f.earliest.Store(min(f.earliest.Load(), at))
	was := f.handle.Reset(delay)
	switch err := timer.Err(f.handle); {
	case errors.Is(err, timer.ErrClosed):
		f.maybeRefused++
	case err == nil && !was:
		f.armed++
	}
}

func (w *wheelChaos) called(f *armedFunc, bodyKind int) {
	now := int64(time.Since(processStart))
	w.ops.Add(1)
	f.begun.Add(1)
	if early := f.earliest.Load() - now; early > 0 {
		w.fault(&w.early, "a function began %v early", time.Duration(early))
	}
	switch bodyKind {
	case 0:
		panic("chaos")
	case 1:
		runtime.Goexit()
	}
}

func (w *wheelChaos) some(rng *rand.Rand) *armedFunc {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.funcs) == 0 {
		return nil
	}
	return w.funcs[rng.IntN(len(w.funcs))]
}

// audit checks that every arming has one end. A function that has left the wheel may still be about
// to begin.
func (w *wheelChaos) audit(returned []timer.Handle) {
	by := map[timer.Handle]*armedFunc{}
	for _, f := range w.funcs {
		by[f.handle] = f
	}
	others := map[timer.Handle]bool{}
	for _, h := range returned {
		f := by[h]
		switch {
		case f != nil:
			f.returned++
		case others[h]:
			w.fault(&w.duplicate, "a handle of a series is returned twice")
		}
		others[h] = true
	}
	w.demand(int64(len(others)) <= int64(len(by))+w.series.Load(),
		"the wheel returns what it has not taken")
	for _, f := range w.funcs {
		end := time.Now().Add(Patience / 2)
		for f.ends() < f.armed-f.maybeRefused && time.Now().Before(end) {
			runtime.Gosched() // its goroutine may not have come so far
		}
		switch ends := f.ends(); {
		case ends > f.armed+f.maybeRefused:
			w.fault(&w.duplicate, "a function armed %d times, or %d more, has %d ends", f.armed,
				f.maybeRefused, ends)
		case ends < f.armed-f.maybeRefused:
			w.fault(&w.lost, "a function armed %d times, or %d less, has %d ends", f.armed,
				f.maybeRefused, ends)
		}
	}
}

// ends is how many armings have come to an end.
func (f *armedFunc) ends() int64 { return f.begun.Load() + f.stopped.Load() + f.returned }
