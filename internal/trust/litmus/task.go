package litmus

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

const (
	ran            = "run"
	cancelledEarly = "cancelled before it ran"
	cancelledInRun = "cancelled while it ran"

	cancelledYetBegun = "cancelled before its run, and the body has begun"
	runWithoutBody    = "its run has begun, and the body has not"
	neverRan          = "neither cancelled nor run"
	hostNotTold       = "the host has been told something else"
	notInterrupted    = "the context of the run has not ended as it should"
)

// taskPairs are those of a task that is run by hand.
//
//	cancel|run  forbidden: Cancel, CancelCause or Stop is told true before the run has begun, and
//	            the body is called; the body is not called though it was not cancelled before; the
//	            future says otherwise than who has cancelled it was told; the context of a cancelled
//	            body does not end, or that of a stopped one does
//
// Whether it was before the run, the host of the task is told, by the very transition that decides
// it.
func taskPairs() []Pair {
	return []Pair{{
		Name: "cancel|run",
		Outcomes: grades([]string{ran, cancelledEarly, cancelledInRun},
			[]string{cancelledYetBegun, runWithoutBody, neverRan, hostNotTold, notInterrupted,
				anotherOutcome}),
		batch: 256, maxPause: 6,
		newFixture: func(rng *rand.Rand) fixture { return &runFixture{rng: rng} },
	}}
}

// runFixture races Task.Run with Cancel, CancelCause or Stop.
type runFixture struct {
	rng    *rand.Rand
	rounds []runRound
}

type runRound struct {
	task *future.Task[uint64]
	plan cell.Plan
	how  int
	kind bodyKind

	begun bool  // the runner's
	cause error // of the context of a body that waits for the canceller; the runner's

	// The canceller's.
	cancelled, told, inRun bool
	done                   atomic.Bool
}

// bodyKind is what a body does.
type bodyKind int

const (
	shortBody  bodyKind = iota
	yieldsBody          // it lets others run
	waitsBody           // it waits until the canceller has done its part
)

func bodyKindOf(rng *rand.Rand) bodyKind {
	switch rng.IntN(16) {
	case 0:
		return waitsBody
	case 1, 2:
		return yieldsBody
	}
	return shortBody
}

func (fx *runFixture) prepare(rounds int) {
	fx.rounds = make([]runRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		r.how, r.kind = fx.rng.IntN(4), bodyKindOf(fx.rng)
		r.task = future.NewTask(r.body)
		r.plan.Host = r
		(*cell.Core[uint64])(r.task.Future()).Cell().Plan = &r.plan
	}
}

func (r *runRound) body(ctx context.Context) (uint64, error) {
	r.begun = true
	switch r.kind {
	case yieldsBody:
		runtime.Gosched()
	case waitsBody:
		spin(64, r.done.Load)
		r.cause = context.Cause(ctx)
	}
	return 7, nil
}

func (fx *runFixture) acts() []act { return []act{fx.run, fx.cancel} }

func (fx *runFixture) run(_ *actor, i int) { fx.rounds[i].task.Run(context.Background()) }

func (fx *runFixture) cancel(_ *actor, i int) {
	r := &fx.rounds[i]
	r.cancelled = cancelBy(r.how, r.task.Future())
	r.done.Store(true)
}

func (fx *runFixture) outcome(i int) string {
	r := &fx.rounds[i]
	result, settled := r.task.Future().Poll()
	switch {
	case r.cancelled != r.told:
		return hostNotTold
	case r.cancelled && !r.inRun && r.begun:
		return cancelledYetBegun
	case r.inRun && !r.begun:
		return runWithoutBody
	case !r.cancelled && !r.begun:
		return neverRan
	case !settled, !over(r.task.Future()), r.cancelled && !isCancelled(r.how, result.Err),
		!r.cancelled && result != future.Result[uint64]{Value: 7}:
		return anotherOutcome
	case r.begun && r.kind == waitsBody && r.cause != causeOf(r.how):
		return notInterrupted
	case r.inRun:
		return cancelledInRun
	case r.cancelled:
		return cancelledEarly
	}
	return ran
}

// causeOf returns why the context of a run has ended that was cancelled so.
func causeOf(how int) error {
	return [...]error{nil, errLitmus, future.ErrCancelled, future.ErrCancelled}[how]
}

func (fx *runFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("begun %v, cancelled %v in way %d, host told %v, in run %v; "+
		"cause %v of body %d; now %v",
		r.begun, r.cancelled, r.how, r.told, r.inRun, r.cause, r.kind, r.task.Future())
}

func (fx *runFixture) finish() error { return nil }

// The round is the host of its task.

func (r *runRound) Cancelled(_ *cell.Cell, running bool) (tell func()) {
	r.told, r.inRun = true, running
	return nil
}
func (r *runRound) Expired(*cell.Cell)          {}
func (r *runRound) Subject(*cell.Cell) string   { return "" }
func (r *runRound) Behind(_, _ *cell.Cell) bool { return false }
func (r *runRound) SelfWait(*cell.Cell) bool    { return false }

func (r *runRound) Await(context.Context, *cell.Cell) (over func())              { return nil }
func (r *runRound) AwaitAny(context.Context, iter.Seq[*cell.Cell]) (over func()) { return nil }
