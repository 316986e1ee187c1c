package executor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/goid"
)

// litmusRound is one race, and what its parties know of it.
type litmusRound struct {
	pool      *executor.Pool
	tasks     [3]litmusTask
	runs      atomic.Int32 // of all tasks
	seen      int32        // runs at the time of a resize
	cancelled atomic.Int32 // how many cancellations were told that it was they
	returned  int          // tasks handed back by ShutdownNow
}

type litmusTask struct {
	given     bool
	err       error
	future    atomic.Pointer[future.Future[struct{}]] // nil for a task of Execute
	runs      atomic.Int32
	goroutine uint64
}

func (k *litmusTask) hasRun() bool { return k.runs.Load() == 1 }

// accepted reports whether the task has been given to the pool and not been refused.
func (k *litmusTask) accepted() bool { return k.given && k.err == nil }

func (r *litmusRound) maybePrestart() {
	if rand.IntN(2) == 0 {
		r.pool.PrestartWorker()
	}
}

// submit gives the pool a task, with or without a future.
func (r *litmusRound) submit(i int) {
	if rand.IntN(2) == 0 {
		r.submitFuture(i)
		return
	}
	r.tasks[i].given = true
	r.tasks[i].err = r.pool.Execute(r.body(i))
}

func (r *litmusRound) submitFuture(i int) {
	k := &r.tasks[i]
	k.given = true
	f, err := r.pool.Submit(r.body(i))
	k.err = err
	k.future.Store(f)
}

func (r *litmusRound) body(i int) executor.Task {
	k := &r.tasks[i]
	return func(context.Context) error {
		k.goroutine = goid.Current()
		litmusYield(4) // so that there is something to cancel
		k.runs.Add(1)
		r.runs.Add(1)
		return nil
	}
}

// cancel does that to the first task as soon as its future is known, and some time later.
func (r *litmusRound) cancel(how func(*future.Future[struct{}]) bool) {
	k := &r.tasks[0]
	litmusAwait(func() bool { return k.future.Load() != nil })
	litmusYield(2)
	litmusDelay()
	if how(k.future.Load()) {
		r.cancelled.Add(1)
	}
}

// resize makes the pool smaller and, in one of two rounds, larger again.
func (r *litmusRound) resize() {
	litmusYield(2)
	n := rand.IntN(2)
	errs := []error{r.pool.SetCoreSize(n), r.pool.SetMaximumSize(1)}
	r.seen = r.runs.Load()
	if rand.IntN(2) == 0 {
		litmusDelay()
		errs = append(errs, r.pool.SetMaximumSize(2), r.pool.SetCoreSize(2))
	}
	if err := errors.Join(errs...); err != nil {
		panic(err)
	}
}

// awaitRuns waits until all accepted tasks have run.
func (r *litmusRound) awaitRuns() {
	accepted := int32(r.count((*litmusTask).accepted))
	litmusAwait(func() bool { return r.runs.Load() == accepted })
}

func (r *litmusRound) count(which func(*litmusTask) bool) (n int) {
	for i := range r.tasks {
		if which(&r.tasks[i]) {
			n++
		}
	}
	return n
}

// audit compares what each party knows with what the pool says, which has terminated.
func (r *litmusRound) audit(refusals []error) error {
	var wrong []string
	expect := func(what string, got, want uint64) {
		if got != want {
			wrong = append(wrong, fmt.Sprintf("%s: %d, not %d", what, got, want))
		}
	}
	var accepted, refused, ran, dropped uint64
	for i := range r.tasks {
		k := &r.tasks[i]
		runs := uint64(k.runs.Load())
		ran += runs
		switch f := k.future.Load(); {
		case !k.given:
		case k.err != nil:
			refused++
			expect("runs of a refused task", runs, 0)
			if !slices.Contains(refusals, k.err) {
				wrong = append(wrong, "refused: "+k.err.Error())
			}
		case f == nil:
			accepted++
			dropped += 1 - min(runs, 1)
		default:
			accepted++
			result, settled := f.Poll()
			if !settled {
				wrong = append(wrong, "a future is not settled")
			}
			if !errors.Is(result.Err, future.ErrCancelled) {
				expect("runs of a task that was not cancelled", runs, 1)
			} else if runs == 0 && r.cancelled.Load() == 0 {
				dropped++
			}
		}
		if runs > 1 {
			wrong = append(wrong, fmt.Sprintf("task %d ran %d times", i, runs))
		}
	}
	s := r.pool.Stats()
	expect("accepted", s.Accepted, accepted)
	expect("rejected", s.Rejected, refused)
	expect("runs", s.Runs, ran)
	expect("returned", s.Returned, uint64(r.returned))
	expect("never run", dropped, s.Returned)
	expect("cancelled", s.Cancelled, uint64(r.cancelled.Load()))
	expect("ended", s.Completed+s.Cancelled+s.Returned, s.Accepted)
	expect("left over", uint64(s.Workers+s.Queued+s.Busy), 0)
	expect("cancellations that were it", uint64(max(r.cancelled.Load(), 1)), 1)
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "\n"))
}
