// Package wheeltest tests the wheels of this module from within: it compares them with a sorted
// list, in virtual and in real time, and validates their structure after every step.
package wheeltest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/timer"
)

// Wheel is a wheel under test.
type Wheel interface {
	timer.Scheduler
	Close() []timer.Handle
	Armed() int
	Validate() error
}

const (
	tick  = 10 * time.Millisecond
	limit = 12 // small enough to be reached
)

// Model draws calls and delays at random and compares the wheel with a sorted list. The wheel has a
// tick of 10 ms and few slots, so that its turns are short. Its executor calls each function before
// it returns, and some functions call the wheel, in the middle of its turn.
func Model(t *testing.T, slots int, make func(timer.Config) Wheel) {
	for range 10 { // of a hundred cases each
		rapid.Check(t, func(t *rapid.T) {
			// SyncTest reports what goes wrong in the bubble out here, so that rapid can shrink it.
			rapid.SyncTest(t, func(t *rapid.T) { compare(t, slots, make) })
		})
	}
}

// model is the list: the armed functions, in the order in which they must begin.
type model struct {
	wheel   Wheel
	start   time.Time
	slots   int
	all     []*function
	armed   []*function
	seq     int
	stopped bool

	mu      sync.Mutex // held by whoever calls the wheel, and by a function while it runs
	problem error      // the first one found by a function
}

type function struct {
	id     int
	handle timer.Handle
	when   time.Duration // deadline, since the start
	tick   int64         // in which it must begin
	seq    int
	gone   time.Duration // when it was last stopped or reset while due
	deed   deed
}

// deed is what a function does when it runs.
type deed struct {
	kind  string
	delay time.Duration
	other int // index of the function it does it to
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
		"AfterFunc":       m.armOne,
		"AfterFunc again": m.armOne,
		"Stop":            m.stopOne,
		"Reset":           m.resetOne,
		"time":            m.pass,
		"a tick":          m.passTick,
		"end":             m.endSeldom,
		"":                m.check,
	})
	m.do(t, m.end)
	m.check(t)
}

func (m *model) now() time.Duration { return time.Since(m.start) }

// delay draws a delay: none, one around a tick, a turn or a turn of the next level, or a huge one.
func (m *model) delay(t *rapid.T) time.Duration {
	units := []time.Duration{
		1, tick, tick * time.Duration(m.slots), tick * time.Duration(m.slots*m.slots),
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return rapid.SampledFrom([]time.Duration{0, -1, math.MinInt64}).Draw(t, "none")
	case 1:
		return rapid.SampledFrom([]time.Duration{
			math.MaxInt64, math.MaxInt64 - 1, 290 * 365 * 24 * time.Hour,
		}).Draw(t, "never")
	default:
		unit := rapid.SampledFrom(units).Draw(t, "unit")
		return unit*time.Duration(rapid.IntRange(1, 5).Draw(t, "units")) +
			time.Duration(rapid.IntRange(-1, 1).Draw(t, "more"))
	}
}

// plan gives f its deadline, d from now, and its place in the list.
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
		return cmp.Or(
			cmp.Compare(a.tick, b.tick), cmp.Compare(a.when, b.when), cmp.Compare(a.seq, b.seq))
	})
}

func (m *model) isDue(f *function) bool { return f.tick <= int64(m.now()/tick) }

func (m *model) drop(f *function) (was bool) {
	i := slices.Index(m.armed, f)
	if i < 0 {
		return false
	}
	if m.isDue(f) {
		f.gone = m.now()
	}
	m.armed = slices.Delete(m.armed, i, i+1)
	return true
}

// refusal returns the error that a function armed now must get, or nil.
func (m *model) refusal() error {
	switch {
	case m.stopped:
		return timer.ErrClosed
	case len(m.armed) == limit:
		return timer.ErrSaturated
	default:
		return nil
	}
}

// call does a deed to the wheel and compares the answers. The lock is held.
func (m *model) call(d deed) error {
	switch d.kind {
	case "arm":
		return m.arm(d.delay, deed{})
	case "stop":
		return m.stop(m.all[d.other%len(m.all)])
	case "reset":
		f := m.all[d.other%len(m.all)]
		if d.delay <= 0 && (f.gone == m.now() || slices.Contains(m.armed, f) && m.isDue(f)) {
			// Without a delay it would keep its place in the batch, which the list does not know.
			d.delay = tick
		}
		return m.reset(f, d.delay)
	case "end":
		return m.end()
	}
	return nil
}

// deed draws what a function does when it runs: nothing, about half of the time.
func (m *model) deed(t *rapid.T) deed {
	kind := rapid.SampledFrom([]string{
		"", "", "", "", "arm", "stop", "reset", "reset itself", "end",
	}).Draw(t, "deed")
	d := deed{kind: kind}
	if kind == "end" && rapid.IntRange(0, 4).Draw(t, "seldom") > 0 {
		d.kind = ""
	}
	if kind != "" {
		d.delay = m.delay(t)
		d.other = max(0, len(m.all)-rapid.IntRange(0, limit).Draw(t, "other"))
	}
	if kind == "reset itself" {
		d.kind, d.other = "reset", len(m.all)
	}
	return d
}

func (m *model) armOne(t *rapid.T) {
	d, deed := m.delay(t), m.deed(t)
	m.do(t, func() error { return m.arm(d, deed) })
}

// do calls the wheel while no function does.
func (m *model) do(t *rapid.T, call func() error) {
	m.mu.Lock()
	err := call()
	m.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *model) arm(d time.Duration, deed deed) error {
	f := &function{id: len(m.all), gone: -1, deed: deed}
	m.all = append(m.all, f)
	want := m.refusal()
	if want == nil {
		m.plan(f, d)
	}
	f.handle = m.wheel.AfterFunc(d, func() { m.begin(f) })
	if got := timer.Err(f.handle); got != want {
		return fmt.Errorf("AfterFunc(%v): %v, want %v", d, got, want)
	}
	return nil
}

// begin is the body of f. It checks that f is the next in the list and that its tick has come.
func (m *model) begin(f *function) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := error(nil)
	if len(m.armed) == 0 || m.armed[0] != f || !m.isDue(f) {
		err = fmt.Errorf("%d begins at %v, with %d armed", f.id, m.now(), len(m.armed))
	} else {
		m.armed = m.armed[1:]
		does := f.deed
		f.deed = deed{} // otherwise one that resets itself would do so for ever
		err = m.call(does)
	}
	if m.problem == nil {
		m.problem = err
	}
}

func (m *model) any(t *rapid.T) *function {
	if len(m.all) == 0 {
		t.Skip("there is no function")
	}
	return rapid.SampledFrom(m.all[max(0, len(m.all)-2*limit):]).Draw(t, "function")
}

func (m *model) stopOne(t *rapid.T) {
	f := m.any(t)
	m.do(t, func() error { return m.stop(f) })
}

func (m *model) stop(f *function) error {
	if got, want := f.handle.Stop(), m.drop(f); got != want {
		return fmt.Errorf("stop of %d is %v, want %v", f.id, got, want)
	}
	return nil
}

func (m *model) resetOne(t *rapid.T) {
	f, d := m.any(t), m.delay(t)
	m.do(t, func() error { return m.reset(f, d) })
}

func (m *model) reset(f *function, d time.Duration) error {
	want := m.drop(f)
	refused := m.refusal()
	if refused == nil {
		m.plan(f, d)
	}
	if got := f.handle.Reset(d); got != want {
		return fmt.Errorf("reset of %d to %v is %v, want %v", f.id, d, got, want)
	}
	if got := timer.Err(f.handle); got != refused {
		return fmt.Errorf("reset of %d, with %d armed: %v, want %v", f.id, len(m.armed), got,
			refused)
	}
	return nil
}

func (m *model) pass(t *rapid.T) { m.sleep(m.delay(t) % (365 * 24 * time.Hour)) }

func (m *model) passTick(*rapid.T) { m.sleep(tick) }

// sleep lets time pass. The lock orders what has been done before it before the functions that
// begin.
func (m *model) sleep(d time.Duration) {
	m.mu.Lock()
	until := m.now() + d
	m.mu.Unlock()
	time.Sleep(until - m.now())
}

// endSeldom closes the wheel, in one of twenty cases, and once it is closed always.
func (m *model) endSeldom(t *rapid.T) {
	if !m.stopped && rapid.IntRange(0, 19).Draw(t, "end") < 19 {
		t.Skip("not yet")
	}
	m.do(t, m.end)
}

// end closes the wheel, and checks that it returns all armed functions in order, except some that
// are due, which must then run.
func (m *model) end() error {
	m.stopped = true
	returned := m.wheel.Close()
	inOrder := slices.Clone(m.armed)
	slices.SortStableFunc(inOrder, func(a, b *function) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.seq, b.seq))
	})
	m.armed = nil
	for _, f := range inOrder {
		switch {
		case len(returned) > 0 && returned[0] == f.handle:
			returned = returned[1:]
			if timer.Err(f.handle) != timer.ErrClosed {
				return fmt.Errorf("%d is returned with the error %v", f.id, timer.Err(f.handle))
			}
		case m.isDue(f):
			m.armed = append(m.armed, f)
		default:
			return fmt.Errorf("%d is not returned, and was armed for %v", f.id, f.when)
		}
	}
	if len(returned) > 0 {
		return fmt.Errorf("%d more are returned than are armed, or not in order", len(returned))
	}
	return nil
}

// settle demands that everything due has begun. The wheel has come to rest.
func (m *model) settle(t *rapid.T) {
	if m.problem != nil {
		t.Fatal(m.problem)
	}
	if len(m.armed) > 0 && m.isDue(m.armed[0]) {
		t.Fatalf("%d was to begin in tick %d, and it is %v",
			m.armed[0].id, m.armed[0].tick, m.now())
	}
}

func (m *model) check(t *rapid.T) {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle(t)
	if got := m.wheel.Armed(); got != len(m.armed) {
		t.Fatalf("Armed is %d, want %d", got, len(m.armed))
	}
	if err := m.wheel.Validate(); err != nil {
		t.Fatal(err)
	}
}
