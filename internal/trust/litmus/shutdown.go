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
	bothRefused = "both refused"
	oneRefused  = "one refused"
	bothRun     = "both run"

	handedBack = "handed back"
	allRun     = "all that was accepted has run"
	allRefused = "all refused"

	wrongAccounts = "the accounts of the pool do not come out"
)

// closingPairs are those of the end of a pool, which is new in every round, and half of the time
// has a worker.
//
//	submit|close        Shutdown or Close. Forbidden: a task is accepted and neither run nor
//	                    settled, or it is refused and run; it runs twice; it is refused for another
//	                    reason than the end; the pool does not end, or counts otherwise than who has
//	                    submitted
//	ShutdownNow|submit  the same; what is accepted may be handed back in place of being run, by
//	                    exactly one count
func closingPairs() []Pair {
	pair := func(name string, now bool, acceptable ...string) Pair {
		return Pair{
			Name: name, Outcomes: grades(acceptable, []string{wrongAccounts}),
			batch: 32, maxPause: 11,
			newFixture: func(rng *rand.Rand) fixture {
				return &shutdownFixture{rng: rng, now: now}
			},
		}
	}
	return []Pair{
		pair("submit|close", false, bothRefused, oneRefused, bothRun),
		pair("ShutdownNow|submit", true, handedBack, allRun, allRefused),
	}
}

// shutdownFixture races two submissions with the end of the pool.
type shutdownFixture struct {
	rng    *rand.Rand
	now    bool // by ShutdownNow
	rounds []shutdownRound
}

type shutdownRound struct {
	kind  int
	pool  *executor.Pool
	tasks [2]shutdownTask
	early bool // the pool has ended before its futures were settled

	returned int // tasks handed back
	err      error
}

type shutdownTask struct {
	bare   bool
	yields bool

	// The submitter's.
	err    error
	future *future.Future[struct{}] // nil for a bare one

	runs atomic.Int32
}

func (fx *shutdownFixture) prepare(rounds int) {
	fx.rounds = make([]shutdownRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		r.kind = fx.rng.IntN(poolKinds)
		r.pool = newPool(r.kind, 1)
		for k := range r.tasks {
			r.tasks[k].bare, r.tasks[k].yields = fx.rng.IntN(2) == 0, yielding(fx.rng)
		}
		if fx.rng.IntN(2) == 0 {
			r.pool.PrestartWorker()
		}
	}
}

func (fx *shutdownFixture) acts() []act { return []act{fx.submit, fx.end} }

func (fx *shutdownFixture) submit(a *actor, i int) {
	r := &fx.rounds[i]
	r.tasks[0].submit(r.pool)
	a.pause()
	r.tasks[1].submit(r.pool)
	if a.oneIn(4) { // who waits for the end finds the futures settled
		<-r.pool.Terminated()
		r.early = r.tasks[0].isPending() || r.tasks[1].isPending()
	}
}

// isPending reports whether the task has been accepted and its future is not settled.
func (k *shutdownTask) isPending() bool { return k.future != nil && !k.future.State().Settled() }

func (k *shutdownTask) submit(p *executor.Pool) {
	body := func(context.Context) error {
		if k.yields {
			runtime.Gosched()
		}
		k.runs.Add(1)
		return nil
	}
	if k.bare {
		k.err = p.Execute(body)
	} else {
		k.future, k.err = p.Submit(body)
	}
}

func (fx *shutdownFixture) end(a *actor, i int) {
	switch r := &fx.rounds[i]; {
	case fx.now:
		r.returned = len(r.pool.ShutdownNow())
	case a.oneIn(4):
		r.err = r.pool.Close()
	default:
		r.pool.Shutdown()
	}
}

func (fx *shutdownFixture) outcome(i int) string {
	r := &fx.rounds[i]
	<-r.pool.Terminated()
	if r.audit() != nil {
		return wrongAccounts
	}
	var accepted, runs int
	for k := range r.tasks {
		if r.tasks[k].err == nil {
			accepted++
		}
		runs += int(r.tasks[k].runs.Load())
	}
	switch {
	case !fx.now:
		return [...]string{bothRefused, oneRefused, bothRun}[runs]
	case r.returned > 0:
		return handedBack
	case accepted == 0:
		return allRefused
	}
	return allRun
}

// audit compares what each party knows with what the pool says, which has terminated.
func (r *shutdownRound) audit() error {
	var b accounts
	var accepted, refused, runs, dropped uint64
	for i := range r.tasks {
		k := &r.tasks[i]
		ran := uint64(k.runs.Load())
		runs += ran
		if k.err != nil {
			refused++
			if !errors.Is(k.err, executor.ErrShutdown) {
				b = append(b, fmt.Sprintf("task %d: %v", i, k.err))
			}
			b.expect("runs of a refused task", ran, 0)
			continue
		}
		accepted++
		if ran == 0 {
			dropped++
		}
		if k.future != nil {
			b.future(i, k.future, ran)
		}
		b.expect("runs of a task above one", max(ran, 1), 1)
	}
	if r.early {
		b = append(b, "a future was not settled at the end of the pool")
	}
	if r.err != nil {
		b = append(b, "Close: "+r.err.Error())
	}
	s := r.pool.Stats()
	b.expect("accepted", s.Accepted, accepted)
	b.expect("rejected", s.Rejected, refused)
	b.expect("runs", s.Runs, runs)
	b.expect("completed", s.Completed, runs)
	b.expect("cancelled", s.Cancelled, 0)
	b.expect("returned", s.Returned, uint64(r.returned))
	b.expect("never run", dropped, s.Returned)
	b.expect("left over", uint64(s.Workers+s.Queued+s.Busy), 0)
	return b.err(kindName(r.kind))
}

// future checks that of an accepted task: a value if it has run, or else the cancellation by the
// end of the pool.
func (b *accounts) future(i int, f *future.Future[struct{}], runs uint64) {
	result, settled := f.Poll()
	switch {
	case !settled:
		*b = append(*b, fmt.Sprintf("the future of task %d is not settled", i))
	case runs > 0 && result.Err != nil, runs == 0 && !isDropped(result.Err):
		*b = append(*b, fmt.Sprintf("%d runs of task %d, and its future says %v", runs, i,
			result.Err))
	}
}

// isDropped reports whether err is that of a task dropped by the end of its pool.
func isDropped(err error) bool {
	return errors.Is(err, executor.ErrShutdown) && errors.Is(err, future.ErrCancelled)
}

func (fx *shutdownFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%v; %+v", r.audit(), r.pool.Stats())
}

// finish looks again for tasks that have run after the end.
func (fx *shutdownFixture) finish() error {
	for i := range fx.rounds {
		if err := fx.rounds[i].audit(); err != nil {
			return fmt.Errorf("some time after the end: %w", err)
		}
	}
	return nil
}
