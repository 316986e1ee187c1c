package parking

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/clock"
)

// owner is the smallest queue that a lot can serve: a lock, a clock, and the head's time. After
// each method it calls, it checks the rule of the lot.
type owner struct {
	t     *testing.T
	mu    sync.Mutex
	lot   *Lot
	clock clock.Clock
	head  int64
}

func newOwner(t *testing.T) *owner {
	o := &owner{t: t, clock: clock.New(0), head: Nothing}
	o.lot = New(&o.mu, o.clock)
	o.lot.OnGuard(func() { o.lot.Notify(o.head, o.now(), false) })
	return o
}

func (o *owner) now() int64 { return o.clock.Now() }

// do calls f with the lock held, then checks the lot. The lock is never held by a goroutine that
// has stopped, so the failure is reported without ending the goroutine.
func (o *owner) do(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
	if err := o.lot.broken(o.head, o.now()); err != nil {
		o.t.Error(err)
	}
}

// put makes d from now the head's time and notifies.
func (o *owner) put(d time.Duration) (grow bool) { return o.notify(d, false) }

// notify is put for an owner that starts another taker when it is asked to.
func (o *owner) notify(d time.Duration, mayGrow bool) (grow bool) {
	o.do(func() {
		o.head = o.now() + int64(d)
		if grow = o.lot.Notify(o.head, o.now(), mayGrow); grow {
			o.lot.Expect()
		}
	})
	return grow
}

// pass is what a taker does who leaves, or arrives and finds nothing.
func (o *owner) pass() {
	o.do(func() { o.lot.Notify(o.head, o.now(), false) })
}

// arrive is the taker that notify has started, which finds nothing to take.
func (o *owner) arrive() {
	o.do(func() {
		o.lot.Arrive()
		o.head = Nothing
	})
}

// taker is a goroutine in one Park. It does not notify on its way out; a test that needs it calls
// Notify itself.
type taker struct {
	w      *Waiter
	back   bool // Park has returned
	at     time.Duration
	gaveUp bool
}

func (o *owner) park(ctx context.Context, limit <-chan time.Time) *taker {
	k := &taker{w: NewWaiter()}
	go func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		k.gaveUp = o.lot.Park(k.w, o.head, o.now(), ctx, doneOf(ctx), limit)
		k.back, k.at = true, time.Duration(o.now())
	}()
	synctest.Wait()
	return k
}

func doneOf(ctx context.Context) <-chan struct{} {
	if ctx == nil {
		return nil
	}
	return ctx.Done()
}

// rest waits until nothing can run and returns a copy of the lot as it is then.
func (o *owner) rest() Lot {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	return *o.lot
}

func (o *owner) wakes() uint64 {
	l := o.rest()
	return l.Wakes()
}

func (o *owner) idle() int {
	l := o.rest()
	return l.Idle()
}

// returned reports, at rest, whether the taker is back from Park.
func (o *owner) returned(k *taker) bool {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	return k.back
}

// broken tells what is wrong with the lot, if anything. The lock is held.
func (l *Lot) broken(head, now int64) error {
	if err := l.tangled(); err != nil {
		return err
	}
	if head == Nothing || l.Idle() == 0 || l.coming > 0 {
		return nil
	}
	switch {
	case l.leader == nil && l.watch.out > 0 && l.watch.set && l.watch.at <= max(head, now):
	case l.leader == nil:
		return fmt.Errorf("the head is at %d, now is %d, and nobody of %d looks after it", head, now, l.Idle())
	case !l.rung && l.armed > max(head, now): // a head put in overdue waits for nobody's alarm
		return fmt.Errorf("the head is at %d but the leader sleeps until %d", head, l.armed)
	}
	return nil
}

// tangled checks the followers' stack and that nobody is parked with a call in his channel.
func (l *Lot) tangled() error {
	n := 0
	var above *Waiter
	for w := l.top; w != nil; w = w.down {
		n++
		switch {
		case !w.isFollower:
			return fmt.Errorf("follower %d from the top does not know that it is one", n)
		case w.up != above:
			return fmt.Errorf("follower %d from the top is not linked to the one above", n)
		case len(w.call) > 0:
			return fmt.Errorf("follower %d from the top has been called and is still in the stack", n)
		case w == l.leader:
			return fmt.Errorf("the leader is among the followers")
		}
		above = w
	}
	if n != l.followers {
		return fmt.Errorf("%d followers, counted as %d", n, l.followers)
	}
	if l.coming < 0 {
		return fmt.Errorf("%d takers coming", l.coming)
	}
	return nil
}

// bubble runs f with an owner in virtual time and sees that no taker is left.
func bubble(t *testing.T, f func(t *testing.T, o *owner)) {
	synctest.Test(t, func(t *testing.T) {
		o := newOwner(t)
		defer func() {
			o.do(func() { o.lot.CallAll() })
			synctest.Wait()
			o.do(func() {
				assert.Zero(t, o.lot.Idle(), "idle takers at the end")
				assert.Zero(t, o.lot.coming, "takers coming at the end")
				o.lot.Close()
			})
		}()
		f(t, o)
	})
}

func TestTheFirstTakerLeadsUntilTheHeadIsDue(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		k := o.park(nil, nil)
		require.Same(t, k.w, o.rest().leader)
		require.Zero(t, o.rest().followers)
		require.Equal(t, o.head, o.rest().armed)

		time.Sleep(time.Hour - 1)
		require.False(t, o.returned(k))
		time.Sleep(1)
		require.True(t, o.returned(k))
		require.Equal(t, time.Hour, k.at)
		require.False(t, k.gaveUp)
		require.Nil(t, o.rest().leader)
	})
}

func TestASecondTakerFollowsAndHasNoTimer(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader, follower := o.park(nil, nil), o.park(nil, nil)
		require.Same(t, leader.w, o.rest().leader)
		require.Same(t, follower.w, o.rest().top)
		time.Sleep(time.Hour)
		require.True(t, o.returned(leader))
		require.False(t, o.returned(follower), "one due element wakes one taker")
		o.pass()
		require.True(t, o.returned(follower), "who leaves calls the next")
	})
}

func TestWithNothingToWaitForEverybodyFollows(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		first, second := o.park(nil, nil), o.park(nil, nil)
		require.Nil(t, o.rest().leader)
		require.Equal(t, 2, o.rest().followers)
		time.Sleep(1000 * time.Hour)
		require.False(t, o.returned(first))
		require.False(t, o.returned(second))
	})
}

func TestIdleCountsTheLeaderToo(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		require.Equal(t, 0, o.idle())
		o.park(nil, nil)
		require.Equal(t, 1, o.idle(), "a follower")
		o.put(time.Hour) // calls it, and it goes
		synctest.Wait()
		require.Equal(t, 0, o.idle())
		o.park(nil, nil)
		require.Equal(t, 1, o.idle(), "a leader")
		o.park(nil, nil)
		o.park(nil, nil)
		require.Equal(t, 3, o.idle(), "a leader and two followers")
	})
}

func TestWakesCountsTakersThatGoOn(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		o.park(nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		o.park(ctx, nil)
		o.park(nil, time.After(time.Minute))
		o.park(nil, nil)
		require.Zero(t, o.wakes(), "all are parked")
		cancel()
		require.EqualValues(t, 1, o.wakes(), "by its context")
		time.Sleep(time.Minute)
		require.EqualValues(t, 2, o.wakes(), "by its limit")
		o.put(0)
		require.EqualValues(t, 3, o.wakes(), "by a call")
		o.do(func() { o.head = Nothing })
		time.Sleep(time.Hour)
		require.EqualValues(t, 4, o.wakes(), "by the alarm")
	})
}

func TestNotifyOfNothingCallsNobody(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		k := o.park(nil, nil)
		o.do(func() {
			require.False(t, o.lot.Notify(Nothing, o.now(), true))
			require.Zero(t, o.lot.coming)
		})
		require.False(t, o.returned(k))
	})
}

func TestTheFirstHeadCallsAFollowerToLead(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		k := o.park(nil, nil)
		o.do(func() {
			o.head = o.now() + int64(time.Hour)
			require.False(t, o.lot.Notify(o.head, o.now(), true), "there is a taker, no need to grow")
			require.Equal(t, 1, o.lot.coming)
			require.Equal(t, 0, o.lot.Idle())
		})
		require.True(t, o.returned(k))
		require.Zero(t, o.rest().coming)
	})
}

func TestAnEarlierHeadMovesTheAlarmAndWakesNobody(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader, follower := o.park(nil, nil), o.park(nil, nil)
		o.put(time.Minute)
		require.False(t, o.returned(leader))
		require.Equal(t, int64(time.Minute), o.rest().armed)
		time.Sleep(time.Minute)
		require.True(t, o.returned(leader))
		require.Equal(t, time.Minute, leader.at)
		require.False(t, o.returned(follower))
		o.pass()
	})
}

func TestALaterHeadLeavesTheAlarmAlone(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Minute)
		leader := o.park(nil, nil)
		o.put(time.Hour)
		require.Equal(t, int64(time.Minute), o.rest().armed)
		time.Sleep(time.Minute)
		require.True(t, o.returned(leader), "it looks once for nothing")
	})
}

// A taker may find an earlier head of which the leader has not been told, because somebody was
// coming when it was put in.
func TestWhoeverFollowsTellsTheLeaderOfAnEarlierHead(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader := o.park(nil, nil)
		o.do(func() { o.lot.Expect() })
		o.put(time.Minute)
		require.Equal(t, int64(time.Hour), o.rest().armed, "the one who comes will see to it")
		o.mu.Lock() // not checked: the rule holds again once the arrived has parked
		o.lot.Arrive()
		o.mu.Unlock()
		o.park(nil, nil)
		require.Equal(t, int64(time.Minute), o.rest().armed)
		o.do(func() {})
		time.Sleep(time.Minute)
		require.True(t, o.returned(leader))
		o.pass()
	})
}

func TestADueHeadCallsTheYoungestFollower(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader, old, young := o.park(nil, nil), o.park(nil, nil), o.park(nil, nil)
		o.put(0)
		require.True(t, o.returned(young))
		require.False(t, o.returned(old))
		require.False(t, o.returned(leader))
		o.pass()
	})
}

func TestAtMostOneTakerIsComing(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		for range 5 {
			o.park(nil, nil)
		}
		o.do(func() {
			o.head = o.now()
			for range 10 {
				require.False(t, o.lot.Notify(o.head, o.now(), true))
				require.Equal(t, 1, o.lot.coming)
				require.Equal(t, 4, o.lot.followers)
			}
		})
		synctest.Wait()
		o.mu.Lock() // not checked: it is the arrived who must notify
		defer o.mu.Unlock()
		require.Zero(t, o.lot.coming)
		o.lot.Notify(o.head, o.now(), false)
		require.Equal(t, 1, o.lot.coming, "having arrived, it calls the next")
	})
}

func TestADueHeadRingsALeaderWhoIsAlone(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader := o.park(nil, nil)
		require.False(t, o.put(0))
		require.True(t, o.returned(leader))
		require.Zero(t, leader.at)
	})
}

func TestARungLeaderIsOnItsWay(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader, follower := o.park(nil, nil), o.park(nil, nil)
		o.do(func() { o.lot.ring() })
		require.False(t, o.put(0), "nobody else is called")
		require.True(t, o.returned(leader))
		require.False(t, o.returned(follower))
		o.pass()
	})
}

func TestALeaderWhoseTimeHasComeIsOnItsWay(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader, follower := o.park(nil, nil), o.park(nil, nil)
		o.do(func() {
			now := o.head // the clock as another goroutine may read it just before the alarm
			require.False(t, o.lot.Notify(now, now, true))
			require.Zero(t, o.lot.coming)
			require.False(t, o.lot.rung)
		})
		time.Sleep(time.Hour)
		require.True(t, o.returned(leader))
		require.False(t, o.returned(follower))
		o.pass()
	})
}

func TestNotifyAsksTheOwnerToGrow(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		require.True(t, o.notify(time.Hour, true), "nobody is there to lead")
		require.False(t, o.notify(time.Minute, true), "one is coming")
		o.arrive()
		o.do(func() { o.head = o.now() + int64(time.Hour) })
		leader := o.park(nil, nil)
		require.False(t, o.notify(time.Minute, true), "the leader waits for it")
		require.True(t, o.notify(0, true), "due, and only the leader is left")
		o.arrive()
		require.False(t, o.returned(leader), "the leader has been left alone")
	})
}

func TestNotifyDoesNotGrowWhereItMayNot(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		require.False(t, o.notify(time.Hour, false), "nobody is there to lead, and nobody may be had")
		require.Zero(t, o.rest().coming)
	})
}

func TestCallAllMakesEverybodyLook(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		var takers []*taker
		for range 5 {
			takers = append(takers, o.park(nil, nil))
		}
		time.Sleep(time.Minute)
		o.do(func() {
			o.lot.CallAll()
			require.Equal(t, 4, o.lot.coming)
			require.True(t, o.lot.rung)
			// How slowly it wakes up is counted from here.
			require.Equal(t, int64(time.Minute), o.lot.armed)
			o.lot.CallAll() // harmless
			require.Equal(t, 4, o.lot.coming)
		})
		for _, k := range takers {
			require.True(t, o.returned(k))
			require.False(t, k.gaveUp)
		}
		require.Zero(t, o.rest().coming)
		require.Zero(t, o.idle())
	})
}

func TestAFollowerWhoseContextEndsLeavesTheStack(t *testing.T) {
	for position := range 3 {
		t.Run(fmt.Sprint(position, " from the bottom"), func(t *testing.T) {
			bubble(t, func(t *testing.T, o *owner) {
				ctx, cancel := context.WithCancel(t.Context())
				var takers []*taker
				for i := range 3 {
					if i == position {
						takers = append(takers, o.park(ctx, nil))
					} else {
						takers = append(takers, o.park(nil, nil))
					}
				}
				cancel()
				for i, k := range takers {
					require.Equal(t, i == position, o.returned(k))
				}
				o.do(func() {
					require.Equal(t, 2, o.lot.Idle())
					require.Zero(t, o.lot.coming, "nobody has called it")
				})
			})
		})
	}
}

func TestAFollowerGivesUpWhenItsLimitDelivers(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		o.park(nil, nil)
		k := o.park(nil, time.After(time.Minute))
		time.Sleep(time.Minute)
		require.True(t, o.returned(k))
		require.True(t, k.gaveUp)
		o.do(func() { require.Equal(t, 1, o.lot.Idle()) })
	})
}

// The select of a follower has three ends that may come at one instant; whichever it sees, a call
// counts, and is used up.
func TestACallIsNotSwallowedByAFollowerWhoGivesUp(t *testing.T) {
	for name, end := range map[string]func(cancel func(), limit chan time.Time){
		"by its context": func(cancel func(), _ chan time.Time) { cancel() },
		"by its limit":   func(_ func(), limit chan time.Time) { limit <- time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, o *owner) {
				for round := range 50 {
					ctx, cancel := context.WithCancel(t.Context())
					limit := make(chan time.Time, 1)
					k := o.park(ctx, limit)
					o.do(func() {
						if round%2 == 0 {
							end(cancel, limit) // it has stopped waiting, but nobody knows
						}
						o.head = o.now()
						o.lot.Notify(o.head, o.now(), false)
						require.Equal(t, 1, o.lot.coming)
						if round%2 == 1 {
							end(cancel, limit)
						}
					})
					require.True(t, o.returned(k))
					require.False(t, k.gaveUp, "it has been called")
					o.do(func() {
						require.Zero(t, o.lot.coming)
						require.Empty(t, k.w.call, "the call is used up")
						o.head = Nothing
					})
					cancel()
				}
			})
		})
	}
}

func TestALeaderReturnsWhenItsContextEnds(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		leader, follower := o.park(ctx, nil), o.park(nil, nil)
		time.Sleep(time.Minute)
		require.True(t, o.returned(leader))
		require.Equal(t, time.Minute, leader.at)
		require.Nil(t, o.rest().leader)
		o.pass()
		require.True(t, o.returned(follower), "called to lead")
	})
}

func TestAWaiterCanBeUsedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		w := NewWaiter()
		for range 10 {
			done := false
			go func() {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.lot.Park(w, Nothing, o.now(), nil, nil, nil) // as follower
				o.lot.Park(w, o.head, o.now(), nil, nil, nil)  // as leader
				o.head, done = Nothing, true
			}()
			synctest.Wait()
			o.put(time.Minute)
			time.Sleep(time.Minute)
			synctest.Wait()
			require.True(t, done)
		}
	})
}

// A ring that comes too late, for a taker that has gone or leads no more, is at most one look for
// nothing.
func TestALateRecallDoesNoHarm(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.put(time.Hour)
		leader, follower := o.park(nil, nil), o.park(nil, nil)
		o.lot.recall(NewWaiter())
		o.lot.recall(follower.w)
		require.False(t, o.returned(leader))
		require.False(t, o.returned(follower))
		o.lot.recall(leader.w)
		o.lot.recall(leader.w)
		require.True(t, o.returned(leader))
		require.False(t, o.returned(follower))

		o.pass()
		require.True(t, o.returned(follower))
	})
}

func TestAnExpectedTakerIsOnItsWay(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		o.do(func() { o.lot.Expect() })
		require.False(t, o.put(0))
		require.False(t, o.returned(follower), "nobody is called while one is coming")
		o.mu.Lock() // not checked between the two
		o.lot.Arrive()
		require.Zero(t, o.lot.coming)
		o.lot.Notify(o.head, o.now(), false)
		o.mu.Unlock()
		require.True(t, o.returned(follower))
	})
}

// On the real clock the leader waits for the operating system and does not see its context, which
// must ring for it.
func TestTheContextEndsALeaderOnTheRealClock(t *testing.T) {
	o := newOwner(t)
	ctx, cancel := context.WithCancel(context.Background())
	back := make(chan struct{})
	o.put(time.Hour)
	go func() {
		defer close(back)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.lot.Park(NewWaiter(), o.head, o.now(), ctx, ctx.Done(), nil)
	}()
	for leads := false; !leads; {
		runtime.Gosched()
		o.do(func() { leads = o.lot.leader != nil })
	}
	cancel()
	<-back
	o.mu.Lock()
	defer o.mu.Unlock()
	require.Nil(t, o.lot.leader)
	o.lot.Close()
}

// A random walk of an owner whose takers leave by all ways there are. The rule is checked after
// every step, by whoever holds the lock.
func TestTheRuleHoldsOnARandomWalk(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) { walk(t, rand.New(rand.NewPCG(seed, 1))) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

const tick = time.Millisecond

func walk(t *testing.T, rng *rand.Rand) {
	o := newOwner(t)
	some := func(n int) time.Duration { return time.Duration(rng.IntN(n)) * tick }
	over := false
	for range 60 {
		switch rng.IntN(7) {
		case 0, 1, 2:
			ctx, cancel := context.WithTimeout(t.Context(), some(10))
			defer cancel()
			limit, next, long := time.After(some(10)), int64(some(8)), some(2*rng.IntN(3)+1)
			go o.runOne(ctx, limit, &over, next, long)
		case 3, 4:
			d := int64(some(8) - 2*tick)
			o.do(func() {
				if o.head == Nothing || o.now()+d < o.head {
					o.head = o.now() + d
					o.lot.Notify(o.head, o.now(), false)
				}
			})
		case 5:
			o.do(func() { o.head = Nothing }) // removed
		case 6:
			o.do(func() { o.lot.CallAll() })
		}
		if rng.IntN(2) == 0 {
			time.Sleep(some(4))
		}
		if rng.IntN(4) == 0 {
			synctest.Wait()
			o.restful()
		}
	}
	o.do(func() {
		over = true
		o.lot.CallAll()
	})
	time.Sleep(10 * tick) // those who run come back
	o.do(func() {
		require.Zero(t, o.lot.coming)
		require.Zero(t, o.lot.Idle())
		o.lot.Close()
	})
}

// takeOne is what a queue's Take does with the lot: the lock is held but for the wait. If brief
// reports true, it watches, and the caller brings it back.
func (o *owner) takeOne(
	ctx context.Context, limit <-chan time.Time, over *bool, brief func() bool,
) {
	w := NewWaiter()
	o.do(func() {
		for gaveUp := false; ; {
			due := o.head != Nothing && o.head <= o.now()
			if due || gaveUp || *over || ctx.Err() != nil {
				if due {
					o.head = Nothing
				}
				if due && brief() {
					return
				}
				o.lot.Notify(o.head, o.now(), false)
				return
			}
			gaveUp = o.lot.Park(w, o.head, o.now(), ctx, ctx.Done(), limit)
		}
	})
}

// runOne is takeOne by a taker that leaves the next head behind, watches while it runs, and comes
// back after so long.
func (o *owner) runOne(
	ctx context.Context, limit <-chan time.Time, over *bool, next int64, long time.Duration,
) {
	watches := false
	var watch Watch
	o.takeOne(ctx, limit, over, func() bool {
		if o.head = o.now() + next; next == 0 || *over {
			return false
		}
		watches = true
		watch = o.lot.Watch(o.head, o.now(), false)
		return true
	})
	if !watches {
		return
	}
	time.Sleep(long)
	o.do(func() {
		o.lot.Back(watch)
		o.lot.Notify(o.head, o.now(), false)
	})
}

// restful checks what holds when nothing can run: nobody sleeps beside a due head, and nobody is
// still on its way.
func (o *owner) restful() {
	o.do(func() {
		due := o.head != Nothing && o.head <= o.now()
		assert.False(o.t, due && o.lot.Idle() > 0, "%d takers sleep beside a due head", o.lot.Idle())
		assert.Zero(o.t, o.lot.coming)
	})
}
