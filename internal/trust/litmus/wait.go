package litmus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

const (
	askedInRun    = "asked in the run"
	askedAfter    = "asked after the run"
	neverEnds     = "the context does not end"
	revived       = "the context has ended, and has not"
	helpFirst     = "what is waited for ended first"
	waitFirst     = "the wait ended first"
	twoAtOnce     = "two bodies at once"
	waitGoesOn    = "the resize was during the wait"
	waitIsOver    = "the wait was over by the resize"
	anotherResult = "the wait has another result"
)

// waitPairs are those of contexts of runs, and of runs that wait for others. One that waits for
// ever is found by its round, which does not end.
//
//	context|end of run  somebody asks the context of a task for Err, Done, or another derived from
//	                    it, as its run ends, on a worker that has another task next. Forbidden: a
//	                    context that has not ended after its run, or has, and then has not
//	wait's end|help's   on a confined pool the wait of a run ends by its context, or as its helper
//	                    ends. Forbidden: two bodies at once
//	resize|wait         the pool becomes smaller, and larger again, as a run waits for another.
//	                    Forbidden: the other runs twice, or the wait has another result
//	cancel|help         a task is cancelled as somebody waits for it in a run. Forbidden: it runs
//	                    twice; it does not run though it was not cancelled
func waitPairs() []Pair {
	return []Pair{
		{
			Name:     "context|end of run",
			Outcomes: grades([]string{askedInRun, askedAfter}, []string{neverEnds, revived}),
			batch:    128, maxPause: 8,
			newFixture: func(rng *rand.Rand) fixture {
				return &contextFixture{poolFixture: poolFixture{rng: rng}}
			},
		},
		{
			Name:     "wait's end|help's",
			Outcomes: grades([]string{helpFirst, waitFirst}, []string{twoAtOnce}),
			batch:    64, maxPause: 12,
			newFixture: func(rng *rand.Rand) fixture { return &waitEndFixture{rng: rng} },
		},
		{
			Name:     "resize|wait",
			Outcomes: grades([]string{waitGoesOn, waitIsOver}, []string{ranTwice, anotherResult}),
			batch:    64, maxPause: 11,
			newFixture: func(rng *rand.Rand) fixture { return &waitResizeFixture{rng: rng} },
		},
		{
			Name: "cancel|help",
			Outcomes: grades([]string{ran, cancelledEarly, cancelledInRun},
				[]string{ranTwice, neverRan, anotherResult}),
			batch: 64, maxPause: 11,
			newFixture: func(rng *rand.Rand) fixture { return &helpFixture{rng: rng} },
		},
	}
}

// contextFixture races the end of a run with somebody who asks its context.
type contextFixture struct {
	poolFixture
	rounds []contextRound
}

type contextRound struct {
	ctx     atomic.Pointer[context.Context]
	over    atomic.Bool
	how     int
	before  error           // of the first question; the asker's
	after   error           // of the second
	derived context.Context // the asker's
	cancel  context.CancelFunc
}

func (fx *contextFixture) prepare(rounds int) {
	fx.open(1)
	fx.rounds = make([]contextRound, rounds)
	for i := range fx.rounds {
		fx.rounds[i].how = fx.rng.IntN(4)
	}
}

func (fx *contextFixture) acts() []act { return []act{fx.submitOne, fx.askContext} }

func (fx *contextFixture) submitOne(a *actor, i int) {
	r := &fx.rounds[i]
	steps, yields := a.rng.IntN(1<<a.rng.IntN(14)), yielding(a.rng)
	fx.submit(a, func(ctx context.Context) error {
		fx.runBody(func() {
			r.ctx.Store(&ctx)
			if yields {
				runtime.Gosched()
			}
			for range steps {
				r.over.Load()
			}
			r.over.Store(true)
		})
		return nil
	})
	a.spinUntil(r.over.Load)
}

func (fx *contextFixture) askContext(a *actor, i int) {
	r := &fx.rounds[i]
	a.spinUntil(func() bool { return r.ctx.Load() != nil })
	a.pause()
	ctx := *r.ctx.Load()
	switch r.how {
	case 0:
		select {
		case <-ctx.Done():
		default:
		}
	case 1:
		r.derived, r.cancel = context.WithCancel(ctx)
	}
	r.before = ctx.Err()
	r.after = ctx.Err()
}

func (fx *contextFixture) outcome(i int) string {
	r := &fx.rounds[i]
	ctx := *r.ctx.Load()
	// or the round does not end: a worker may be held up
	spin(64, func() bool { return ctx.Err() != nil })
	if r.derived != nil {
		<-r.derived.Done() // or the round does not end
		r.cancel()
	}
	select {
	case <-ctx.Done():
	default:
		return neverEnds
	}
	switch {
	case r.before != nil && r.after == nil:
		return revived
	case r.before == nil:
		return askedInRun
	}
	return askedAfter
}

func (fx *contextFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%s: asked in way %d: %v, then %v; now %v", kindName(fx.kind), r.how,
		r.before, r.after, (*r.ctx.Load()).Err())
}

// waitRound is a round in which a run of a pool waits for a task that it has submitted.
type waitRound struct {
	child    atomic.Pointer[future.Future[struct{}]]
	waitOver atomic.Bool
	runs     atomic.Int32
	err      error // of the wait; the run's
}

// wait has p run a task that waits for another with ctx, and returns when it has.
func (r *waitRound) wait(a *actor, p *executor.Pool, ctx context.Context, around func(wait func()),
	body func()) {
	f, err := p.Submit(func(context.Context) error {
		child, err := p.Submit(func(context.Context) error {
			r.runs.Add(1)
			body()
			return nil
		})
		r.child.Store(child)
		around(func() { _, r.err = child.Get(ctx) })
		r.waitOver.Store(true)
		return err
	})
	if err != nil {
		panic(err)
	}
	<-f.Stopped()
	<-r.child.Load().Stopped()
}

// waitEndFixture races the end of a wait with that of the helper, on a pool of one.
type waitEndFixture struct {
	rng    *rand.Rand
	pool   *executor.Pool
	inside int // bodies that are active; written without a lock
	rounds []waitEndRound
}

type waitEndRound struct {
	waitRound
	ctx    context.Context
	cancel context.CancelFunc
	two    atomic.Bool
}

func (fx *waitEndFixture) prepare(rounds int) {
	if fx.pool = executor.NewPool(1, executor.Confined()); fx.rng.IntN(2) == 0 {
		fx.pool = &executor.NewScheduledPool(1, executor.Confined()).Pool
	}
	fx.rounds = make([]waitEndRound, rounds)
	for i := range fx.rounds {
		fx.rounds[i].ctx, fx.rounds[i].cancel = context.WithCancel(context.Background())
	}
}

func (fx *waitEndFixture) acts() []act { return []act{fx.wait, fx.cancel} }

func (fx *waitEndFixture) enter(r *waitEndRound) {
	if fx.inside++; fx.inside != 1 {
		r.two.Store(true)
	}
}

func (fx *waitEndFixture) wait(a *actor, i int) {
	r := &fx.rounds[i]
	steps := a.rng.IntN(1 << a.rng.IntN(11))
	around := func(wait func()) {
		_ = fx.pool.Execute(func(context.Context) error { fx.enter(r); fx.inside--; return nil })
		wait()
		fx.enter(r)
		runtime.Gosched()
		fx.inside--
	}
	r.wait(a, fx.pool, r.ctx, around, func() {
		fx.enter(r)
		for range steps {
			r.waitOver.Load()
		}
		fx.inside--
	})
}

func (fx *waitEndFixture) cancel(a *actor, i int) {
	r := &fx.rounds[i]
	a.spinUntil(func() bool { return r.child.Load() != nil })
	a.pause()
	r.cancel()
}

func (fx *waitEndFixture) outcome(i int) string {
	switch r := &fx.rounds[i]; {
	case r.two.Load():
		return twoAtOnce
	case r.err == nil:
		return helpFirst
	}
	return waitFirst
}

func (fx *waitEndFixture) describe(i int) string {
	return fmt.Sprintf("the wait ended by %v", fx.rounds[i].err)
}
func (fx *waitEndFixture) finish() error { return fx.pool.Close() }

// waitResizeFixture races a wait with changes of the size.
type waitResizeFixture struct {
	rng    *rand.Rand
	pool   *executor.Pool
	rounds []waitResizeRound
}

type waitResizeRound struct {
	waitRound
	before bool // the wait was over when the size had changed; the resizer's
}

func (fx *waitResizeFixture) prepare(rounds int) {
	if fx.pool = executor.NewPool(2); fx.rng.IntN(2) == 0 {
		fx.pool = &executor.NewScheduledPool(2).Pool
	}
	fx.rounds = make([]waitResizeRound, rounds)
}

func (fx *waitResizeFixture) acts() []act { return []act{fx.wait, fx.resize} }

func (fx *waitResizeFixture) wait(a *actor, i int) {
	r := &fx.rounds[i]
	pause := a.rng.IntN(1 << a.rng.IntN(10))
	r.waitRound.wait(a, fx.pool, context.Background(), func(wait func()) {
		for range pause {
			r.waitOver.Load()
		}
		wait()
	}, func() {})
}

func (fx *waitResizeFixture) resize(a *actor, i int) {
	r := &fx.rounds[i]
	if a.oneIn(2) {
		a.spinUntil(func() bool { return r.child.Load() != nil })
	}
	a.pause()
	err := fx.pool.SetCoreSize(1)
	r.before = r.waitOver.Load()
	a.pause()
	if err = errors.Join(err, fx.pool.SetCoreSize(2)); err != nil {
		panic(err)
	}
}

func (fx *waitResizeFixture) outcome(i int) string {
	switch r := &fx.rounds[i]; {
	case r.runs.Load() != 1:
		return ranTwice
	case r.err != nil:
		return anotherResult
	case r.before:
		return waitIsOver
	}
	return waitGoesOn
}

func (fx *waitResizeFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%d runs, the wait ended by %v", r.runs.Load(), r.err)
}

func (fx *waitResizeFixture) finish() error { return fx.pool.Close() }

// helpFixture races the cancellation of a task with the helper of who waits for it.
type helpFixture struct {
	rng    *rand.Rand
	pool   *executor.Pool
	rounds []helpRound
}

type helpRound struct {
	waitRound
	wins bool // what the canceller has been told
}

func (fx *helpFixture) prepare(rounds int) {
	fx.pool = newPool([]int{0, 3, 4}[fx.rng.IntN(3)], 1)
	fx.rounds = make([]helpRound, rounds)
}

func (fx *helpFixture) acts() []act { return []act{fx.help, fx.cancel} }

func (fx *helpFixture) help(a *actor, i int) {
	r := &fx.rounds[i]
	pause, yields := a.rng.IntN(1<<a.rng.IntN(10)), yielding(a.rng)
	r.wait(a, fx.pool, context.Background(), func(wait func()) {
		for range pause {
			r.waitOver.Load()
		}
		wait()
	}, func() {
		if yields {
			runtime.Gosched()
		}
	})
}

func (fx *helpFixture) cancel(a *actor, i int) {
	r := &fx.rounds[i]
	a.spinUntil(func() bool { return r.child.Load() != nil })
	a.pause()
	r.wins = r.child.Load().Cancel()
}

func (fx *helpFixture) outcome(i int) string {
	r := &fx.rounds[i]
	runs := r.runs.Load()
	switch {
	case runs > 1:
		return ranTwice
	case r.wins != errors.Is(r.err, future.ErrCancelled), !r.wins && r.err != nil:
		return anotherResult
	case r.wins:
		return []string{cancelledEarly, cancelledInRun}[runs]
	case runs == 0:
		return neverRan
	}
	return ran
}

func (fx *helpFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%d runs, cancelled %v, the wait ended by %v", r.runs.Load(), r.wins, r.err)
}

func (fx *helpFixture) finish() error { return fx.pool.Close() }
