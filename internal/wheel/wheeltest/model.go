// Package wheeltest compares the wheels of this module with a sorted list, and looks inside of them
// after every step.
package wheeltest

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/timer"
)

// Wheel is what is compared.
type Wheel interface {
	timer.Scheduler
	Stop() []timer.Handle
	Pending() int
	Validate() error
}

const (
	tick  = 10 * time.Millisecond
	limit = 12 // so small that it is met
)

// Model draws calls and times for a wheel with few slots, so that its turns are short, and a tick
// of 10 ms. The wheel's executor calls functions in the order in which it gets them.
func Model(t *testing.T, slots int, make func(timer.Config) Wheel) {
	for range 10 { // of a hundred cases each
		rapid.Check(t, func(t *rapid.T) {
			// What goes wrong in the bubble is reported out here, for rapid to shrink.
			rapid.SyncTest(t, func(t *rapid.T) { compare(t, slots, make) })
		})
	}
}

// model is the list: the functions that are armed, in the order in which they are to begin.
type model struct {
	wheel   Wheel
	start   time.Time
	slots   int
	all     []*function
	armed   []*function
	seq     int
	began   []int // not compared yet
	stopped bool
}

type function struct {
	id     int
	handle timer.Handle
	when   time.Duration // since the start
	tick   int64         // in which it begins
	seq    int
}

func compare(t *rapid.T, slots int, make func(timer.Config) Wheel) {
	m := &model{start: time.Now(), slots: slots}
	m.wheel = make(timer.Config{
		Tick:         tick,
		Slots:        slots,
		PendingLimit: limit,
		Executor:     func(f func()) error { f(); return nil },
	})
	t.Repeat(map[string]func(*rapid.T){
		"AfterFunc":       m.arm,
		"AfterFunc again": m.arm,
		"Stop":            m.stop,
		"Reset":           m.reset,
		"time":            m.pass,
		"a tick":          m.passTick,
		"end":             m.end,
		"":                m.check,
	})
	m.end(t)
	m.check(t)
}

func (m *model) now() time.Duration { return time.Since(m.start) }

// delay is nothing, or something around a tick, a turn, or a turn of the next level, or very much.
func (m *model) delay(t *rapid.T) time.Duration {
	units := []time.Duration{1, tick, tick * time.Duration(m.slots), tick * time.Duration(m.slots*m.slots)}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]time.Duration{0, -1, math.MinInt64}).Draw(t, "none")
	case 1:
		return rapid.SampledFrom([]time.Duration{math.MaxInt64, math.MaxInt64 - 1, 290 * 365 * 24 * time.Hour}).Draw(t, "never")
	default:
		unit := rapid.SampledFrom(units).Draw(t, "unit")
		return unit*time.Duration(rapid.IntRange(1, 5).Draw(t, "units")) + time.Duration(rapid.IntRange(-1, 1).Draw(t, "more"))
	}
}

// plan gives f the time d from now and its place in the list.
func (m *model) plan(f *function, d time.Duration) {
	m.seq++
	f.seq = m.seq
	f.when = m.now()
	f.tick = int64(f.when / tick) // at once
	if d > 0 {
		f.when += min(d, math.MaxInt64-f.when)
		f.tick = int64((f.when-1)/tick) + 1
	}
	m.armed = append(m.armed, f)
	slices.SortFunc(m.armed, func(a, b *function) int {
		return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.when, b.when), cmp.Compare(a.seq, b.seq))
	})
}

func (m *model) drop(f *function) (was bool) {
	i := slices.Index(m.armed, f)
	if i < 0 {
		return false
	}
	m.armed = slices.Delete(m.armed, i, i+1)
	return true
}

// refusal is the error of a function armed now, if it may not be.
func (m *model) refusal() error {
	switch {
	case m.stopped:
		return timer.ErrStopped
	case len(m.armed) == limit:
		return timer.ErrTooManyPending
	default:
		return nil
	}
}

func (m *model) arm(t *rapid.T) {
	d := m.delay(t)
	f := &function{id: len(m.all)}
	m.all = append(m.all, f)
	want := m.refusal()
	if want == nil {
		m.plan(f, d)
	}
	f.handle = m.wheel.AfterFunc(d, func() { m.began = append(m.began, f.id) })
	if got := timer.Err(f.handle); got != want {
		t.Fatalf("AfterFunc(%v): %v, want %v", d, got, want)
	}
}

func (m *model) any(t *rapid.T) *function {
	if len(m.all) == 0 {
		t.Skip("there is no function")
	}
	return rapid.SampledFrom(m.all[max(0, len(m.all)-2*limit):]).Draw(t, "function")
}

func (m *model) stop(t *rapid.T) {
	f := m.any(t)
	if got, want := f.handle.Stop(), m.drop(f); got != want {
		t.Fatalf("Stop of %d is %v, want %v", f.id, got, want)
	}
}

func (m *model) reset(t *rapid.T) {
	f, d := m.any(t), m.delay(t)
	want := m.drop(f)
	refused := m.refusal()
	if refused == nil {
		m.plan(f, d)
	}
	if got := f.handle.Reset(d); got != want {
		t.Fatalf("Reset of %d to %v is %v, want %v", f.id, d, got, want)
	}
	if got := timer.Err(f.handle); refused != nil && got != refused {
		t.Fatalf("Reset of %d, with %d armed: %v, want %v", f.id, len(m.armed), got, refused)
	}
}

func (m *model) pass(t *rapid.T) { time.Sleep(m.delay(t) % (365 * 24 * time.Hour)) }

func (m *model) passTick(*rapid.T) { time.Sleep(tick) }

// end stops the wheel, seldom.
func (m *model) end(t *rapid.T) {
	if !m.stopped && rapid.IntRange(0, 19).Draw(t, "end") < 19 {
		t.Skip("not yet")
	}
	m.settle(t)
	returned := m.wheel.Stop()
	slices.SortStableFunc(m.armed, func(a, b *function) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.seq, b.seq))
	})
	if len(returned) != len(m.armed) {
		t.Fatalf("Stop returns %d handles, want %d", len(returned), len(m.armed))
	}
	for i, f := range m.armed {
		if returned[i] != f.handle || timer.Err(f.handle) != timer.ErrStopped {
			t.Fatalf("returned as number %d: not function %d, or with the error %v", i, f.id, timer.Err(f.handle))
		}
	}
	m.armed, m.stopped = nil, true
}

// settle compares what has begun with what should have.
func (m *model) settle(t *rapid.T) {
	synctest.Wait()
	var want []int
	for len(m.armed) > 0 && m.armed[0].tick <= int64(m.now()/tick) {
		want = append(want, m.armed[0].id)
		m.armed = m.armed[1:]
	}
	if !slices.Equal(m.began, want) {
		t.Fatalf("begun have %v, want %v", m.began, want)
	}
	m.began = nil
}

func (m *model) check(t *rapid.T) {
	m.settle(t)
	if got := m.wheel.Pending(); got != len(m.armed) {
		t.Fatalf("Pending is %d, want %d", got, len(m.armed))
	}
	if err := m.wheel.Validate(); err != nil {
		t.Fatal(err)
	}
}
