package supervisor_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// behaviour is what one run of the task does.
type behaviour struct {
	takes    time.Duration
	err      error
	stubborn bool
}

// end returns when the n-th run, counted from 0, returns if it begins at start. Times are whole
// milliseconds, but one that is stubborn and late returns n+1 nanoseconds after one, so that it
// never does just when something else begins, be that after another such.
func (b behaviour) end(n int, start, timeout time.Duration) time.Duration {
	if b.stubborn && b.takes > timeout {
		return (start + b.takes).Truncate(time.Millisecond) + time.Millisecond + time.Duration(n+1)
	}
	return start + b.takes
}

// step is one thing done to a supervisor; n chooses among its variants.
type step struct {
	op string
	n  int
}

// history is what is drawn for one case.
type history struct {
	model      model // as it begins
	behaviours []behaviour
	steps      []step
}

var anyHistory = rapid.Custom(func(t *rapid.T) (h history) {
	ms := func(name string, low, high int) time.Duration {
		return time.Duration(rapid.IntRange(low, high).Draw(t, name)) * time.Millisecond
	}
	h.model = model{
		interval:      ms("interval", 1, 20),
		timeout:       ms("timeout", 1, 20),
		initial:       ms("initial", 0, 10),
		bound:         rapid.IntRange(1, 9).Draw(t, "bound"),
		onFailure:     rapid.SampledFrom([]supervisor.DelayPolicy{supervisor.Keep, supervisor.Reset, supervisor.Grow}).Draw(t, "policy"),
		maxUnfinished: rapid.IntRange(1, 3).Draw(t, "max"),
	}
	h.behaviours = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) behaviour {
		b := behaviour{stubborn: rapid.Bool().Draw(t, "stubborn")}
		b.takes = time.Duration(rapid.IntRange(0, 50).Draw(t, "takes")) * time.Millisecond
		if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
			b.err = errBoom
		}
		return b
	}), 1, 8).Draw(t, "behaviours")
	h.steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		op := rapid.SampledFrom([]string{"sleep", "sleep", "sleep", "sleep", "trigger", "trigger", "suspend", "resume", "resume",
			"refuse", "accept", "start", "start", "stop"}).Draw(t, "op")
		return step{op, rapid.IntRange(0, 60).Draw(t, "n")}
	}), 1, 60).Draw(t, "steps")
	return h
})

// A step may fail a case only outside of the bubble, so the history is drawn first. Cases are
// cheap, and what is rare in them takes hundreds.
//
// After each step the supervisor is compared with the model, its insides are validated, and
// somebody who trusts WorstGap is asked: that is TST11 on whatever may happen.
func TestB36_B37_B40_SupervisorBehavesLikeItsModel(t *testing.T) {
	for range 10 {
		rapid.Check(t, func(rt *rapid.T) {
			h := anyHistory.Draw(rt, "history")
			var problem error
			synctest.Test(t, func(t *testing.T) { problem = play(t, h) })
			if problem != nil {
				rt.Fatal(problem)
			}
		})
	}
}

func play(t *testing.T, h history) error {
	m := h.model
	m.state, m.delay, m.behaviours = "new", m.interval, h.behaviours
	pool := &refusing{Runner: newPool(t)}
	var mu sync.Mutex
	epoch, runs := time.Now(), 0
	var begun supervisor.Runs
	var other patience
	var s *subject
	s = prepare(t, pool, func(ctx context.Context) error {
		begun.Note(ctx, s.Supervisor)
		mu.Lock()
		n := runs
		runs++
		mu.Unlock()
		b := h.behaviours[n%len(h.behaviours)]
		d := b.end(n, time.Since(epoch), m.timeout) - time.Since(epoch)
		if b.stubborn {
			time.Sleep(d)
			return b.err
		}
		if err := takes(d)(ctx); err != nil {
			return err
		}
		return b.err
	}, supervisor.Interval(m.interval), supervisor.Timeout(m.timeout), supervisor.InitialDelay(m.initial),
		supervisor.Bound(m.bound), supervisor.FailurePolicy(m.onFailure), supervisor.MaxUnfinished(m.maxUnfinished))
	for i, st := range h.steps {
		other.do(st, time.Since(epoch))
		s.do(st, pool)
		m.do(st)
		for _, err := range []error{m.check(s), supervisor.Validate(s.Supervisor, &begun), other.check(s)} {
			if err != nil {
				return fmt.Errorf("step %d, %v, after %v: %w", i, st, time.Since(epoch), err)
			}
		}
	}
	return nil
}

func (s *subject) do(st step, pool *refusing) {
	switch st.op {
	case "start":
		s.Start()
	case "trigger":
		s.Trigger()
	case "suspend":
		s.Suspend()
	case "resume":
		s.Resume()
	case "stop":
		if st.n < 20 {
			s.Stop()
		}
	case "refuse":
		pool.refuse(executor.ErrSaturated)
		if st.n == 0 {
			pool.refuse(executor.ErrShutdown)
		}
	case "accept":
		pool.refuse(nil)
	case "sleep":
		time.Sleep(time.Duration(st.n) * time.Millisecond)
	}
	synctest.Wait()
}
