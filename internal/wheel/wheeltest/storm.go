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

// soul is one function in real time. Each of its armings has exactly one end: it runs, a Stop or
// Reset returns true, the executor refuses it, or Close returns it.
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

// storm is a wheel in real time, used by many goroutines.
type storm struct {
	wheel  Wheel
	shared []*soul   // stopped and reset by all goroutines
	own    [][]*soul // by goroutine; never reset
}

var errRefused = errors.New("refused")

// Storm makes goroutines arm, stop and reset functions in real time, with executors of every kind.
// In half of the tests the wheel is closed in the middle. Afterwards every arming must have one
// end, and the wheel must be valid.
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
				cfg := timer.Config{Tick: 50 * time.Microsecond, Slots: 8, Executor: executor}
				s := &storm{wheel: make(cfg)}
				returned := s.blow(ends)
				s.settle(t, returned, name == "refusing")
			})
		}
	}
}

// blow runs the goroutines to their end, and returns what Close has returned.
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

// call makes a random call, and arms more often than it stops.
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
		require.True(t, time.Now().Before(end), "%d functions are pending for ever",
			s.wheel.Armed())
	}
	back := map[timer.Handle]int64{}
	for _, h := range returned {
		back[h]++
		assert.ErrorIs(t, timer.Err(h), timer.ErrClosed, "of one that is returned")
		assert.EqualValues(t, 1, back[h], "returned twice")
	}
	for _, k := range s.shared {
		// If a Reset may have been refused, that arming has an end that cannot be seen.
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
		time.Sleep(100 * time.Microsecond) // until the turn has ended
	}
	require.NoError(t, s.wheel.Validate())
}

// awaitRuns waits until functions that have begun, and so are no longer pending, have counted that.
func (s *storm) awaitRuns(t *testing.T, k *soul, ended int64) {
	for end := time.Now().Add(patience); k.owed() != ended && time.Now().Before(end); {
		time.Sleep(10 * time.Microsecond)
	}
	require.Equal(t, ended, k.owed(), "%d armings, %d taken back, %d runs, Err %v",
		k.armings.Load(), k.taken.Load(), k.runs.Load(), timer.Err(k.handle))
}
