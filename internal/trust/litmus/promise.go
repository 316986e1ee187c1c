package litmus

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/future"
)

const (
	getBefore  = "Get came before the value"
	getAfter   = "Get came after the value"
	timedOut   = "the time was over before the value"
	getWrong   = "Get has another outcome"
	getStale   = "Get does not see what came before the value"
	notSettled = "the value is lost"

	completed      = "completed"
	cancelled      = "cancelled"
	bothWon        = "completed and cancelled"
	neitherWon     = "neither completed nor cancelled"
	anotherOutcome = "the future says otherwise"
)

// promisePairs are those of a future that somebody completes.
//
//	complete|Get        forbidden: Get returns a zero, torn or other value, or another error than
//	                    that of the promise; it does not see what was written before; it does not
//	                    return
//	complete|timed Get  forbidden: the same, with a timeout as the one error that may be; or the
//	                    value is lost after one
//	cancel|complete     forbidden: both are told that it was they; neither is; the future says
//	                    otherwise
func promisePairs() []Pair {
	get := func(name string, timed bool, acceptable ...string) Pair {
		return Pair{
			Name:     name,
			Outcomes: grades(acceptable, []string{getWrong, getStale, notSettled}),
			batch:    256, maxPause: 7,
			newFixture: func(rng *rand.Rand) fixture { return &getFixture{rng: rng, timed: timed} },
		}
	}
	return []Pair{
		get("complete|Get", false, getBefore, getAfter),
		get("complete|timed Get", true, getBefore, getAfter, timedOut),
		{
			Name: "cancel|complete",
			Outcomes: grades([]string{completed, cancelled},
				[]string{bothWon, neitherWon, anotherOutcome}),
			batch: 256, maxPause: 5,
			newFixture: func(rng *rand.Rand) fixture { return &settleFixture{rng: rng} },
		},
	}
}

// twin is a value of two halves, of which a torn one shows.
type twin struct{ a, b uint64 }

func newTwin(n uint64) twin { return twin{n, ^n} }

var errLitmus = errors.New("litmus")

// getFixture races Complete or Fail with Get or GetTimeout.
type getFixture struct {
	rng    *rand.Rand
	timed  bool
	rounds []getRound
}

type getRound struct {
	promise future.Promise[twin]
	want    twin
	fails   bool
	watches bool // the waiter looks all the time, for a while, so as to be there at once
	limit   time.Duration
	note    uint64 // written before the promise is kept, without any synchronization

	won bool // the completer's

	// The waiter's.
	before bool
	got    twin
	err    error
	noted  uint64
}

func (fx *getFixture) prepare(rounds int) {
	fx.rounds = make([]getRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		r.want = newTwin(fx.rng.Uint64() | 1)
		r.fails, r.watches = fx.rng.IntN(8) == 0, fx.rng.IntN(4) == 0
		if fx.rng.IntN(4) > 0 {
			r.limit = time.Duration(fx.rng.IntN(1 << fx.rng.IntN(13)))
		}
	}
}

func (fx *getFixture) acts() []act { return []act{fx.wait, fx.complete} }

func (fx *getFixture) complete(_ *actor, i int) {
	r := &fx.rounds[i]
	r.note = r.want.a
	if r.fails {
		r.won = r.promise.Fail(errLitmus)
	} else {
		r.won = r.promise.Complete(r.want)
	}
}

func (fx *getFixture) wait(_ *actor, i int) {
	r := &fx.rounds[i]
	f := r.promise.Future()
	r.before = !f.State().Settled()
	for looks := 0; r.watches && looks < 500 && !f.State().Settled(); {
		looks++
	}
	if fx.timed {
		r.got, r.err = f.GetTimeout(r.limit)
	} else {
		r.got, r.err = f.Get(nil)
	}
	if !errors.Is(r.err, future.ErrTimeout) {
		r.noted = r.note
	}
}

func (fx *getFixture) outcome(i int) string {
	r := &fx.rounds[i]
	switch final, settled := r.promise.Future().Poll(); {
	case !settled, !r.won, !r.is(final.Value, final.Err):
		return notSettled
	case fx.timed && errors.Is(r.err, future.ErrTimeout) && r.got == twin{}:
		return timedOut
	case !r.is(r.got, r.err):
		return getWrong
	case r.noted != r.want.a:
		return getStale
	case r.before:
		return getBefore
	}
	return getAfter
}

// is reports whether that is the outcome the promise was given.
func (r *getRound) is(v twin, err error) bool {
	if r.fails {
		return err == errLitmus && v == twin{}
	}
	return err == nil && v == r.want
}

func (fx *getFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%v, %v with limit %v, seen %#x; given %v, fails %v, told %v; now %v",
		r.got, r.err, r.limit, r.noted, r.want, r.fails, r.won, r.promise.Future())
}

func (fx *getFixture) finish() error { return nil }

// settleFixture races Complete or Fail with Cancel, CancelCause or Stop.
type settleFixture struct {
	rng    *rand.Rand
	rounds []settleRound
}

type settleRound struct {
	promise future.Promise[twin]
	want    twin
	fails   bool
	how     int

	completed bool // the completer's
	cancelled bool // the canceller's
}

func (fx *settleFixture) prepare(rounds int) {
	fx.rounds = make([]settleRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		x := fx.rng.Uint64()
		r.want, r.fails, r.how = newTwin(x|1), x>>60 == 0, int(x>>32%4)
	}
}

func (fx *settleFixture) acts() []act { return []act{fx.complete, fx.cancel} }

func (fx *settleFixture) complete(_ *actor, i int) {
	r := &fx.rounds[i]
	if r.fails {
		r.completed = r.promise.Fail(errLitmus)
	} else {
		r.completed = r.promise.Complete(r.want)
	}
}

func (fx *settleFixture) cancel(_ *actor, i int) {
	r := &fx.rounds[i]
	r.cancelled = cancelBy(r.how, r.promise.Future())
}

// cancelBy cancels a future in one of several ways, of which most are Cancel.
func cancelBy[V any](how int, f *future.Future[V]) bool {
	switch how {
	case 0:
		return f.Stop()
	case 1:
		return f.CancelCause(errLitmus)
	}
	return f.Cancel()
}

func (fx *settleFixture) outcome(i int) string {
	r := &fx.rounds[i]
	result, settled := r.promise.Future().Poll()
	switch {
	case r.completed && r.cancelled:
		return bothWon
	case !r.completed && !r.cancelled:
		return neitherWon
	case !settled, r.completed && !r.is(result), r.cancelled && !isCancelled(r.how, result.Err),
		!over(r.promise.Future()):
		return anotherOutcome
	case r.completed:
		return completed
	}
	return cancelled
}

func (r *settleRound) is(result future.Result[twin]) bool {
	if r.fails {
		return result == future.Result[twin]{Err: errLitmus}
	}
	return result == future.Result[twin]{Value: r.want}
}

// isCancelled reports whether err is that of a future that has been cancelled so.
func isCancelled(how int, err error) bool {
	if how == 1 {
		return errors.Is(err, future.ErrCancelled) && errors.Is(err, errLitmus)
	}
	return err == future.ErrCancelled
}

// over reports whether no body is in progress any more.
func over[V any](f *future.Future[V]) bool {
	select {
	case <-f.Stopped():
		return true
	default:
		return false
	}
}

func (fx *settleFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("completed %v, cancelled %v in way %d; given %v, fails %v; now %v",
		r.completed, r.cancelled, r.how, r.want, r.fails, r.promise.Future())
}

func (fx *settleFixture) finish() error { return nil }
