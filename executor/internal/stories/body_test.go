package stories_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// body is what a task does: one step after another, until one fails. A run or an attempt that has
// steps of its own does these instead.
type body struct {
	steps   steps
	runs    map[int]*steps
	tries   map[int]*steps
	watched chan struct{} // closed when the submission is over, and its future is watched
}

// which tells runs from attempts.
type which int

const (
	run which = iota
	attempt
)

// steps are what a run does.
type steps []step

type step func(ctx context.Context, in scene) error

// scene is where a step takes place.
type scene struct {
	stage *stage
	name  string // of the task
}

// always returns the steps of every run.
func (b *body) always() *steps { return &b.steps }

// only returns the steps of the run or attempt of which the first argument is the number.
func (b *body) only(w which, a args) *steps {
	m := &b.runs
	if w == attempt {
		m = &b.tries
	}
	if *m == nil {
		*m = map[int]*steps{}
	}
	n := a.number(0)
	if (*m)[n] == nil {
		(*m)[n] = &steps{}
	}
	return (*m)[n]
}

// task returns the body as a task of a pool. It waits until its future is watched, which takes no
// time: what it does is to be shown after that.
func (b *body) task(st *stage, name string) executor.Task {
	return func(ctx context.Context) error {
		if b.watched != nil && !st.trace.isCaller() {
			<-b.watched
		}
		r, _ := executor.RunFrom(ctx)
		steps := &b.steps
		if own := b.runs[int(r.Number)]; own != nil {
			steps = own
		}
		if own := b.tries[int(r.Attempt)]; own != nil {
			steps = own
		}
		for _, do := range *steps {
			if err := do(ctx, scene{st, name}); err != nil {
				return err
			}
		}
		return nil
	}
}

func (ss *steps) add(s step) { *ss = append(*ss, s) }

// do adds a step that does not fail.
func (ss *steps) do(f func(ctx context.Context, in scene)) {
	ss.add(func(ctx context.Context, in scene) error { f(ctx, in); return nil })
}

var errLuck = errors.New("no luck")

func (ss *steps) fail() { ss.add(func(context.Context, scene) error { return errLuck }) }

func (ss *steps) skip() {
	ss.add(func(context.Context, scene) error {
		return fmt.Errorf("%w: not the leader", executor.ErrSkipped)
	})
}

func (ss *steps) giveUp() {
	ss.add(func(context.Context, scene) error { return retry.Permanent(errLuck) })
}

func (ss *steps) retryAfter(d time.Duration) {
	ss.add(func(context.Context, scene) error { return retry.After(errLuck, d) })
}

func (ss *steps) panic() { ss.do(func(context.Context, scene) { panic("out of paper") }) }

func (ss *steps) goexit() { ss.do(func(context.Context, scene) { runtime.Goexit() }) }

func (ss *steps) sleep(d time.Duration) { ss.do(func(context.Context, scene) { time.Sleep(d) }) }

// heed takes its time or, if its context ends before that, cleans up for a while.
func (ss *steps) heed(d, cleanup time.Duration) {
	ss.add(func(ctx context.Context, _ scene) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			time.Sleep(cleanup)
			return context.Cause(ctx)
		}
	})
}

func (ss *steps) submit(child string) {
	ss.do(func(_ context.Context, in scene) {
		if said := in.stage.task(child).start((*task).submit); said != "" {
			in.shows("gets: " + said)
		}
	})
}

func (ss *steps) await(name string) {
	ss.do(func(ctx context.Context, in scene) {
		_, err := in.stage.task(name).future().Get(ctx)
		in.shows("has waited for " + name + ": " + errorText(err))
	})
}

func (ss *steps) awaitFor(d time.Duration, name string) {
	ss.do(func(ctx context.Context, in scene) {
		_, err := in.stage.task(name).future().GetTimeout(d)
		in.shows("has waited for " + name + ": " + errorText(err))
	})
}

func (ss *steps) cancel(name string) {
	ss.do(func(_ context.Context, in scene) { in.stage.task(name).future().Cancel() })
}

func (ss *steps) closePool() {
	ss.do(func(_ context.Context, in scene) {
		in.shows("has closed the pool: " + errorText(in.stage.pool.Close()))
	})
}

func (ss *steps) nextIn(d time.Duration) {
	ss.do(func(ctx context.Context, _ scene) { executor.NextIn(ctx, d) })
}

// shows writes what the task says into the trace.
func (in scene) shows(text string) { in.stage.trace.see(in.name, other, "%s %s", in.name, text) }
