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

// waitPairs are those of contexts of runs, and of runs that wait for others. One that waits for ever is found by its
// round, which does not end.
//
//	context|end of run  somebody asks the context of a task for Err, Done, or another derived from it, as its run ends, on
//	                    a worker that has another task next. Forbidden: a context that has not ended after its run,
//	                    or has, and then has not
//	wait's end|help's   on a single pool the wait of a run ends by its context, or as its helper ends. Forbidden: two
//	                    bodies at once
//	resize|wait         the pool becomes smaller, and larger again, as a run waits for another. Forbidden: the other
//	                    runs twice, or the wait has another result
//	cancel|help         a task is cancelled as somebody waits for it in a run. Forbidden: it runs twice; it does not run
//	                    though it was not cancelled
func waitPairs() []Pair {
	return []Pair{
		{
			Name:     "context|end of run",
			Outcomes: grades([]string{askedInRun, askedAfter}, []string{neverEnds, revived}),
			batch:    128, reach: 8,
			lay: func(rng *rand.Rand) table { return &askTable{poolTable: poolTable{rng: rng}} },
		},
		{
			Name:     "wait's end|help's",
			Outcomes: grades([]string{helpFirst, waitFirst}, []string{twoAtOnce}),
			batch:    64, reach: 12,
			lay: func(rng *rand.Rand) table { return &lendTable{rng: rng} },
		},
		{
			Name:     "resize|wait",
			Outcomes: grades([]string{waitGoesOn, waitIsOver}, []string{ranTwice, anotherResult}),
			batch:    64, reach: 11,
			lay: func(rng *rand.Rand) table { return &shrinkTable{rng: rng} },
		},
		{
			Name: "cancel|help",
			Outcomes: grades([]string{ran, cancelledEarly, cancelledInRun},
				[]string{ranTwice, neverRan, anotherResult}),
			batch: 64, reach: 11,
			lay: func(rng *rand.Rand) table { return &helpedTable{rng: rng} },
		},
	}
}

// askTable races the end of a run with somebody who asks its context.
type askTable struct {
	poolTable
	rounds []askRound
}

type askRound struct {
	ctx     atomic.Pointer[context.Context]
	over    atomic.Bool
	how     int
	before  error           // of the first question; the asker's
	after   error           // of the second
	derived context.Context // the asker's
	cancel  context.CancelFunc
}

func (t *askTable) set(rounds int) {
	t.open(1)
	t.rounds = make([]askRound, rounds)
	for i := range t.rounds {
		t.rounds[i].how = t.rng.IntN(4)
	}
}

func (t *askTable) acts() []act { return []act{t.runOne, t.ask} }

func (t *askTable) runOne(a *actor, i int) {
	r := &t.rounds[i]
	steps, yields := a.rng.IntN(1<<a.rng.IntN(14)), yielding(a.rng)
	t.submit(a, func(ctx context.Context) error {
		t.run(func() {
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
	a.await(r.over.Load)
}

func (t *askTable) ask(a *actor, i int) {
	r := &t.rounds[i]
	a.await(func() bool { return r.ctx.Load() != nil })
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

func (t *askTable) judge(i int) string {
	r := &t.rounds[i]
	ctx := *r.ctx.Load()
	spin(64, func() bool { return ctx.Err() != nil }) // or the round does not end: a worker may be held up
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

func (t *askTable) tell(i int) string {
	r := &t.rounds[i]
	return fmt.Sprintf("%s: asked in way %d: %v, then %v; now %v", kindName(t.kind), r.how, r.before, r.after, (*r.ctx.Load()).Err())
}

// waiting is a round in which a run of a pool waits for a task that it has submitted.
type waiting struct {
	child atomic.Pointer[future.Future[struct{}]]
	over  atomic.Bool
	runs  atomic.Int32
	err   error // of the wait; the run's
}

// wait has p run a task that waits for another with ctx, and returns when it has.
func (r *waiting) wait(a *actor, p *executor.Pool, ctx context.Context, around func(wait func()), body func()) {
	f, err := p.Submit(func(context.Context) error {
		child, err := p.Submit(func(context.Context) error {
			r.runs.Add(1)
			body()
			return nil
		})
		r.child.Store(child)
		around(func() { _, r.err = child.Get(ctx) })
		r.over.Store(true)
		return err
	})
	if err != nil {
		panic(err)
	}
	<-f.Stopped()
	<-r.child.Load().Stopped()
}

// lendTable races the end of a wait with that of the helper, on a pool of one.
type lendTable struct {
	rng      *rand.Rand
	pool     *executor.Pool
	confined int // bodies that are active; written without a lock
	rounds   []lendRound
}

type lendRound struct {
	waiting
	ctx    context.Context
	cancel context.CancelFunc
	two    atomic.Bool
}

func (t *lendTable) set(rounds int) {
	if t.pool = executor.NewSinglePool(); t.rng.IntN(2) == 0 {
		t.pool = &executor.NewSingleScheduledPool().Pool
	}
	t.rounds = make([]lendRound, rounds)
	for i := range t.rounds {
		t.rounds[i].ctx, t.rounds[i].cancel = context.WithCancel(context.Background())
	}
}

func (t *lendTable) acts() []act { return []act{t.lend, t.cut} }

func (t *lendTable) enter(r *lendRound) {
	if t.confined++; t.confined != 1 {
		r.two.Store(true)
	}
}

func (t *lendTable) lend(a *actor, i int) {
	r := &t.rounds[i]
	steps := a.rng.IntN(1 << a.rng.IntN(11))
	around := func(wait func()) {
		_ = t.pool.Execute(func(context.Context) error { t.enter(r); t.confined--; return nil })
		wait()
		t.enter(r)
		runtime.Gosched()
		t.confined--
	}
	r.wait(a, t.pool, r.ctx, around, func() {
		t.enter(r)
		for range steps {
			r.over.Load()
		}
		t.confined--
	})
}

func (t *lendTable) cut(a *actor, i int) {
	r := &t.rounds[i]
	a.await(func() bool { return r.child.Load() != nil })
	a.pause()
	r.cancel()
}

func (t *lendTable) judge(i int) string {
	switch r := &t.rounds[i]; {
	case r.two.Load():
		return twoAtOnce
	case r.err == nil:
		return helpFirst
	}
	return waitFirst
}

func (t *lendTable) tell(i int) string { return fmt.Sprintf("the wait ended by %v", t.rounds[i].err) }
func (t *lendTable) clear() error      { return t.pool.Close() }

// shrinkTable races a wait with changes of the size.
type shrinkTable struct {
	rng    *rand.Rand
	pool   *executor.Pool
	rounds []shrinkRound
}

type shrinkRound struct {
	waiting
	before bool // the wait was over when the size had changed; the resizer's
}

func (t *shrinkTable) set(rounds int) {
	if t.pool = executor.NewPool(2); t.rng.IntN(2) == 0 {
		t.pool = &executor.NewScheduledPool(2).Pool
	}
	t.rounds = make([]shrinkRound, rounds)
}

func (t *shrinkTable) acts() []act { return []act{t.wait, t.shrink} }

func (t *shrinkTable) wait(a *actor, i int) {
	r := &t.rounds[i]
	pause := a.rng.IntN(1 << a.rng.IntN(10))
	r.waiting.wait(a, t.pool, context.Background(), func(wait func()) {
		for range pause {
			r.over.Load()
		}
		wait()
	}, func() {})
}

func (t *shrinkTable) shrink(a *actor, i int) {
	r := &t.rounds[i]
	if a.oneIn(2) {
		a.await(func() bool { return r.child.Load() != nil })
	}
	a.pause()
	err := t.pool.SetCoreSize(1)
	r.before = r.over.Load()
	a.pause()
	if err = errors.Join(err, t.pool.SetCoreSize(2)); err != nil {
		panic(err)
	}
}

func (t *shrinkTable) judge(i int) string {
	switch r := &t.rounds[i]; {
	case r.runs.Load() != 1:
		return ranTwice
	case r.err != nil:
		return anotherResult
	case r.before:
		return waitIsOver
	}
	return waitGoesOn
}

func (t *shrinkTable) tell(i int) string {
	r := &t.rounds[i]
	return fmt.Sprintf("%d runs, the wait ended by %v", r.runs.Load(), r.err)
}

func (t *shrinkTable) clear() error { return t.pool.Close() }

// helpedTable races the cancellation of a task with the helper of who waits for it.
type helpedTable struct {
	rng    *rand.Rand
	pool   *executor.Pool
	rounds []helpedRound
}

type helpedRound struct {
	waiting
	wins bool // what the canceller has been told
}

func (t *helpedTable) set(rounds int) {
	t.pool = newPool([]int{0, 3, 4}[t.rng.IntN(3)], 1)
	t.rounds = make([]helpedRound, rounds)
}

func (t *helpedTable) acts() []act { return []act{t.help, t.cancel} }

func (t *helpedTable) help(a *actor, i int) {
	r := &t.rounds[i]
	pause, yields := a.rng.IntN(1<<a.rng.IntN(10)), yielding(a.rng)
	r.wait(a, t.pool, context.Background(), func(wait func()) {
		for range pause {
			r.over.Load()
		}
		wait()
	}, func() {
		if yields {
			runtime.Gosched()
		}
	})
}

func (t *helpedTable) cancel(a *actor, i int) {
	r := &t.rounds[i]
	a.await(func() bool { return r.child.Load() != nil })
	a.pause()
	r.wins = r.child.Load().Cancel()
}

func (t *helpedTable) judge(i int) string {
	r := &t.rounds[i]
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

func (t *helpedTable) tell(i int) string {
	r := &t.rounds[i]
	return fmt.Sprintf("%d runs, cancelled %v, the wait ended by %v", r.runs.Load(), r.wins, r.err)
}

func (t *helpedTable) clear() error { return t.pool.Close() }
