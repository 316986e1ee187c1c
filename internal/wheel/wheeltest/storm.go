package wheeltest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

// patience is how long anything may take in real time before it counts as lost.
const patience = 30 * time.Second

// soul is one function in real time. Each of its armings has exactly one end: a run, a Stop or a
// Reset that is true, a refusal by the executor, or to be returned at the end.
type soul struct {
	handle  timer.Handle
	armings atomic.Int64
	taken   atomic.Int64
	runs    atomic.Int64
	early   atomic.Bool
}

func (s *soul) owed() int64 { return s.armings.Load() - s.taken.Load() - s.runs.Load() }

func (s *soul) stop() {
	if s.handle.Stop() {
		s.taken.Add(1)
	}
}

func (s *soul) reset(d time.Duration) {
	s.armings.Add(1)
	if s.handle.Reset(d) {
		s.taken.Add(1)
	}
}

// storm is a wheel in real time, at the hands of many goroutines.
type storm struct {
	wheel  Wheel
	shared []*soul   // stopped and reset by all
	own    [][]*soul // of each goroutine, and never reset
}

var errRefused = errors.New("refused")

// Storm has goroutines arm, stop and reset functions of their own and of others, in real time, with
// executors of every kind, and stops the wheel under their hands or looks inside of it afterwards.
func Storm(t *testing.T, make func(timer.Config) Wheel) {
	var n atomic.Int64
	executors := map[string]timer.Executor{
		"goroutines": nil,
		"inline":     Inline,
		"elsewhere":  func(f func()) error { time.AfterFunc(20*time.Microsecond, f); return nil },
		"refusing": func(f func()) error {
			if n.Add(1)%3 == 0 {
				return errRefused
			}
			go f()
			return nil
		},
	}
	for name, executor := range executors {
		for _, ends := range []bool{false, true} {
			t.Run(map[bool]string{false: name, true: name + " stopped"}[ends], func(t *testing.T) {
				s := &storm{wheel: make(timer.Config{Tick: 50 * time.Microsecond, Slots: 8, Executor: executor})}
				returned := s.blow(ends)
				s.settle(t, returned, name == "refusing")
			})
		}
	}
}

// blow lets the goroutines go, and returns what Stop has returned.
func (s *storm) blow(ends bool) (returned []timer.Handle) {
	const goroutines, calls = 4, 1500
	s.shared = make([]*soul, 16)
	for i := range s.shared {
		s.shared[i] = s.arm(time.Millisecond)
	}
	s.own = make([][]*soul, goroutines)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for range calls {
				s.own[g] = append(s.own[g], s.call(s.own[g])...)
			}
		})
	}
	if ends {
		all.Go(func() {
			time.Sleep(time.Millisecond)
			returned = s.wheel.Close()
		})
	}
	all.Wait()
	return returned
}

// call does anything, with more to arm than to stop.
func (s *storm) call(own []*soul) (armed []*soul) {
	d := time.Duration(rand.IntN(4)) * time.Duration(rand.IntN(int(200*time.Microsecond)))
	k := s.shared[rand.IntN(len(s.shared))]
	switch n := rand.IntN(6); {
	case n == 0:
		k.stop()
	case n <= 2:
		k.reset(d)
	case n == 3 && len(own) > 0:
		own[len(own)-1].stop()
	default:
		return []*soul{s.arm(d)}
	}
	return nil
}

func (s *storm) arm(d time.Duration) *soul {
	k := &soul{}
	k.armings.Add(1)
	begin := time.Now()
	k.handle = s.wheel.AfterFunc(d, func() {
		if time.Since(begin) < d && len(s.shared) > 0 && k.armings.Load() == 1 {
			k.early.Store(true)
		}
		k.runs.Add(1)
	})
	return k
}

// settle waits until nothing is armed, and counts.
func (s *storm) settle(t *testing.T, returned []timer.Handle, refusing bool) {
	for end := time.Now().Add(patience); s.wheel.Armed() > 0; time.Sleep(100 * time.Microsecond) {
		require.True(t, time.Now().Before(end), "%d functions are pending for ever", s.wheel.Armed())
	}
	back := map[timer.Handle]int64{}
	for _, h := range returned {
		back[h]++
		assert.ErrorIs(t, timer.Err(h), timer.ErrClosed, "of one that is returned")
		assert.EqualValues(t, 1, back[h], "returned twice")
	}
	for _, k := range s.shared {
		// A Reset that the wheel or the executor refuses is an arming without an end to be seen.
		if refused := refusing || errors.Is(timer.Err(k.handle), timer.ErrRejected); refused {
			assert.GreaterOrEqual(t, k.owed(), back[k.handle], "armings without an end")
		} else {
			s.awaitRuns(t, k, back[k.handle])
		}
	}
	for _, souls := range s.own {
		for _, k := range souls {
			assert.False(t, k.early.Load(), "early")
			ended := back[k.handle]
			if err := timer.Err(k.handle); err != nil && ended == 0 {
				ended = 1 // refused, by the wheel or by the executor
			}
			s.awaitRuns(t, k, ended)
		}
	}
	for end := time.Now().Add(patience); s.wheel.Validate() != nil && time.Now().Before(end); {
		time.Sleep(100 * time.Microsecond) // the turn ends
	}
	require.NoError(t, s.wheel.Validate())
}

// awaitRuns waits for functions that have begun, and are not pending any more, to have counted.
func (s *storm) awaitRuns(t *testing.T, k *soul, ended int64) {
	for end := time.Now().Add(patience); k.owed() != ended && time.Now().Before(end); {
		time.Sleep(10 * time.Microsecond)
	}
	require.Equal(t, ended, k.owed(), "%d armings, %d taken back, %d runs, Err %v",
		k.armings.Load(), k.taken.Load(), k.runs.Load(), timer.Err(k.handle))
}
