package executor_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// The tests of this file race two operations against each other, on a new pool each round, with
// delays of a few nanoseconds to microseconds, and do the accounts when the pool has terminated. Each
// knows the outcomes that are right, and counts them: in a run of litmusEnough rounds on one kind of
// pool each must have been seen, or the race has not been one. A round takes some tens of microseconds;
// there are litmusRounds of each pair, or as many as the environment variable PUNCTUAL_LITMUS says,
// divided among the kinds of pools.
const (
	litmusRounds   = 3000
	litmusEnough   = 10_000
	litmusPatience = 30 * time.Second // for a round, before it counts as hanging
)

// litmusPair is what is raced.
type litmusPair struct {
	core     int
	opts     func() []executor.Option // may differ from round to round
	prepare  func(r *litmusRound)
	acts     [2]func(r *litmusRound)
	outcome  func(r *litmusRound) string
	outcomes []string // the right ones
	refusals []error  // that are right
}

func TestLitmus_SubmitAgainstShutdown(t *testing.T) {
	litmus(t, litmusPair{
		core:    1,
		prepare: (*litmusRound).maybePrestart,
		acts: [2]func(*litmusRound){
			func(r *litmusRound) { r.submit(0); litmusDelay(); r.submit(1) },
			func(r *litmusRound) { r.pool.Shutdown() },
		},
		outcome: func(r *litmusRound) string {
			return []string{"both refused", "one refused", "both run"}[r.count((*litmusTask).hasRun)]
		},
		outcomes: []string{"both refused", "one refused", "both run"},
		refusals: []error{executor.ErrShutdown},
	})
}

func TestLitmus_ShutdownNowAgainstSubmit(t *testing.T) {
	litmus(t, litmusPair{
		core:    1,
		prepare: (*litmusRound).maybePrestart,
		acts: [2]func(*litmusRound){
			func(r *litmusRound) { r.submit(0); litmusDelay(); r.submit(1) },
			func(r *litmusRound) { r.returned = len(r.pool.ShutdownNow()) },
		},
		outcome: func(r *litmusRound) string {
			switch {
			case r.returned > 0:
				return "handed back"
			case r.count((*litmusTask).hasRun) == 2:
				return "run"
			}
			return "refused"
		},
		outcomes: []string{"handed back", "run", "refused"},
		refusals: []error{executor.ErrShutdown},
	})
}

// A task comes when the worker that has run the one before is just leaving.
func TestLitmus_SubmitAgainstTheExitOfTheLastWorker(t *testing.T) {
	pair := litmusPair{
		opts: func() []executor.Option {
			return []executor.Option{executor.KeepAlive(litmusMoment())}
		},
		prepare: func(r *litmusRound) { r.submit(0); r.awaitRuns() },
		acts: [2]func(*litmusRound){
			func(r *litmusRound) { r.submit(1) },
			func(r *litmusRound) { r.submit(2) },
		},
		outcome: func(r *litmusRound) string {
			r.awaitRuns()
			switch r.tasks[0].goroutine {
			case r.tasks[1].goroutine, r.tasks[2].goroutine:
				return "it stayed"
			}
			return "it left"
		},
		outcomes: []string{"it stayed", "it left"},
	}
	t.Run("core size 0", func(t *testing.T) { litmus(t, pair) })
	pair.core = 1
	pair.opts = func() []executor.Option {
		return []executor.Option{executor.CoreTimeout(), executor.KeepAlive(1 + litmusMoment())}
	}
	t.Run("core timeout", func(t *testing.T) { litmus(t, pair) })
}

func TestLitmus_ResizeAgainstTake(t *testing.T) {
	litmus(t, litmusPair{
		core:    2,
		prepare: (*litmusRound).maybePrestart,
		acts: [2]func(*litmusRound){
			(*litmusRound).resize,
			func(r *litmusRound) { r.submit(0); litmusDelay(); r.submit(1); r.submit(2) },
		},
		outcome: func(r *litmusRound) string {
			r.awaitRuns()
			switch r.seen {
			case 0:
				return "no task was before it"
			case 3:
				return "all tasks were before it"
			}
			return "some tasks were before it"
		},
		outcomes: []string{"no task was before it", "some tasks were before it", "all tasks were before it"},
		refusals: []error{executor.ErrSaturated}, // where nothing may wait
	})
}

func TestLitmus_CancelAgainstRun(t *testing.T) {
	litmus(t, litmusPair{
		core:    1,
		prepare: (*litmusRound).maybePrestart,
		acts: [2]func(*litmusRound){
			func(r *litmusRound) { r.submitFuture(0); r.cancel((*future.Future[struct{}]).Cancel) },
			func(r *litmusRound) {
				if rand.IntN(8) == 0 { // otherwise the worker has the processor
					r.cancel((*future.Future[struct{}]).Stop)
				}
			},
		},
		outcome: func(r *litmusRound) string {
			<-r.tasks[0].future.Load().Stopped()
			switch {
			case r.cancelled.Load() == 0:
				return "run"
			case r.tasks[0].hasRun():
				return "cancelled while it ran"
			}
			return "cancelled before it ran"
		},
		outcomes: []string{"run", "cancelled while it ran", "cancelled before it ran"},
	})
}

// litmusKinds are the pools on which all is raced. None is so small that it would refuse a task.
func litmusKinds() map[string]func(core int, opts ...executor.Option) *executor.Pool {
	plain := func(common ...executor.Option) func(core int, opts ...executor.Option) *executor.Pool {
		return func(core int, opts ...executor.Option) *executor.Pool {
			return executor.NewPool(core, append(slices.Clone(common), opts...)...)
		}
	}
	return map[string]func(core int, opts ...executor.Option) *executor.Pool{
		"inbox":    plain(),
		"bounded":  plain(executor.BoundedFIFO(1), executor.MaximumSize(3)),
		"hand-off": plain(executor.HandOff(), executor.MaximumSize(3)),
		"priority": plain(executor.PriorityFIFO()),
		"scheduled": func(core int, opts ...executor.Option) *executor.Pool {
			return &executor.NewScheduledPool(core, opts...).Pool
		},
	}
}

func litmus(t *testing.T, pair litmusPair) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	rounds := litmusRounds
	if n, err := strconv.Atoi(os.Getenv("PUNCTUAL_LITMUS")); err == nil {
		rounds = n
	}
	kinds := litmusKinds()
	for kind, newPool := range kinds {
		t.Run(kind, func(t *testing.T) { litmusRace(t, pair, newPool, rounds/len(kinds)) })
	}
}

func litmusRace(t *testing.T, pair litmusPair, newPool func(int, ...executor.Option) *executor.Pool, rounds int) {
	seen := map[string]int{}
	began := time.Now()
	var pool atomic.Pointer[executor.Pool]
	dog := time.AfterFunc(litmusPatience, func() { litmusHangs(&pool) })
	defer dog.Stop()
	rival := newLitmusRival()
	defer rival.leave()
	for range rounds {
		var opts []executor.Option
		if pair.opts != nil {
			opts = pair.opts()
		}
		r := &litmusRound{pool: newPool(pair.core, opts...)}
		pool.Store(r.pool)
		dog.Reset(litmusPatience)
		if pair.prepare != nil {
			pair.prepare(r)
		}
		rival.race(func() { litmusDelay(); pair.acts[0](r) }, func() { litmusDelay(); pair.acts[1](r) })
		outcome := pair.outcome // before the shutdown, which would wake a worker that has been forgotten
		if len(pair.refusals) > 0 && pair.refusals[0] == executor.ErrShutdown {
			<-r.pool.Terminated()
		}
		seen[outcome(r)]++
		r.pool.Shutdown()
		<-r.pool.Terminated()
		if err := r.audit(pair.refusals); err != nil {
			t.Fatalf("%v\n%+v", err, r.pool.Stats())
		}
	}
	for _, o := range pair.outcomes {
		if rounds >= litmusEnough && seen[o] == 0 {
			t.Errorf("never seen: %s", o)
		}
	}
	t.Logf("%d rounds of %v: %v", rounds, time.Since(began)/time.Duration(max(rounds, 1)), seen)
}

// litmusHangs ends the test binary, as the round would not.
func litmusHangs(pool *atomic.Pointer[executor.Pool]) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	_, _ = os.Stderr.Write(stacks)
	panic("the round does not end: " + pool.Load().String())
}

// litmusDelay lasts between nothing and some microseconds, each order of magnitude as often as any.
// Sometimes it lets others have the processor, of which there may be no more than parties.
func litmusDelay() {
	litmusYield(8)
	var clock atomic.Int32
	for range rand.IntN(1 << rand.IntN(14)) {
		clock.Load()
	}
}

// litmusMoment is a time for timers: nothing, or up to some 65 µs, each order of magnitude as often as any.
func litmusMoment() time.Duration { return time.Duration(rand.IntN(1 << rand.IntN(17))) }

// litmusYield lets others go on, once in a number of times.
func litmusYield(times int) {
	if rand.IntN(times) == 0 {
		runtime.Gosched()
	}
}

// litmusRival is a goroutine that is there, and awake, to do the other half of a race.
type litmusRival struct {
	act         func()
	turns, done atomic.Int64
}

func newLitmusRival() *litmusRival {
	v := new(litmusRival)
	go func() {
		for turn := int64(1); ; turn++ {
			litmusAwait(func() bool { return v.turns.Load() == turn })
			if v.act == nil {
				return
			}
			v.act()
			v.done.Store(turn)
		}
	}()
	return v
}

// race does both at once, and returns when both are done.
func (v *litmusRival) race(mine, its func()) {
	v.act = its
	turn := v.turns.Add(1)
	mine()
	litmusAwait(func() bool { return v.done.Load() == turn })
}

func (v *litmusRival) leave() {
	v.act = nil
	v.turns.Add(1)
}

func litmusAwait(condition func() bool) {
	for i := 1; !condition(); i++ {
		if i%32 == 0 {
			runtime.Gosched()
		}
	}
}
