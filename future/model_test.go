package future_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/probe"
)

// step is one thing done to a task; n chooses among its variants.
type step struct {
	op string
	n  int
}

var anyStep = rapid.Custom(func(t *rapid.T) step {
	// What makes a history long and interesting is drawn more often.
	op := rapid.SampledFrom([]string{
		"run", "run", "run", "end", "end", "end", "ask", "ask", "wait", "wait",
		"cancel", "parent", "give up", "sleep", "look",
	}).Draw(t, "op")
	return step{op, rapid.IntRange(0, 3).Draw(t, "n")}
})

// A step may fail a case only outside of the bubble, so the history is drawn first.
func TestTaskBehavesLikeItsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(anyStep, 1, 40).Draw(rt, "steps")
		var problem error
		synctest.Test(t, func(t *testing.T) { problem = play(steps) })
		if problem != nil {
			rt.Fatal(problem)
		}
	})
}

var errParent = errors.New("parent")

// expectation is an outcome to come; a nil match means success.
type expectation struct {
	value int
	match func(error) bool
}

func (e *expectation) check(v int, err error) error {
	ok := err == nil
	if e.match != nil {
		ok = e.match(err)
	}
	if !ok || v != e.value {
		return fmt.Errorf("got (%v, %v), want value %d and another error", v, err, e.value)
	}
	return nil
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, target := range targets {
			if !errors.Is(err, target) {
				return false
			}
		}
		return true
	}
}

func isPanic(err error) bool {
	var p *future.PanicError
	ok := errors.As(err, &p)
	return ok && p.Value == errBoom
}

// modelRun is one run of the task.
type modelRun struct {
	ctx          context.Context
	again, child bool  // RunAndReset; in the parent's context
	asked, done  bool  // for any signal while it ran; for the channel
	over         bool  // its body has ended
	cause        error // why its context has ended; nil while it has not
	returned     *bool
	reset        *bool
}

// modelWaiter is one wait for the outcome.
type modelWaiter struct {
	answer  <-chan future.Result[int]
	by      context.Context // ends the wait
	expires time.Time       // ends the wait
}

// taskModel is what a task should be, beside one that is.
type taskModel struct {
	h *held

	state   future.State
	outcome expectation // once settled
	runs    []*modelRun
	waiters []modelWaiter
	done    <-chan struct{}
	stopped <-chan struct{}

	parent, waiting     context.Context
	endParent, endWaits context.CancelCauseFunc
}

func play(steps []step) (problem error) {
	m := &taskModel{h: newHeld()}
	m.parent, m.endParent = context.WithCancelCause(context.Background())
	m.waiting, m.endWaits = context.WithCancelCause(context.Background())
	defer m.release()
	for i, s := range steps {
		err := m.do(s)
		synctest.Wait()
		if err == nil {
			err = m.check()
		}
		if err != nil {
			return fmt.Errorf("step %d, %v: %w", i, s, err)
		}
	}
	return nil
}

// release lets every goroutine of the bubble end.
func (m *taskModel) release() {
	m.h.Future().Cancel()
	m.endWaits(nil)
	m.endParent(nil)
	if m.inBody() {
		m.h.finish(value)
	}
}

func (m *taskModel) do(s step) error {
	switch s.op {
	case "run":
		return m.run(s.n%2 == 1, s.n >= 2)
	case "end":
		return m.end(s.n)
	case "cancel":
		return m.cancel(s.n)
	case "ask":
		m.ask(s.n)
	case "wait":
		return m.wait(s.n)
	case "parent":
		m.endParent(errParent)
		if r := m.last(); r != nil && r.child && r.cause == nil {
			r.cause = errParent
		}
	case "give up":
		m.endWaits(errOther)
	case "sleep":
		time.Sleep(time.Minute)
	case "look":
		m.done, m.stopped = m.h.Future().Done(), m.h.Future().Stopped()
	}
	return nil
}

// last returns the run in progress, or else the last one; nil if there was none.
func (m *taskModel) last() *modelRun {
	if len(m.runs) == 0 {
		return nil
	}
	return m.runs[len(m.runs)-1]
}

func (m *taskModel) inBody() bool { r := m.last(); return r != nil && !r.over }

func (m *taskModel) run(child, again bool) error {
	parent := context.Background()
	if child {
		parent = m.parent
	}
	var returned, reset bool
	go func() {
		if again {
			reset = m.h.RunAndReset(parent)
		} else {
			m.h.Run(parent)
		}
		returned = true
	}()
	synctest.Wait()
	if m.state != future.Pending {
		if !returned || reset {
			return fmt.Errorf("run of a %v task: returned %v, reset %v", m.state, returned, reset)
		}
		return nil
	}
	if returned || m.h.runs != len(m.runs)+1 {
		return fmt.Errorf("no body began")
	}
	m.state = future.Running
	r := &modelRun{ctx: m.h.ctx, again: again, child: child, returned: &returned, reset: &reset}
	if child && m.parent.Err() != nil {
		r.cause = errParent
	}
	m.runs = append(m.runs, r)
	return nil
}

func (m *taskModel) end(n int) error {
	if !m.inBody() {
		return nil
	}
	r := m.last()
	hows := []func() (int, error){value, failure, crash, exit}
	outcomes := []expectation{{7, nil}, {3, is(errBoom)}, {0, isPanic}, {0, is(future.ErrGoexit)}}
	m.h.finish(hows[n])
	r.over = true
	if r.cause == nil {
		r.cause = context.Canceled
	}
	reset := false
	switch {
	case m.state != future.Running: // settled meanwhile
	case r.again && n == 0:
		m.state, reset = future.Pending, true
	case n == 0:
		m.settle(future.Succeeded, outcomes[n])
	case r.again:
		m.settle(future.StateFailed, expectation{0, outcomes[n].match})
	default:
		m.settle(future.StateFailed, outcomes[n])
	}
	if returns := n != 3; *r.returned != returns {
		return fmt.Errorf("run returned: %v, want %v", *r.returned, returns)
	}
	if *r.reset != reset {
		return fmt.Errorf("reset: %v, want %v", *r.reset, reset)
	}
	return nil
}

func (m *taskModel) settle(s future.State, e expectation) { m.state, m.outcome = s, e }

func (m *taskModel) cancel(n int) error {
	f := m.h.Future()
	var got bool
	reason, interrupt := future.ErrCancelled, true
	switch n {
	case 0:
		got = f.Cancel()
	case 1:
		got, reason = f.CancelCause(errBoom), errBoom
	default:
		got, interrupt = f.Stop(), false
	}
	want := !m.state.Settled()
	if want {
		m.settle(future.Cancelled, expectation{0, is(future.ErrCancelled, context.Canceled, reason)})
	}
	if r := m.last(); interrupt && m.inBody() && r.cause == nil {
		r.cause = reason
	}
	if got != want {
		return fmt.Errorf("cancellation told %v, want %v", got, want)
	}
	return nil
}

// ask asks the run in progress for a signal. From then on its context must answer as it should.
func (m *taskModel) ask(n int) {
	if !m.inBody() {
		return
	}
	r := m.last()
	r.asked = true
	switch n {
	case 0:
		_ = r.ctx.Err()
	case 1:
		_ = r.ctx.Done()
		r.done = true
	case 2:
		context.AfterFunc(r.ctx, func() {})
		r.done = true
	default:
		_ = context.Cause(r.ctx)
		_ = r.ctx.Err()
	}
}

func (m *taskModel) wait(n int) error {
	f := m.h.Future()
	w := modelWaiter{by: context.Background(), expires: time.Now().Add(100 * time.Hour)}
	switch n {
	case 0:
		w.answer = inBackground(func() (int, error) { return f.Get(context.Background()) })
	case 1:
		w.by = m.waiting
		w.answer = inBackground(func() (int, error) { return f.Get(m.waiting) })
	case 2:
		w.expires = time.Now().Add(time.Minute)
		w.answer = inBackground(func() (int, error) { return f.GetTimeout(time.Minute) })
	default:
		return m.waitForSelf()
	}
	m.waiters = append(m.waiters, w)
	return nil
}

// waitForSelf calls Get with the context of the last run, in that run while it lasts. It never has
// to wait.
func (m *taskModel) waitForSelf() error {
	r := m.last()
	if r == nil || r.over && !r.asked {
		return nil
	}
	var v int
	var err error
	get := func() { v, err = m.h.Future().Get(r.ctx) }
	want := &expectation{0, is(context.Canceled)}
	if m.state.Settled() {
		want = &m.outcome
	}
	if r.over {
		get()
		return want.check(v, err)
	}
	if !m.state.Settled() {
		want = &expectation{0, is(future.ErrSelfWait)}
	}
	m.h.inside(get)
	return want.check(v, err)
}

// check compares all that can be seen of the task with the model.
func (m *taskModel) check() error {
	f := m.h.Future()
	if f.State() != m.state {
		return fmt.Errorf("state %v, want %v", f.State(), m.state)
	}
	if m.h.runs != len(m.runs) {
		return fmt.Errorf("%d bodies began, want %d", m.h.runs, len(m.runs))
	}
	r, ok := f.Poll()
	if ok != m.state.Settled() {
		return fmt.Errorf("poll told %v", ok)
	}
	if ok {
		if err := m.outcome.check(r.Value, r.Err); err != nil {
			return err
		}
	}
	if err := m.checkChannels(); err != nil {
		return err
	}
	// A context lives as long as its body at most, and only what the runner has settled is
	// complete.
	if c := (*cell.Core[int])(f).Cell(); c.Live() && !m.inBody() || c.Full() && (m.inBody() || !m.state.Settled() || m.state == future.Cancelled) {
		return fmt.Errorf("in state %v, in a body %v: live %v, full %v", m.state, m.inBody(), c.Live(), c.Full())
	}
	for i, r := range m.runs {
		if err := r.check(); err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
	}
	return m.checkWaiters()
}

func (m *taskModel) checkChannels() error {
	f := m.h.Future()
	if m.done == nil {
		return nil // nobody has asked for them so far
	}
	if f.Done() != m.done || f.Stopped() != m.stopped {
		return errors.New("a channel was replaced")
	}
	if probe.IsClosed(m.done) != m.state.Settled() {
		return fmt.Errorf("done is closed: %v", probe.IsClosed(m.done))
	}
	if probe.IsClosed(m.stopped) != (m.state.Settled() && !m.inBody()) {
		return fmt.Errorf("stopped is closed: %v", probe.IsClosed(m.stopped))
	}
	return nil
}

func (r *modelRun) check() error {
	if !r.asked {
		return nil
	}
	err, cause := r.ctx.Err(), context.Cause(r.ctx)
	if cause != r.cause || (err == context.Canceled) != (r.cause != nil) {
		return fmt.Errorf("context: %v, %v, want cause %v", err, cause, r.cause)
	}
	// To ask for the channel may change how the context works inside.
	if r.done && probe.IsClosed(r.ctx.Done()) != (r.cause != nil) {
		return fmt.Errorf("context told %v, but not by its channel", err)
	}
	return nil
}

func (m *taskModel) checkWaiters() error {
	var left []modelWaiter
	for _, w := range m.waiters {
		var want *expectation
		switch {
		case m.state.Settled():
			want = &m.outcome
		case w.by.Err() != nil:
			want = &expectation{0, is(context.Canceled, errOther)}
		case !time.Now().Before(w.expires):
			want = &expectation{0, is(future.ErrTimeout)}
		}
		if want == nil {
			left = append(left, w)
		}
		if answered := len(w.answer) > 0; answered != (want != nil) {
			return fmt.Errorf("a waiter was answered: %v", answered)
		}
		if want != nil {
			r := <-w.answer
			if err := want.check(r.Value, r.Err); err != nil {
				return fmt.Errorf("waiter: %w", err)
			}
		}
	}
	m.waiters = left
	return nil
}

// The future of a promise is settled by the first call that could, and by no other.
func TestPromiseBehavesLikeItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := future.NewPromise[int]()
		state := future.Pending
		want := &expectation{}
		settle := func(got bool, s future.State, e expectation) {
			if got != (state == future.Pending) {
				t.Fatalf("told %v in state %v", got, state)
			}
			if got {
				state, want = s, &e
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				r, ok := p.Future().Poll()
				if ok != state.Settled() || p.Future().State() != state {
					t.Fatalf("settled %v in %v, want %v", ok, p.Future().State(), state)
				}
				if err := want.check(r.Value, r.Err); err != nil {
					t.Fatal(err)
				}
			},
			"complete": func(t *rapid.T) {
				n := rapid.Int().Draw(t, "value")
				settle(p.Complete(n), future.Succeeded, expectation{n, nil})
			},
			"fail": func(*rapid.T) {
				settle(p.Fail(errBoom), future.StateFailed, expectation{0, is(errBoom)})
			},
			"cancel": func(*rapid.T) {
				settle(p.Future().Cancel(), future.Cancelled, expectation{0, is(future.ErrCancelled)})
			},
			"cancel for a reason": func(*rapid.T) {
				settle(p.Future().CancelCause(errBoom), future.Cancelled, expectation{0, is(future.ErrCancelled, errBoom)})
			},
			"stop": func(*rapid.T) {
				settle(p.Future().Stop(), future.Cancelled, expectation{0, is(future.ErrCancelled)})
			},
			"done": func(t *rapid.T) {
				if probe.IsClosed(p.Future().Done()) != state.Settled() || probe.IsClosed(p.Future().Stopped()) != state.Settled() {
					t.Fatal("a channel does not tell the state")
				}
			},
		})
	})
}
