package cell

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/internal/probe"
)

// cellModel is what a cell should be, beside one that is. All calls come one after another.
type cellModel struct {
	cell *Cell
	host *recorder // nil for a cell without a plan

	phase   Phase
	err     error
	full    bool
	run     *modelRun // in progress, from Begin to Finish or Reset
	past    []*modelRun
	stopped bool // a context has been interrupted: there is no further run
	strip   bool // the body has been forgotten
	told    int  // how often the host should have been

	watchers []*modelWatcher // that wait
	notified []int           // not compared yet
	watches  int
	begun    bool // at least once
}

type modelRun struct {
	ctx     context.Context // nil before Enter
	over    bool            // after Exit
	asked   bool            // for a signal while it lived
	cause   error           // of an interrupt
	entered bool
}

type modelWatcher struct {
	id int
	w  *Watcher
}

func TestCellAgreesWithItsModel(t *testing.T) {
	for range 20 { // of a hundred cases each
		rapid.Check(t, checkCell)
	}
}

func checkCell(t *rapid.T) {
	m := &cellModel{cell: &Cell{}}
	if rapid.Bool().Draw(t, "hosted") {
		m.cell, m.host = hosted()
	}
	runs := map[string]func(*rapid.T){
		"begin": m.begin, "enter": m.enter, "ask": m.ask, "exit": m.exit, "finish": m.finish, "reset": m.reset,
		"enter again": m.enter, "exit again": m.exit, "reset again": m.reset, // so that a run comes to its end
		"ask the past": m.askThePast,
	}
	others := map[string]func(*rapid.T){
		"cancel": m.seldom(m.cancel), "drop": m.seldom(m.drop), "discard": m.seldom(m.discard), "fail": m.seldom(m.failure),
		"interrupt": m.seldom(m.interrupt), "withdraw": m.seldom(m.withdraw),
		"done": func(*rapid.T) { m.cell.Done() }, "stopped": func(*rapid.T) { m.cell.Stopped() },
		"watch": m.watch, "watch more": m.watch, "unwatch": m.unwatch, "strip": m.forget, "": m.check,
	}
	for name, step := range others {
		runs[name] = step
	}
	t.Repeat(runs)
}

// seldom has a step that ends nearly everything come late.
func (m *cellModel) seldom(step func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		if rapid.IntRange(0, 5).Draw(t, "seldom") > 0 {
			t.Skip("not now")
		}
		step(t)
	}
}

func (m *cellModel) begin(t *rapid.T) {
	may := m.phase == Pending
	if may && m.stopped {
		t.Skip("it is not run again")
	}
	if m.cell.Begin() != may {
		t.Fatalf("begun in phase %d: %v", m.phase, !may)
	}
	if may {
		m.phase, m.run, m.begun = Running, &modelRun{}, true
	}
}

func (m *cellModel) enter(t *rapid.T) {
	if m.run == nil || m.run.entered {
		t.Skip("no run begins")
	}
	m.run.ctx, m.run.entered = m.cell.Enter(nil), true
	if FromContext(m.run.ctx).Main() != m.cell {
		t.Fatal("the context is not that of the cell")
	}
}

func (m *cellModel) ask(t *rapid.T) {
	r := m.run
	if r == nil || !r.entered || r.over {
		t.Skip("there is no body to ask")
	}
	r.asked = true
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		_ = r.ctx.Err()
	case 1:
		_ = r.ctx.Done()
	default:
		context.AfterFunc(r.ctx, func() {})
	}
}

// askThePast asks contexts of runs that are over, some of them for the first time.
func (m *cellModel) askThePast(t *rapid.T) {
	if len(m.past) == 0 {
		t.Skip("there is none")
	}
	r := rapid.SampledFrom(m.past[max(0, len(m.past)-3):]).Draw(t, "run")
	if r.asked { // or else it may be told from the next one by nobody
		m.checkRun(t, r)
	}
}

func (m *cellModel) exit(t *rapid.T) {
	if m.run == nil || !m.run.entered || m.run.over {
		t.Skip("there is no body to leave")
	}
	if m.cell.Exit() {
		t.Fatal("late without a timeout")
	}
	m.run.over = true
}

// skipUnlessOver skips the step if there is no run that may end now.
func (m *cellModel) skipUnlessOver(t *rapid.T) {
	if m.run == nil || !m.run.over {
		t.Skip("no run is over")
	}
}

func (m *cellModel) finish(t *rapid.T) {
	m.skipUnlessOver(t)
	err := rapid.SampledFrom([]error{nil, errBoom}).Draw(t, "err")
	want := m.phase == Running
	if want {
		m.full = true
		m.settle(map[bool]Phase{true: Succeeded, false: Failed}[err == nil], err)
	}
	m.past, m.run = append(m.past, m.run), nil
	if m.cell.Finish(err) != want {
		t.Fatalf("the runner has settled the cell: %v", !want)
	}
}

func (m *cellModel) reset(t *rapid.T) {
	m.skipUnlessOver(t)
	want := m.phase == Running
	if want {
		m.phase = Pending
		m.past, m.run = append(m.past, m.run), nil
	}
	if m.cell.Reset() != want {
		t.Fatalf("made pending again: %v", !want)
	}
}

// settle has the model expect what the call about to come brings about.
func (m *cellModel) settle(phase Phase, err error) { m.phase, m.err = phase, err }

func (m *cellModel) cancel(t *rapid.T) {
	err := rapid.SampledFrom([]error{nil, errBoom}).Draw(t, "err")
	cause := rapid.SampledFrom([]error{errOther, errBoom}).Draw(t, "cause")
	interrupt := rapid.Bool().Draw(t, "interrupt")
	want := !m.phase.Settled()
	if want {
		m.settle(Cancelled, err)
		if m.host != nil {
			m.told++
		}
	}
	if interrupt && m.run != nil {
		m.interrupted(cause)
	}
	if m.cell.Cancel(err, cause, interrupt) != want {
		t.Fatalf("cancelled: %v", !want)
	}
}

func (m *cellModel) withdraw(t *rapid.T) {
	want := m.phase == Pending && !m.begun
	if want {
		m.settle(Cancelled, nil)
		if m.host != nil {
			m.told++
		}
	}
	if m.cell.Withdraw() != want {
		t.Fatalf("withdrawn: %v", !want)
	}
}

// interrupted notes the first cause of an interrupt. It comes too late after the exit.
func (m *cellModel) interrupted(cause error) {
	m.stopped = true
	if m.run != nil && !m.run.over && m.run.cause == nil {
		m.run.cause = cause
	}
}

func (m *cellModel) interrupt(t *rapid.T) {
	if m.run == nil {
		t.Skip("nothing runs")
	}
	cause := rapid.SampledFrom([]error{errOther, errBoom}).Draw(t, "cause")
	m.interrupted(cause)
	m.cell.Interrupt(cause)
}

func (m *cellModel) drop(t *rapid.T) {
	if m.host == nil {
		t.Skip("there is no host")
	}
	m.settles(t, func() bool { return dropped(m.cell) }, Cancelled, errDropped)
}

func (m *cellModel) discard(t *rapid.T) {
	m.settles(t, func() bool {
		defer m.cell.Wake()
		return m.cell.DiscardQuietly(errOther)
	}, Cancelled, errOther)
}

func (m *cellModel) failure(t *rapid.T) {
	m.settles(t, func() bool { return m.cell.Fail(errLate) }, Failed, errLate)
}

func (m *cellModel) settles(t *rapid.T, by func() bool, phase Phase, err error) {
	want := !m.phase.Settled()
	if want {
		m.settle(phase, err)
	}
	if by() != want {
		t.Fatalf("settled by that: %v", !want)
	}
}

func (m *cellModel) watch(*rapid.T) {
	m.watches++
	id := m.watches
	w := m.cell.Watch(func() { m.notified = append(m.notified, id) })
	m.watchers = append(m.watchers, &modelWatcher{id, w})
}

func (m *cellModel) unwatch(t *rapid.T) {
	if len(m.watchers) == 0 {
		t.Skip("nobody watches")
	}
	i := rapid.IntRange(0, len(m.watchers)-1).Draw(t, "watcher")
	m.cell.Unwatch(m.watchers[i].w)
	m.cell.Unwatch(m.watchers[i].w) // which does nothing
	m.watchers = slices.Delete(m.watchers, i, i+1)
}

func (m *cellModel) forget(t *rapid.T) {
	want := m.phase.Settled() && m.run == nil && !m.strip
	if m.cell.Strip() != want {
		t.Fatalf("the body may be forgotten: %v", !want)
	}
	m.strip = m.strip || want
}

func (m *cellModel) check(t *rapid.T) {
	if err := m.cell.Validate(); err != nil {
		t.Fatal(err)
	}
	if m.cell.Phase() != m.phase || m.cell.InBody() != (m.run != nil) || m.cell.Full() != m.full {
		t.Fatalf("in phase %d, want %d; in a body %v, full %v", m.cell.Phase(), m.phase, m.cell.InBody(), m.cell.Full())
	}
	if m.phase.Settled() && m.cell.Err() != m.err {
		t.Fatalf("ended with %v, want %v", m.cell.Err(), m.err)
	}
	if (m.cell.state.Load()&once != 0) != (m.begun && !m.full) {
		t.Fatalf("begun: %v", !m.begun)
	}
	if m.host != nil && (len(m.host.cancelled) != m.told || len(m.host.expired) > 0) {
		t.Fatalf("the host was told %d times, want %d", len(m.host.cancelled), m.told)
	}
	if m.run != nil && m.run.asked {
		m.checkRun(t, m.run)
	}
	m.checkWatchers(t)
}

// checkRun demands that a context has ended with its run, or before that for the first cause there
// was.
func (m *cellModel) checkRun(t *rapid.T, r *modelRun) {
	want := r.cause
	if want == nil && r.over {
		want = context.Canceled
	}
	if got := context.Cause(r.ctx); got != want || (r.ctx.Err() != nil) != (want != nil) || probe.IsClosed(r.ctx.Done()) != (want != nil) {
		t.Fatalf("a context has ended: %v, for %v, want %v", r.ctx.Err(), got, want)
	}
	if r.ctx.Err() != nil && !errors.Is(r.ctx.Err(), context.Canceled) {
		t.Fatalf("a context has ended with %v", r.ctx.Err())
	}
}

func (m *cellModel) checkWatchers(t *rapid.T) {
	var want []int
	if m.phase.Settled() {
		for _, w := range m.watchers {
			want = append(want, w.id)
		}
		m.watchers = nil
	}
	if !slices.Equal(m.notified, want) {
		t.Fatalf("watchers %v have been called, want %v", m.notified, want)
	}
	m.notified = nil
}

// The model trusts validateWord, so that must know every state there is, and no other.
func TestValidateKnowsTheStatesThereAre(t *testing.T) {
	legal := map[uint32]bool{}
	for _, s := range []uint32{0, seen} {
		legal[uint32(Pending)|s] = true
		legal[uint32(Pending)|s|once] = true // between two runs
		for _, l := range []uint32{0, live} {
			for _, end := range []uint32{uint32(Running), uint32(Failed), uint32(Cancelled), uint32(Cancelled) | gone} {
				legal[end|body|once|l|s] = true
			}
		}
		for _, b := range []uint32{0, bare} {
			for _, end := range []uint32{uint32(Succeeded) | full, uint32(Failed) | full, uint32(Failed), uint32(Cancelled), uint32(Cancelled) | gone} {
				legal[end|b|s] = true
				if end&full == 0 {
					legal[end|b|s|once] = true
				}
			}
		}
	}
	for s := range uint32(1 << 12) {
		if err := validateWord(s); (err == nil) != legal[s] {
			t.Errorf("state word %b: %v", s, err)
		}
	}
}
