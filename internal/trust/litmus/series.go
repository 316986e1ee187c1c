package litmus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/shardcount"
)

const (
	fromQueue    = "taken from the queue"
	fromRun      = "handed back in its run"
	startRefused = "refused"
	betweenRuns  = "cancelled between two runs"
	inItsRun     = "cancelled in a run"
	ranAfterEnd  = "a run after the end"
	notAsCounted = "other runs than counted"
	notCancelled = "the cancellation was not told that it was it"
)

// seriesPairs are those of a periodic task, which is queued again after each run.
//
//	periodic re-enqueue|close   ShutdownNow or Close, of a pool of its own. Forbidden: a run after
//	                            the termination; a future that is not settled, or says otherwise;
//	                            other runs than the pool counts; a series that is not handed back
//	                            once, in a run or between two
//	periodic re-enqueue|cancel  Cancel, CancelCause or Stop, many on one pool. Forbidden: a run
//	                            after the series has stopped; a cancellation that is told false;
//	                            other runs than the pool counts
func seriesPairs() []Pair {
	return []Pair{
		{
			Name: "periodic re-enqueue|close",
			Outcomes: grades([]string{fromQueue, fromRun, startRefused},
				[]string{ranAfterEnd, notAsCounted, anotherOutcome}),
			batch: 32, maxPause: 12, maxLead: 1, // a worker that runs a series has the processor
			newFixture: func(rng *rand.Rand) fixture { return &seriesCloseFixture{rng: rng} },
		},
		{
			Name: "periodic re-enqueue|cancel",
			Outcomes: grades([]string{betweenRuns, inItsRun},
				[]string{ranAfterEnd, notAsCounted, anotherOutcome, notCancelled}),
			// what is overdue longest runs first, and is not to starve those to come
			batch: 128, maxPause: 11, maxLead: 1,
			newFixture: func(rng *rand.Rand) fixture { return &seriesCancelFixture{rng: rng} },
		},
	}
}

// periodic is a series with its counts.
type periodic struct {
	period  time.Duration
	rate    bool  // fixed, or else fixed delay
	yields  int32 // one run in so many lets others run
	steps   int   // how long a run takes
	awaited int32 // runs to wait for

	idle    atomic.Uint32 // the runs' own
	future  atomic.Pointer[executor.ScheduledFuture[struct{}]]
	err     error // the starter's
	started atomic.Bool

	runs        atomic.Int32
	ended       atomic.Bool // no run is to begin any more
	ranAfterEnd atomic.Int32
}

func (ps *periodic) set(rng *rand.Rand) {
	ps.period, ps.rate = 1+randomDelay(rng, 12), rng.IntN(2) == 0
	ps.yields, ps.awaited = 1+int32(rng.IntN(4)), int32(rng.IntN(4))
	ps.steps = rng.IntN(1 << rng.IntN(11))
}

// body yields now and then: a worker that is always late never does so itself, and has the lock of
// its pool nearly always, which others get after a millisecond then.
func (ps *periodic) body(context.Context) error {
	if ps.ended.Load() {
		ps.ranAfterEnd.Add(1)
	}
	for range ps.steps {
		ps.idle.Load()
	}
	if ps.runs.Add(1)%ps.yields == 0 {
		runtime.Gosched()
	}
	return nil
}

// start begins the series on p.
func (ps *periodic) start(p *executor.ScheduledPool) {
	how := p.WithFixedDelay
	if ps.rate {
		how = p.AtFixedRate
	}
	f, err := how(0, ps.period, ps.body)
	ps.future.Store(f)
	ps.err = err
	ps.started.Store(true)
}

// awaitRuns waits until the series runs, if it is to be waited for.
func (ps *periodic) awaitRuns(a *actor) {
	a.spinUntil(func() bool { return ps.runs.Load() >= ps.awaited })
	a.pause()
}

func (ps *periodic) String() string {
	return fmt.Sprintf("period %v, %d runs, %d late; error %v; now %v", ps.period, ps.runs.Load(),
		ps.ranAfterEnd.Load(), ps.err, ps.future.Load())
}

// seriesCloseFixture races the runs of a series with the end of its pool.
type seriesCloseFixture struct {
	rng    *rand.Rand
	rounds []seriesCloseRound
}

type seriesCloseRound struct {
	periodic
	pool     *executor.ScheduledPool
	state    future.State // just before, if it had been started
	returned int
	closed   error
}

func (fx *seriesCloseFixture) prepare(rounds int) {
	fx.rounds = make([]seriesCloseRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		r.periodic.set(fx.rng)
		r.pool = executor.NewScheduledPool(1)
		if fx.rng.IntN(2) == 0 {
			r.pool.PrestartWorker()
		}
	}
}

func (fx *seriesCloseFixture) acts() []act { return []act{fx.begin, fx.end} }

func (fx *seriesCloseFixture) begin(_ *actor, i int) { fx.rounds[i].start(fx.rounds[i].pool) }

func (fx *seriesCloseFixture) end(a *actor, i int) {
	r := &fx.rounds[i]
	r.awaitRuns(a)
	if f := r.future.Load(); f != nil {
		r.state = f.State()
	}
	if a.oneIn(2) {
		r.returned = len(r.pool.ShutdownNow())
		return
	}
	report, err := r.pool.CloseContext(context.Background())
	r.returned, r.closed = len(report.Dropped), err
}

func (fx *seriesCloseFixture) outcome(i int) string {
	r := &fx.rounds[i]
	<-r.pool.Terminated()
	r.ended.Store(true)
	s, runs := r.pool.Stats(), uint64(r.runs.Load())
	if r.closed != nil {
		return anotherOutcome
	}
	if r.err != nil {
		if !errors.Is(r.err, executor.ErrShutdown) || s.Accepted+s.Runs+runs != 0 ||
			r.returned > 0 {
			return anotherOutcome
		}
		return startRefused
	}
	f := r.future.Load()
	result, settled := f.Poll()
	switch {
	case r.ranAfterEnd.Load() > 0:
		return ranAfterEnd
	case s.Runs != runs, f.Runs() != runs, s.Accepted != 1, s.Returned != 1, r.returned != 1,
		s.Workers+s.Queued+s.Busy > 0:
		return notAsCounted
	case !settled, !isDropped(result.Err), !over(f.Future):
		return anotherOutcome
	case r.state == future.Running:
		return fromRun
	}
	return fromQueue
}

func (fx *seriesCloseFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%v; %d handed back, closed with %v; %+v", &r.periodic, r.returned, r.closed,
		r.pool.Stats())
}

// finish looks again for runs after the end.
func (fx *seriesCloseFixture) finish() error {
	for i := range fx.rounds {
		if r := &fx.rounds[i]; r.ranAfterEnd.Load() > 0 {
			return fmt.Errorf("round %d: a run after the end: %v", i, &r.periodic)
		}
	}
	return nil
}

// seriesCancelFixture races the runs of a series with its cancellation. All series of a batch have
// one pool.
type seriesCancelFixture struct {
	rng    *rand.Rand
	pool   *executor.ScheduledPool
	rounds []seriesCancelRound
}

type seriesCancelRound struct {
	periodic
	how   int
	state future.State // just before
	told  bool
}

func (fx *seriesCancelFixture) prepare(rounds int) {
	shardcount.Draw(fx.rng.IntN)
	fx.pool = executor.NewScheduledPool(1 + fx.rng.IntN(2))
	fx.rounds = make([]seriesCancelRound, rounds)
	for i := range fx.rounds {
		fx.rounds[i].periodic.set(fx.rng)
		fx.rounds[i].how = fx.rng.IntN(4)
	}
}

func (fx *seriesCancelFixture) acts() []act { return []act{fx.begin, fx.cancel} }

func (fx *seriesCancelFixture) begin(_ *actor, i int) { fx.rounds[i].start(fx.pool) }

// cancel waits until the series has stopped, too: few are to be in the pool at a time.
func (fx *seriesCancelFixture) cancel(a *actor, i int) {
	r := &fx.rounds[i]
	a.spinUntil(r.started.Load)
	r.awaitRuns(a)
	f := r.future.Load()
	r.state = f.State()
	r.told = cancelBy(r.how, f.Future)
	<-f.Stopped()
	r.ended.Store(true)
}

func (fx *seriesCancelFixture) outcome(i int) string {
	r := &fx.rounds[i]
	f := r.future.Load()
	result, settled := f.Poll()
	switch {
	case !r.told:
		return notCancelled
	case r.ranAfterEnd.Load() > 0:
		return ranAfterEnd
	case f.Runs() != uint64(r.runs.Load()):
		return notAsCounted
	case !settled, !isCancelled(r.how, result.Err):
		return anotherOutcome
	case r.state == future.Running:
		return inItsRun
	}
	return betweenRuns
}

func (fx *seriesCancelFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%v; %v before, told %v in way %d", &r.periodic, r.state, r.told, r.how)
}

// finish ends the pool and does its accounts.
func (fx *seriesCancelFixture) finish() error {
	fx.pool.Shutdown()
	<-fx.pool.Terminated()
	var b accounts
	var runs uint64
	for i := range fx.rounds {
		r := &fx.rounds[i]
		runs += uint64(r.runs.Load())
		b.expect("runs after the end", uint64(r.ranAfterEnd.Load()), 0)
	}
	s := fx.pool.Stats()
	b.expect("accepted", s.Accepted, uint64(len(fx.rounds)))
	b.expect("cancelled", s.Cancelled, s.Accepted)
	b.expect("returned", s.Returned, 0)
	b.expect("runs", s.Runs, runs)
	b.expect("left over", uint64(s.Workers+s.Queued+s.Busy), 0)
	return b.err("series")
}
