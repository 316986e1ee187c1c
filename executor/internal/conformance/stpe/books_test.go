package stpe_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// withAction is one step of a random history of a pool. Times are in nanoseconds. All that happens
// does so at an even time, but that timeouts are over: so it is clear which of two came first.
type withAction struct {
	Kind                           string
	Delay, Length, Timeout, Number int
	End                            int // how the body ends: an index into withFaults, or an error
	Goes                           bool
}

var withKinds = []string{
	"schedule", "schedule", "schedule", "rate", "rate", "delay", "delay", "execute", "execute",
	"cancel", "cancel", "stop", "core", "keep", "policy", "wait", "wait", "shutdown", "now", "close",
}

func withDrawAction(rt *rapid.T) withAction {
	return withAction{
		Kind:    rapid.SampledFrom(withKinds).Draw(rt, "kind"),
		Delay:   2 * rapid.IntRange(-5, 30).Draw(rt, "delay"),
		Length:  rapid.SampledFrom([]int{0, 0, 0, 10, 30, 200}).Draw(rt, "length"),
		Timeout: rapid.SampledFrom([]int{0, 0, 5, 25}).Draw(rt, "timeout"),
		Number:  rapid.IntRange(0, 100).Draw(rt, "number"),
		End:     rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 4}).Draw(rt, "end"),
		Goes:    rapid.Bool().Draw(rt, "goes"),
	}
}

// withAccount keeps books beside a pool.
type withAccount struct {
	p       *executor.ScheduledPool
	futures []*future.Future[struct{}]

	accepted, rejected, cancelled, executed uint64
	executions, ended, failed               atomic.Uint64
	running                                 sync.Map // of *withRun
	cancellations                           sync.Map // of futures, by time
	fault                                   string

	handedBack map[*future.Future[struct{}]]bool // series, perhaps in a run
}

// withRun is a run in progress.
type withRun struct {
	*withAccount
	ctx   context.Context
	began time.Time
	of    withAction
	self  *atomic.Pointer[future.Future[struct{}]]
}

// late reports whether the run has outlived its timeout, and had not been cancelled by then.
func (r withRun) late() bool {
	if !errors.Is(context.Cause(r.ctx), future.ErrTimeout) {
		return false
	}
	at, cancelled := r.cancellations.Load(r.self.Load())
	return !cancelled || at.(time.Time).After(r.began.Add(time.Duration(r.of.Timeout)))
}

// body returns a task that counts its runs, and the failures among them. A run that was cancelled
// does not fail, as its outcome is dropped; self tells the future, once it is known.
func (a *withAccount) body(s withAction, self *atomic.Pointer[future.Future[struct{}]]) executor.Task {
	return func(ctx context.Context) (err error) {
		fine := false
		run := &withRun{a, ctx, time.Now(), s, self}
		a.running.Store(run, nil)
		defer func() {
			a.running.Delete(run)
			a.ended.Add(1)
			f := self.Load()
			if run.late() || !fine && (f == nil || f.State() != future.Cancelled) {
				a.failed.Add(1)
			}
		}()
		time.Sleep(time.Duration(s.Length))
		if s.End == len(pooltest.Faults) {
			return pooltest.ErrTask
		}
		pooltest.Faults[s.End].Do()
		fine = true
		return nil
	}
}

func (s withAction) options() (opts []executor.TaskOption) {
	if s.Timeout > 0 {
		opts = append(opts, executor.Timeout(time.Duration(s.Timeout)))
	}
	if s.Goes {
		opts = append(opts, executor.FailurePolicy(executor.ErrorPolicy(1+s.Number%2)), executor.CatchUp(executor.Skip))
	}
	if s.Number%3 == 0 {
		opts = append(opts, executor.MaxRuns(1+s.Number%7))
	}
	return opts
}

func (a *withAccount) schedule(s withAction) {
	var self atomic.Pointer[future.Future[struct{}]]
	var f *executor.ScheduledFuture[struct{}]
	var err error
	body, delay, period := a.body(s, &self), time.Duration(s.Delay), time.Duration(2+2*s.Number)
	named := append(s.options(), executor.Name(fmt.Sprint(len(a.futures))))
	switch s.Kind {
	case "rate":
		f, err = a.p.AtFixedRate(delay, period, body, named...)
	case "delay":
		f, err = a.p.WithFixedDelay(delay, period, body, named...)
	default:
		f, err = a.p.Schedule(delay, body, s.options()...)
	}
	if err != nil {
		a.rejected++
		return
	}
	self.Store(f.Future)
	a.accepted++
	a.futures = append(a.futures, f.Future)
}

func (a *withAccount) execute(s withAction) {
	body := a.body(s, new(atomic.Pointer[future.Future[struct{}]]))
	err := a.p.Execute(func(ctx context.Context) error {
		a.executions.Add(1)
		return body(ctx)
	})
	if err != nil {
		a.rejected++
		return
	}
	a.accepted++
	a.executed++
}

func (a *withAccount) cancel(s withAction, how func(f *future.Future[struct{}]) bool) {
	n := len(a.futures)
	if n == 0 {
		return
	}
	f := a.futures[s.Number%n]
	if !how(f) {
		return
	}
	a.cancellations.Store(f, time.Now())
	if !a.handedBack[f] {
		a.cancelled++
	}
}

// takeBack notes which series are handed back. That is all that is counted of their ends.
func (a *withAccount) takeBack(tasks []executor.Pending) {
	for _, task := range tasks {
		if task.Periodic {
			i, _ := strconv.Atoi(task.Name)
			if a.handedBack[a.futures[i]] {
				a.fault = "handed back twice: " + task.String()
			}
			a.handedBack[a.futures[i]] = true
		}
	}
}

func (a *withAccount) do(s withAction) {
	p := a.p
	switch s.Kind {
	case "schedule", "rate", "delay":
		a.schedule(s)
	case "execute":
		a.execute(s)
	case "cancel":
		a.cancel(s, (*future.Future[struct{}]).Cancel)
	case "stop":
		a.cancel(s, (*future.Future[struct{}]).Stop)
	case "core":
		_ = p.SetCoreSize(s.Number % 5)
	case "keep":
		_ = p.SetKeepAlive(time.Duration(1 + s.Number))
		_ = p.SetCoreTimeout(s.Goes)
	case "policy":
		p.SetExecuteDelayedAfterShutdown(s.Goes)
		p.SetContinuePeriodicAfterShutdown(s.Number%2 == 0)
	case "wait":
		time.Sleep(time.Duration(max(s.Delay, 0)))
	default:
		a.end(s)
	}
}

// end shuts the pool down, but not in every history at the first chance.
func (a *withAccount) end(s withAction) {
	if s.Number > 25 {
		return
	}
	switch s.Kind {
	case "shutdown":
		a.p.Shutdown()
	case "now":
		a.takeBack(a.p.ShutdownNow())
	case "close":
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(2*s.Number))
		defer cancel()
		report, _ := a.p.CloseContext(ctx)
		a.takeBack(report.Dropped)
	}
}

// check compares the books at rest.
func (a *withAccount) check() {
	synctest.Wait()
	s := a.p.Stats()
	lingering := uint64(0) // settled or handed back, but with a body that still runs
	for _, f := range a.futures {
		if (f.State().Settled() || a.handedBack[f]) && !probe.IsClosed(f.Stopped()) {
			lingering++
		}
	}
	failed := a.failed.Load()
	a.running.Range(func(run, _ any) bool {
		if run.(*withRun).late() {
			failed++
		}
		return true
	})
	sum := s.Completed + s.Cancelled + s.Returned + uint64(s.Queued) + uint64(s.Busy)
	switch {
	case a.fault != "":
	case s.Accepted != a.accepted, s.Rejected != a.rejected, s.Cancelled != a.cancelled:
		a.fault = fmt.Sprintf("want %d accepted, %d rejected, %d cancelled", a.accepted, a.rejected, a.cancelled)
	case s.Accepted+lingering != sum:
		a.fault = fmt.Sprintf("parts add up to %d, %d lingering", sum, lingering)
	case s.Runs != a.ended.Load(), s.Failures != failed:
		a.fault = fmt.Sprintf("want %d runs, %d failures", a.ended.Load(), failed)
	case s.Queued != len(a.p.Queued()), s.Busy != len(a.p.Running()), s.Busy > s.Workers, s.Workers > s.Largest:
		a.fault = fmt.Sprintf("%d listed as queued, %d as running", len(a.p.Queued()), len(a.p.Running()))
	default:
		return
	}
	a.fault += fmt.Sprintf(": %+v", s)
}

// settle brings the pool to its end and compares the books with the futures.
func (a *withAccount) settle() {
	a.takeBack(a.p.ShutdownNow())
	<-a.p.Terminated()
	a.check()
	s, dropped := a.p.Stats(), a.executed-a.executions.Load()
	for _, f := range a.futures {
		r, ok := f.Poll()
		if !ok || !probe.IsClosed(f.Stopped()) {
			a.fault = fmt.Sprintf("%v after termination", f)
		}
		if errors.Is(r.Err, executor.ErrShutdown) || a.handedBack[f] {
			dropped++
		}
	}
	if a.fault == "" && (s.Queued != 0 || s.Busy != 0 || s.Workers != 0 || s.Returned != dropped) {
		a.fault = fmt.Sprintf("want %d returned: %+v", dropped, s)
	}
}

func TestTheBooksBalanceWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		core := rapid.IntRange(0, 4).Draw(rt, "core")
		limit := rapid.IntRange(1, 20).Draw(rt, "limit")
		actions := rapid.SliceOfN(rapid.Custom(withDrawAction), 1, 60).Draw(rt, "actions")
		var fault string
		synctest.Test(t, func(t *testing.T) {
			a := withAccount{p: pooltest.NewScheduledPool(t, core, executor.PendingLimit(limit))}
			a.handedBack = map[*future.Future[struct{}]]bool{}
			for _, s := range actions {
				a.do(s)
				a.check()
			}
			a.settle()
			fault = a.fault
		})
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}
