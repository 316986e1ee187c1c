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
//	periodic re-enqueue|close   ShutdownNow or Close, of a pool of its own. Forbidden: a run after the termination; a future
//	                            that is not settled, or says otherwise; other runs than the pool counts; a series that
//	                            is not handed back once, in a run or between two
//	periodic re-enqueue|cancel  Cancel, CancelCause or Stop, many on one pool. Forbidden: a run after the series has stopped; a
//	                            cancellation that is told false; other runs than the pool counts
func seriesPairs() []Pair {
	return []Pair{
		{
			Name: "periodic re-enqueue|close",
			Outcomes: grades([]string{fromQueue, fromRun, startRefused},
				[]string{ranAfterEnd, notAsCounted, anotherOutcome}),
			batch: 32, reach: 12, apart: 1, // a worker that runs a series has the processor
			lay: func(rng *rand.Rand) table { return &stopTable{rng: rng} },
		},
		{
			Name: "periodic re-enqueue|cancel",
			Outcomes: grades([]string{betweenRuns, inItsRun},
				[]string{ranAfterEnd, notAsCounted, anotherOutcome, notCancelled}),
			batch: 128, reach: 11, apart: 1, // what is overdue longest runs first, and is not to starve those to come
			lay: func(rng *rand.Rand) table { return &repealTable{rng: rng} },
		},
	}
}

// beats is a periodic task and its counts.
type beats struct {
	period time.Duration
	rate   bool  // fixed, or else fixed delay
	yields int32 // one run in so many lets others run
	steps  int   // how long a run takes
	enough int32 // runs to wait for

	idle   atomic.Uint32 // the runs' own
	future atomic.Pointer[executor.ScheduledFuture[struct{}]]
	err    error // the starter's
	known  atomic.Bool

	runs  atomic.Int32
	ended atomic.Bool // no run is to begin any more
	late  atomic.Int32
}

func (b *beats) set(rng *rand.Rand) {
	b.period, b.rate = 1+moment(rng, 12), rng.IntN(2) == 0
	b.yields, b.enough = 1+int32(rng.IntN(4)), int32(rng.IntN(4))
	b.steps = rng.IntN(1 << rng.IntN(11))
}

// body lets others run: a worker that is always late never does so itself, and has the lock of its pool nearly
// always, which others get after a millisecond then.

func (b *beats) body(context.Context) error {
	if b.ended.Load() {
		b.late.Add(1)
	}
	for range b.steps {
		b.idle.Load()
	}
	if b.runs.Add(1)%b.yields == 0 {
		runtime.Gosched()
	}
	return nil
}

// start begins the series on p.
func (b *beats) start(p *executor.ScheduledPool) {
	how := p.WithFixedDelay
	if b.rate {
		how = p.AtFixedRate
	}
	f, err := how(0, b.period, b.body)
	b.future.Store(f)
	b.err = err
	b.known.Store(true)
}

// awaitRuns waits until the series runs, if it is to be waited for.
func (b *beats) awaitRuns(a *actor) {
	a.await(func() bool { return b.runs.Load() >= b.enough })
	a.pause()
}

func (b *beats) String() string {
	return fmt.Sprintf("period %v, %d runs, %d late; error %v; now %v", b.period, b.runs.Load(), b.late.Load(), b.err, b.future.Load())
}

// stopTable races the runs of a series with the end of its pool.
type stopTable struct {
	rng    *rand.Rand
	rounds []stopRound
}

type stopRound struct {
	beats
	pool     *executor.ScheduledPool
	state    future.State // just before, if it had been started
	returned int
	closed   error
}

func (t *stopTable) set(rounds int) {
	t.rounds = make([]stopRound, rounds)
	for i := range t.rounds {
		r := &t.rounds[i]
		r.beats.set(t.rng)
		r.pool = executor.NewScheduledPool(1)
		if t.rng.IntN(2) == 0 {
			r.pool.PrestartWorker()
		}
	}
}

func (t *stopTable) acts() []act { return []act{t.begin, t.end} }

func (t *stopTable) begin(_ *actor, i int) { t.rounds[i].start(t.rounds[i].pool) }

func (t *stopTable) end(a *actor, i int) {
	r := &t.rounds[i]
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

func (t *stopTable) judge(i int) string {
	r := &t.rounds[i]
	<-r.pool.Terminated()
	r.ended.Store(true)
	s, runs := r.pool.Stats(), uint64(r.runs.Load())
	if r.closed != nil {
		return anotherOutcome
	}
	if r.err != nil {
		if !errors.Is(r.err, executor.ErrShutdown) || s.Accepted+s.Runs+runs != 0 || r.returned > 0 {
			return anotherOutcome
		}
		return startRefused
	}
	f := r.future.Load()
	result, settled := f.Poll()
	switch {
	case r.late.Load() > 0:
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

func (t *stopTable) tell(i int) string {
	r := &t.rounds[i]
	return fmt.Sprintf("%v; %d handed back, closed with %v; %+v", &r.beats, r.returned, r.closed, r.pool.Stats())
}

// clear looks again for runs after the end.
func (t *stopTable) clear() error {
	for i := range t.rounds {
		if r := &t.rounds[i]; r.late.Load() > 0 {
			return fmt.Errorf("round %d: a run after the end: %v", i, &r.beats)
		}
	}
	return nil
}

// repealTable races the runs of a series with its cancellation. All series of a batch have one pool.
type repealTable struct {
	rng    *rand.Rand
	pool   *executor.ScheduledPool
	rounds []repealRound
}

type repealRound struct {
	beats
	how   int
	state future.State // just before
	told  bool
}

func (t *repealTable) set(rounds int) {
	t.pool = executor.NewScheduledPool(1 + t.rng.IntN(2))
	t.rounds = make([]repealRound, rounds)
	for i := range t.rounds {
		t.rounds[i].beats.set(t.rng)
		t.rounds[i].how = t.rng.IntN(4)
	}
}

func (t *repealTable) acts() []act { return []act{t.begin, t.cancel} }

func (t *repealTable) begin(_ *actor, i int) { t.rounds[i].start(t.pool) }

// cancel waits until the series has stopped, too: few are to be in the pool at a time.
func (t *repealTable) cancel(a *actor, i int) {
	r := &t.rounds[i]
	a.await(r.known.Load)
	r.awaitRuns(a)
	f := r.future.Load()
	r.state = f.State()
	r.told = cancelBy(r.how, f.Future)
	<-f.Stopped()
	r.ended.Store(true)
}

func (t *repealTable) judge(i int) string {
	r := &t.rounds[i]
	f := r.future.Load()
	result, settled := f.Poll()
	switch {
	case !r.told:
		return notCancelled
	case r.late.Load() > 0:
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

func (t *repealTable) tell(i int) string {
	r := &t.rounds[i]
	return fmt.Sprintf("%v; %v before, told %v in way %d", &r.beats, r.state, r.told, r.how)
}

// clear ends the pool and does its accounts.
func (t *repealTable) clear() error {
	t.pool.Shutdown()
	<-t.pool.Terminated()
	var b books
	var runs uint64
	for i := range t.rounds {
		r := &t.rounds[i]
		runs += uint64(r.runs.Load())
		b.expect("runs after the end", uint64(r.late.Load()), 0)
	}
	s := t.pool.Stats()
	b.expect("accepted", s.Accepted, uint64(len(t.rounds)))
	b.expect("cancelled", s.Cancelled, s.Accepted)
	b.expect("returned", s.Returned, 0)
	b.expect("runs", s.Runs, runs)
	b.expect("left over", uint64(s.Workers+s.Queued+s.Busy), 0)
	return b.balance("series")
}
