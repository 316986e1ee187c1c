package litmus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/internal/goid"
)

const (
	itStayed = "the worker stayed"
	itLeft   = "the worker left"

	noneBefore = "no task was before the resize"
	someBefore = "some tasks were before the resize"
	allBefore  = "all tasks were before the resize"

	ranTwice    = "a task has run twice"
	cancelTwice = "two cancellations were told that it was they"
)

// poolPairs are those for which one pool serves a whole batch, of another kind from batch to batch.
// A task that is stranded is found by who waits for it: the round does not end. At the end of the
// batch the accounts of the pool must come out, and no more bodies have run at once than there may
// be.
//
//	submit|keep-alive exit  two submit just when the worker that has run the tasks before leaves.
//	                        Forbidden: a task runs twice, or is stranded
//	resize|take             forbidden: the same, while the pool becomes smaller, and larger again
//	cancel|run in a pool    forbidden: a task that is cancelled before its run has a body that runs
//	                        twice; one that is not cancelled has no result, or does not run; two
//	                        cancellations are told that it was they
func poolPairs() []Pair {
	return []Pair{
		{
			Name:     "submit|keep-alive exit",
			Outcomes: grades([]string{itStayed, itLeft}, []string{ranTwice}),
			batch:    64, maxPause: 11,
			newFixture: func(rng *rand.Rand) fixture {
				return &exitFixture{poolFixture: poolFixture{rng: rng}}
			},
		},
		{
			Name:     "resize|take",
			Outcomes: grades([]string{noneBefore, someBefore, allBefore}, []string{ranTwice}),
			batch:    64, maxPause: 10,
			newFixture: func(rng *rand.Rand) fixture {
				return &resizeFixture{poolFixture: poolFixture{rng: rng}}
			},
		},
		{
			Name: "cancel|run in a pool",
			Outcomes: grades([]string{ran, cancelledEarly, cancelledInRun},
				[]string{ranTwice, cancelTwice, neverRan, anotherOutcome}),
			batch: 64, maxPause: 9,
			newFixture: func(rng *rand.Rand) fixture {
				return &cancelFixture{poolFixture: poolFixture{rng: rng}}
			},
		},
	}
}

// atOnce is the maximum size of all pools here.
const atOnce = 3

// poolKinds are how a pool may queue.
const poolKinds = 5

// newPool makes a pool of the given kind. None starts more than atOnce workers.
func newPool(kind, core int, opts ...executor.Option) *executor.Pool {
	switch kind {
	case 1:
		opts = append(opts, executor.Queue(queue.Bounded(1)), executor.MaximumSize(atOnce))
	case 2:
		opts = append(opts, executor.Queue(queue.HandOff()), executor.MaximumSize(atOnce))
	case 3:
		opts = append(opts, executor.Queue(queue.Priority()))
	case 4:
		return &executor.NewScheduledPool(core, opts...).Pool
	}
	return executor.NewPool(core, opts...)
}

func kindName(kind int) string {
	return [poolKinds]string{"inbox", "bounded", "hand-off", "priority", "scheduled"}[kind]
}

// poolFixture is what fixtures with one pool for a batch share: the pool, and what it should count.
type poolFixture struct {
	rng  *rand.Rand
	kind int
	pool *executor.Pool

	accepted, refused, cancelled atomic.Uint64 // as told
	begun, ended                 atomic.Uint64 // bodies
	mostAtOnce                   atomic.Int64  // the most bodies there were at once
}

func (fx *poolFixture) open(core int, opts ...executor.Option) {
	fx.kind = (fx.kind + 1) % poolKinds
	fx.pool = newPool(fx.kind, core, opts...)
	for _, n := range []*atomic.Uint64{&fx.accepted, &fx.refused, &fx.cancelled, &fx.begun,
		&fx.ended} {
		n.Store(0)
	}
	fx.mostAtOnce.Store(0)
}

// submit gives the pool a task, with or without a future, and asks again for as long as there is no
// room.
func (fx *poolFixture) submit(a *actor, task executor.Task) {
	how := func(task executor.Task) error { return fx.pool.Execute(task) }
	if a.oneIn(2) {
		how = func(task executor.Task) error { _, err := fx.pool.Submit(task); return err }
	}
	a.spinUntil(func() bool { return fx.noteSubmitted(how(task)) })
}

// noteSubmitted notes the answer to a submission.
func (fx *poolFixture) noteSubmitted(err error) bool {
	if errors.Is(err, executor.ErrSaturated) && (fx.kind == 1 || fx.kind == 2) {
		fx.refused.Add(1)
		return false
	}
	if err != nil {
		panic(err)
	}
	fx.accepted.Add(1)
	return true
}

// runBody is around the body of every task.
func (fx *poolFixture) runBody(body func()) {
	begun := fx.begun.Add(1)
	now := int64(begun - fx.ended.Load())
	for most := fx.mostAtOnce.Load(); now > most &&
		!fx.mostAtOnce.CompareAndSwap(most, now); most = fx.mostAtOnce.Load() {
	}
	body()
	fx.ended.Add(1)
}

// finish ends the pool and compares what it says with what everybody else knows.
func (fx *poolFixture) finish() error {
	fx.pool.Shutdown()
	<-fx.pool.Terminated()
	s := fx.pool.Stats()
	var b accounts
	b.expect("accepted", s.Accepted, fx.accepted.Load())
	b.expect("rejected", s.Rejected, fx.refused.Load())
	b.expect("cancelled", s.Cancelled, fx.cancelled.Load())
	b.expect("runs", s.Runs, fx.begun.Load())
	b.expect("returned", s.Returned, 0)
	b.expect("ended", s.Completed+s.Cancelled, s.Accepted)
	b.expect("left over", uint64(s.Workers+s.Queued+s.Busy), 0)
	b.expect("more at once than there may be",
		uint64(max(fx.mostAtOnce.Load(), int64(s.Largest), atOnce)), atOnce)
	return b.err(kindName(fx.kind))
}

// accounts collects numbers that are not as expected.
type accounts []string

func (b *accounts) expect(what string, got, want uint64) {
	if got != want {
		*b = append(*b, fmt.Sprintf("%s: %d, not %d", what, got, want))
	}
}

func (b accounts) err(of string) error {
	if len(b) == 0 {
		return nil
	}
	return errors.New(of + ": " + strings.Join(b, "; "))
}

// randomDelay is a time for timers: nothing, or up to 1<<bits nanoseconds, each order of magnitude
// as often as any.
func randomDelay(rng *rand.Rand, bits int) time.Duration {
	return time.Duration(rng.IntN(1 << rng.IntN(bits+1)))
}

// yielding makes one body in four let others run.
func yielding(rng *rand.Rand) bool { return rng.IntN(4) == 0 }

// exitFixture races two submissions with the exit of the only worker, whose keep-alive time is
// short.
type exitFixture struct {
	poolFixture
	rounds []exitRound
	last   uint64 // who has run the first task of the round before
}

type exitRound struct {
	runs      [2]atomic.Int32
	goroutine uint64 // that has run the first task
}

func (fx *exitFixture) prepare(rounds int) {
	keepAlive := randomDelay(fx.rng, 14)
	if fx.rng.IntN(2) == 0 {
		fx.open(0, executor.KeepAlive(keepAlive))
	} else {
		fx.open(1, executor.CoreTimeout(), executor.KeepAlive(1+keepAlive))
	}
	fx.rounds = make([]exitRound, rounds)
	fx.last = 0
}

func (fx *exitFixture) acts() []act {
	return []act{
		func(a *actor, i int) { fx.submitOne(a, &fx.rounds[i], 0) },
		func(a *actor, i int) { fx.submitOne(a, &fx.rounds[i], 1) },
	}
}

// submitOne submits a task and waits until it has run.
func (fx *exitFixture) submitOne(a *actor, r *exitRound, who int) {
	fx.submit(a, func(context.Context) error {
		fx.runBody(func() {
			if who == 0 { // it takes a while to tell
				r.goroutine = goid.Number()
			}
			r.runs[who].Add(1)
		})
		return nil
	})
	a.spinUntil(func() bool { return r.runs[who].Load() > 0 })
}

func (fx *exitFixture) outcome(i int) string {
	r := &fx.rounds[i]
	before := fx.last
	fx.last = r.goroutine
	switch {
	case r.runs[0].Load() != 1, r.runs[1].Load() != 1:
		return ranTwice
	case fx.last == before:
		return itStayed
	}
	return itLeft
}

func (fx *exitFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%s: %d and %d runs", kindName(fx.kind), r.runs[0].Load(), r.runs[1].Load())
}

// resizeFixture races changes of the sizes with submissions and the workers that take them.
type resizeFixture struct {
	poolFixture
	rounds []resizeRound
}

type resizeRound struct {
	runs   [3]atomic.Int32
	ran    atomic.Int32 // of the three
	before int32        // when the pool had been made smaller
}

func (fx *resizeFixture) prepare(rounds int) {
	fx.open(2, executor.KeepAlive(randomDelay(fx.rng, 16)))
	fx.rounds = make([]resizeRound, rounds)
}

func (fx *resizeFixture) acts() []act { return []act{fx.submitAll, fx.resize} }

// resize makes the pool smaller and, in one of two rounds, larger again.
func (fx *resizeFixture) resize(a *actor, i int) {
	r := &fx.rounds[i]
	errs := []error{fx.pool.SetCoreSize(a.rng.IntN(2)), fx.pool.SetMaximumSize(1)}
	r.before = r.ran.Load()
	if a.oneIn(2) {
		a.pause()
		errs = append(errs, fx.pool.SetMaximumSize(2), fx.pool.SetCoreSize(2))
	}
	if err := errors.Join(errs...); err != nil {
		panic(err)
	}
}

// submitAll submits three tasks and waits until they have run.
func (fx *resizeFixture) submitAll(a *actor, i int) {
	r := &fx.rounds[i]
	for k := range r.runs {
		yields := yielding(a.rng)
		fx.submit(a, func(context.Context) error {
			fx.runBody(func() {
				if yields {
					runtime.Gosched()
				}
				r.runs[k].Add(1)
				r.ran.Add(1)
			})
			return nil
		})
		if k == 0 {
			a.pause()
		}
	}
	a.spinUntil(func() bool { return r.ran.Load() >= 3 })
}

func (fx *resizeFixture) outcome(i int) string {
	r := &fx.rounds[i]
	for k := range r.runs {
		if r.runs[k].Load() != 1 {
			return ranTwice
		}
	}
	switch r.before {
	case 0:
		return noneBefore
	case 3:
		return allBefore
	}
	return someBefore
}

func (fx *resizeFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%s: %d, %d and %d runs, %d of them before", kindName(fx.kind),
		r.runs[0].Load(), r.runs[1].Load(), r.runs[2].Load(), r.before)
}
