package litmus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
)

const (
	putBefore = "put before the take"
	putDuring = "put during the take"

	tookLater = "the later element came first"
	tookEarly = "an element came before its time"
	tookError = "an error came instead of an element"

	impatientTook = "the one who gave up has taken one"
	impatientLeft = "the one who gave up has none"

	tookBeforeClose = "taken before the close"
	leftByClose     = "left by the close"
	refusedByClose  = "put after the close"
	nothingToTake   = "closed without an element"
	lostByClose     = "neither taken, nor left, nor refused"
)

// farDelay is longer than any race.
const farDelay = time.Hour

// laterElement is the element that waits far behind all others.
const laterElement = -1

// takerPairs are those of a delay queue and its takers. That an element is lost, or taken twice, is
// found by the accounts of the batch.
//
//	offer-earlier|leader park  forbidden: who waits for an element that is due in an hour, or for
//	                           any at all, gets the later one first, gets the earlier one before its
//	                           time, or sleeps on: then the round does not end
//	offer|cancelled taker      of two takers one gives up just when an element comes. Forbidden: the
//	                           element is neither taken nor in the queue, is taken twice, or the
//	                           other sleeps on beside it
//	take|close                 forbidden: an element is taken twice, or neither taken nor left nor
//	                           refused; the taker sleeps on; it gets another error than that of the
//	                           close
func takerPairs() []Pair {
	return []Pair{
		{
			Name: "offer-earlier|leader park",
			Outcomes: grades([]string{putBefore, putDuring},
				[]string{tookLater, tookEarly, tookError}),
			batch: 256, maxPause: 9,
			newFixture: func(rng *rand.Rand) fixture { return &offerFixture{rng: rng} },
		},
		{
			Name: "offer|cancelled taker",
			Outcomes: grades([]string{impatientTook, impatientLeft},
				[]string{tookLater, tookError}),
			batch: 256, maxPause: 9,
			newFixture: func(*rand.Rand) fixture { return new(giveUpFixture) },
		},
		{
			Name: "take|close",
			Outcomes: grades([]string{tookBeforeClose, leftByClose, refusedByClose, nothingToTake},
				[]string{tookError, lostByClose, tookLater}),
			batch: 64, maxPause: 9,
			newFixture: func(rng *rand.Rand) fixture { return &closeFixture{rng: rng} },
		},
	}
}

// offerFixture races Put with Take on one queue. Usually there is an element that is due far later,
// so that the taker leads.
type offerFixture struct {
	rng    *rand.Rand
	queue  *delayqueue.Queue[int]
	rounds []offerRound
}

type offerRound struct {
	delay time.Duration // most often 0

	// The offerer's.
	due time.Time // not before; only with a delay
	put atomic.Bool

	// The taker's.
	before bool
	got    int
	err    error
	at     time.Time // only with a delay

	taken int // how often, the judge's
}

func (fx *offerFixture) prepare(rounds int) {
	fx.queue = delayqueue.New[int]()
	if fx.rng.IntN(4) > 0 {
		mustPut(fx.queue, laterElement, farDelay)
	}
	fx.rounds = make([]offerRound, rounds)
	delays := fx.rng.IntN(4) == 0 // they take longer
	for i := range fx.rounds {
		if delays && fx.rng.IntN(4) == 0 {
			fx.rounds[i].delay = time.Duration(1 + fx.rng.IntN(3000))
		}
	}
}

// mustPut is Put on a queue that is not closed.
func mustPut[E any](q *delayqueue.Queue[E], e E, delay time.Duration) *delayqueue.Item[E] {
	it, err := q.Put(e, delay)
	if err != nil {
		panic(err)
	}
	return it
}

func (fx *offerFixture) acts() []act { return []act{fx.take, fx.offer} }

func (fx *offerFixture) offer(_ *actor, i int) {
	r := &fx.rounds[i]
	if r.delay > 0 {
		r.due = time.Now().Add(r.delay)
	}
	mustPut(fx.queue, i, r.delay)
	r.put.Store(true)
}

func (fx *offerFixture) take(_ *actor, i int) {
	r := &fx.rounds[i]
	r.before = r.put.Load()
	if r.got, r.err = fx.queue.Take(nil); r.err == nil && r.got >= 0 && fx.rounds[r.got].delay > 0 {
		r.at = time.Now()
	}
}

func (fx *offerFixture) outcome(i int) string {
	r := &fx.rounds[i]
	if r.err != nil {
		return tookError
	}
	if r.got == laterElement {
		return tookLater
	}
	e := &fx.rounds[r.got]
	e.taken++
	switch {
	case e.delay > 0 && r.at.Before(e.due):
		return tookEarly
	case r.before:
		return putBefore
	}
	return putDuring
}

func (fx *offerFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("element %d, %v; delays %v, %v; %d left", r.got, r.err, r.delay,
		fx.rounds[max(r.got, 0)].delay, fx.queue.Len())
}

func (fx *offerFixture) finish() error {
	fx.queue.Close()
	for i := range fx.rounds {
		if n := fx.rounds[i].taken; n != 1 {
			return fmt.Errorf("element %d has been taken %d times", i, n)
		}
	}
	return nil
}

// giveUpFixture races Put with the end of the context of a taker, beside whom another waits. The
// one who gives up puts an element for the other, if it has got one: so every round ends with the
// other having one.
type giveUpFixture struct {
	queue   *delayqueue.Queue[int]
	batches int
	rounds  []giveUpRound
}

type giveUpRound struct {
	ctx    context.Context
	cancel context.CancelFunc

	// The impatient taker's.
	given int
	err   error

	// The patient taker's.
	got      int
	otherErr error
}

func (fx *giveUpFixture) prepare(rounds int) {
	fx.queue = delayqueue.New[int]()
	if fx.batches%4 == 0 { // one of them leads, which takes longer
		mustPut(fx.queue, laterElement, farDelay)
	}
	fx.batches++
	fx.rounds = make([]giveUpRound, rounds)
	for i := range fx.rounds {
		r := &fx.rounds[i]
		r.ctx, r.cancel = context.WithCancel(context.Background())
	}
}

func (fx *giveUpFixture) acts() []act {
	return []act{fx.takeImpatiently, fx.takePatiently, fx.offer, fx.giveUp}
}

func (fx *giveUpFixture) offer(_ *actor, i int)  { mustPut(fx.queue, i, 0) }
func (fx *giveUpFixture) giveUp(_ *actor, i int) { fx.rounds[i].cancel() }

func (fx *giveUpFixture) takeImpatiently(_ *actor, i int) {
	r := &fx.rounds[i]
	if r.given, r.err = fx.queue.Take(r.ctx); r.err == nil {
		mustPut(fx.queue, i, 0)
	}
}

func (fx *giveUpFixture) takePatiently(_ *actor, i int) {
	r := &fx.rounds[i]
	r.got, r.otherErr = fx.queue.Take(nil)
}

func (fx *giveUpFixture) outcome(i int) string {
	switch r := &fx.rounds[i]; {
	case r.otherErr != nil, r.err != nil && !errors.Is(r.err, context.Canceled):
		return tookError
	case r.got == laterElement, r.err == nil && r.given == laterElement:
		return tookLater
	case r.err == nil:
		return impatientTook
	}
	return impatientLeft
}

func (fx *giveUpFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("the one who gave up: %d, %v; the other: %d, %v; %d left", r.given, r.err,
		r.got, r.otherErr, fx.queue.Len())
}

// finish counts how often each element has been put and taken.
func (fx *giveUpFixture) finish() error {
	fx.queue.Close()
	balance := make([]int, len(fx.rounds))
	for i := range fx.rounds {
		r := &fx.rounds[i]
		balance[i]++
		balance[max(r.got, 0)]--
		if r.err == nil {
			balance[i]++
			balance[max(r.given, 0)]--
		}
	}
	for i, n := range balance {
		if n != 0 {
			return fmt.Errorf("element %d has been put %d times more than taken", i, n)
		}
	}
	return nil
}

// closeFixture races Take with Close, on a queue for each round and about one element, which is
// there before, or which one of them puts; or about none.
type closeFixture struct {
	rng    *rand.Rand
	rounds []closeRound
}

type closeRound struct {
	queue *delayqueue.Queue[int]
	// 0: the element is there before; 1: the closer puts it; 2: the taker does; 3: nobody does
	who   int
	later bool // there is another that is due far later

	refused error // whoever's who puts

	// The taker's.
	got int
	err error
}

func (fx *closeFixture) prepare(rounds int) {
	fx.rounds = make([]closeRound, rounds)
	leads := fx.rng.IntN(16) == 0 // needs an alarm for each queue
	for i := range fx.rounds {
		r := &fx.rounds[i]
		r.queue, r.who = delayqueue.New[int](), fx.rng.IntN(4)
		if r.later = leads && fx.rng.IntN(2) == 0; r.later {
			mustPut(r.queue, laterElement, farDelay)
		}
		if r.who == 0 {
			mustPut(r.queue, i, 0)
		}
	}
}

func (fx *closeFixture) acts() []act { return []act{fx.take, fx.close} }

func (fx *closeFixture) close(a *actor, i int) {
	r := &fx.rounds[i]
	if r.who == 1 {
		_, r.refused = r.queue.Put(i, 0)
		a.pause()
	}
	r.queue.Close()
}

func (fx *closeFixture) take(_ *actor, i int) {
	r := &fx.rounds[i]
	if r.who == 2 {
		_, r.refused = r.queue.Put(i, 0)
	}
	r.got, r.err = r.queue.Take(nil)
}

func (fx *closeFixture) outcome(i int) string {
	r := &fx.rounds[i]
	left := r.queue.Drain(2)
	taken := r.err == nil
	switch {
	case taken && r.got == laterElement:
		return tookLater
	case !taken && r.err != delayqueue.ErrClosed, r.refused != nil &&
		(r.who != 2 || r.refused != delayqueue.ErrClosed):
		return tookError
	case r.who == 3:
		if taken || len(left) > 0 {
			return lostByClose
		}
		return nothingToTake
	case taken && r.got == i && len(left) == 0 && r.refused == nil:
		return tookBeforeClose
	case !taken && len(left) == 1 && left[0] == i && r.refused == nil:
		return leftByClose
	case !taken && len(left) == 0 && r.refused != nil:
		return refusedByClose
	}
	return lostByClose
}

func (fx *closeFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("put by %d: %v; taken %d, %v; %d in the queue, later one %v", r.who,
		r.refused, r.got, r.err, r.queue.Len(), r.later)
}

func (fx *closeFixture) finish() error {
	for i := range fx.rounds {
		if r := &fx.rounds[i]; r.later != (r.queue.Len() == 1) {
			return fmt.Errorf("round %d: %d elements that are not due", i, r.queue.Len())
		}
	}
	return nil
}
