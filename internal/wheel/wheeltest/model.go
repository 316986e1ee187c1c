// Package wheeltest compares the wheels of this module with a sorted list, and looks inside of them
// after every step.
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

// Wheel is what is compared.
type Wheel interface {
	timer.Scheduler
	Close() []timer.Handle
	Armed() int
	Validate() error
}

const (
	tick  = 10 * time.Millisecond
	limit = 12 // so small that it is met
)

// Model draws calls and times for a wheel with few slots, so that its turns are short, and a tick
// of 10 ms. The wheel's executor calls functions in the order in which it gets them. Some of the functions
// call the wheel themselves, in the middle of its turn.
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
	stopped bool

	mu      sync.Mutex // held by who calls the wheel, and by a function all the time
	problem error      // the first that a function has found
}

type function struct {
	id     int
	handle timer.Handle
	when   time.Duration // since the start
	tick   int64         // in which it begins
	seq    int
	gone   time.Duration // when it was stopped or reset although it was due
	deed   deed
}

// deed is what a function does once it has begun.
type deed struct {
	kind  string
	delay time.Duration
	other int // whom to
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

// refusal is the error of a function armed now, if it may not be.
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

// call calls the wheel as a function does, and compares the answers. The lock is held.
func (m *model) call(d deed) error {
	switch d.kind {
	case "arm":
		return m.arm(d.delay, deed{})
	case "stop":
		return m.stop(m.all[d.other%len(m.all)])
	case "reset":
		f := m.all[d.other%len(m.all)]
		if d.delay <= 0 && (f.gone == m.now() || slices.Contains(m.armed, f) && m.isDue(f)) {
			d.delay = tick // it would begin in the place that it has in the turn, which the list does not know
		}
		return m.reset(f, d.delay)
	case "end":
		return m.end()
	}
	return nil
}

// deed draws what a function does: nothing, most of the time.
func (m *model) deed(t *rapid.T) deed {
	kind := rapid.SampledFrom([]string{"", "", "", "", "arm", "stop", "reset", "reset itself", "end"}).Draw(t, "deed")
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

// do calls the wheel, while no function does.
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

// begin is what f does: it must be the next, and its tick must have come.
func (m *model) begin(f *function) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := error(nil)
	if len(m.armed) == 0 || m.armed[0] != f || !m.isDue(f) {
		err = fmt.Errorf("%d begins at %v, with %d armed", f.id, m.now(), len(m.armed))
	} else {
		m.armed = m.armed[1:]
		does := f.deed
		f.deed = deed{} // one that resets itself would do so for ever
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
		return fmt.Errorf("reset of %d, with %d armed: %v, want %v", f.id, len(m.armed), got, refused)
	}
	return nil
}

func (m *model) pass(t *rapid.T) { m.sleep(m.delay(t) % (365 * 24 * time.Hour)) }

func (m *model) passTick(*rapid.T) { m.sleep(tick) }

// sleep lets functions begin, which see all that has been done before.
func (m *model) sleep(d time.Duration) {
	m.mu.Lock()
	until := m.now() + d
	m.mu.Unlock()
	time.Sleep(until - m.now())
}

// endSeldom stops the wheel.
func (m *model) endSeldom(t *rapid.T) {
	if !m.stopped && rapid.IntRange(0, 19).Draw(t, "end") < 19 {
		t.Skip("not yet")
	}
	m.do(t, m.end)
}

// end stops the wheel. It returns all that is armed, in order, but for what is due: that runs.
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

// settle demands that all has begun that should have. The wheel has come to rest.
func (m *model) settle(t *rapid.T) {
	if m.problem != nil {
		t.Fatal(m.problem)
	}
	if len(m.armed) > 0 && m.isDue(m.armed[0]) {
		t.Fatalf("%d was to begin in tick %d, and it is %v", m.armed[0].id, m.armed[0].tick, m.now())
	}
}

func (m *model) check(t *rapid.T) {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle(t)
	if got := m.wheel.Armed(); got != len(m.armed) {
		t.Fatalf("Pending is %d, want %d", got, len(m.armed))
	}
	if err := m.wheel.Validate(); err != nil {
		t.Fatal(err)
	}
}
