package delayqueue_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
	"github.com/punctual-go/punctual/internal/probe"
)

// The names of most tests here begin with a row of the behaviour tables of java.util.concurrent's
// DelayQueue: DQI for what it does, DQT, BQT and JTQ for its conformance and regression tests, R
// for what testing/synctest asks of a library, B for faults seen in other schedulers.

type queue = delayqueue.Queue[string]

// virtual runs f in a bubble with a queue that is closed before the bubble ends.
func virtual(t *testing.T, f func(t *testing.T, q *queue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := delayqueue.New[string]()
		defer q.Close()
		f(t, q)
	})
}

func put(t *testing.T, q *queue, e string, delay time.Duration) *delayqueue.Item[string] {
	t.Helper()
	item, err := q.Put(e, delay)
	require.NoError(t, err)
	require.NotNil(t, item)
	return item
}

// taking is a Take on a goroutine of its own.
type taking struct {
	done  chan struct{}
	e     string
	err   error
	after time.Duration // the time it took
}

// take starts a Take and returns when it has ended or is parked.
func take(ctx context.Context, q *queue) *taking {
	k := startTake(ctx, q)
	synctest.Wait()
	return k
}

func startTake(ctx context.Context, q *queue) *taking {
	k := &taking{done: make(chan struct{})}
	start := time.Now()
	go func() {
		defer close(k.done)
		k.e, k.err = q.Take(ctx)
		k.after = time.Since(start)
	}()
	return k
}

// over reports, once nothing can run, whether the Take has returned.
func (k *taking) over() bool {
	synctest.Wait()
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// got waits for the Take to deliver e, after exactly the given time.
func (k *taking) got(t *testing.T, e string, after time.Duration) {
	t.Helper()
	<-k.done
	require.NoError(t, k.err)
	require.Equal(t, e, k.e)
	require.Equal(t, after, k.after)
}

// failed waits for the Take to fail with err, after exactly the given time.
func (k *taking) failed(t *testing.T, err error, after time.Duration) {
	t.Helper()
	<-k.done
	require.ErrorIs(t, k.err, err)
	require.Zero(t, k.e)
	require.Equal(t, after, k.after)
}

// taken counts the takings that are over.
func taken(takings []*taking) (n int) {
	for _, k := range takings {
		if k.over() {
			n++
		}
	}
	return n
}

// wakes returns how often a parked taker has gone on, for whatever reason. The queue counts that
// but has no method to tell.
func wakes(q *queue) int {
	synctest.Wait()
	defer q.Len() // takes the lock, which orders this read before what follows
	return int(reflect.ValueOf(q).Elem().FieldByName("lot").Elem().FieldByName("wakes").Uint())
}

func elements(q *queue) []string {
	var out []string
	for _, e := range q.All() {
		out = append(out, e)
	}
	return out
}

// drain polls until nothing is due.
func drain(q *queue) []string {
	var out []string
	for {
		e, ok := q.Poll()
		if !ok {
			return out
		}
		out = append(out, e)
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// What is due, and who sees it.

func TestDQI02_DQI03_AnElementNotDueIsSeenButNotTaken(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		due := time.Now().Add(time.Hour)
		put(t, q, "a", time.Hour)

		e, at, ok := q.Peek()
		require.True(t, ok)
		require.Equal(t, "a", e)
		require.True(t, at.Equal(due))
		require.Equal(t, 1, q.Len())
		require.Equal(t, []string{"a"}, elements(q))

		_, ok = q.Poll()
		require.False(t, ok)
		require.Empty(t, q.Drain(10))
		_, err := q.Take(within(t, time.Hour-1))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, q.Len())
	})
}

func TestDQI04_ALaterElementHidesNoDueOne(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		first := put(t, q, "first", time.Second)
		put(t, q, "second", 2*time.Second)
		require.True(t, first.Reset(time.Hour))
		time.Sleep(2 * time.Second)
		require.Equal(t, []string{"second"}, drain(q))
	})
}

// Java's DelayQueue promises no order among equals.
func TestDQI05_EqualTimesLeaveInTheOrderOfPut(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		want := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
		for _, e := range want {
			put(t, q, e, time.Second)
		}
		require.Equal(t, want, elements(q))
		time.Sleep(time.Second)
		require.Equal(t, want, drain(q))
	})
}

// The same instant is reached by different delays; the order of Put decides, not that of the
// delays.
func TestDQI05_EqualTimesOfDifferentDelays(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 3*time.Second)
		time.Sleep(time.Second)
		put(t, q, "b", 2*time.Second)
		time.Sleep(time.Second)
		put(t, q, "c", time.Second)
		time.Sleep(time.Second)
		put(t, q, "d", 0)
		require.Equal(t, []string{"a", "b", "c", "d"}, drain(q))
	})
}

// In Java a change of an element's time after its insertion goes unnoticed.
func TestDQI06_ResetMovesAnElementBothWays(t *testing.T) {
	for _, delay := range []time.Duration{time.Second, 3 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				item := put(t, q, "a", 2*time.Second)
				k := take(nil, q)
				require.True(t, item.Reset(delay))
				k.got(t, "a", delay)
			})
		})
	}
}

func TestResetCountsAsAPutAmongEquals(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		a := put(t, q, "a", time.Second)
		put(t, q, "b", time.Second)
		require.True(t, a.Reset(time.Second))
		put(t, q, "c", time.Second)
		require.Equal(t, []string{"b", "a", "c"}, elements(q))
	})
}

func TestResetCountsFromNow(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		item := put(t, q, "a", time.Minute)
		time.Sleep(time.Second)
		now := time.Now()
		require.True(t, item.Reset(time.Hour))
		_, at, _ := q.Peek()
		require.True(t, at.Equal(now.Add(time.Hour)))
	})
}

func TestAResetElementMayBeTakenOnlyOnce(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		item := put(t, q, "a", 0)
		require.Equal(t, []string{"a"}, drain(q))
		require.False(t, item.Reset(0), "a taken element stays out")
		item = put(t, q, "b", time.Hour)
		require.True(t, item.Remove())
		require.False(t, item.Reset(0), "a removed element stays out")
		require.Empty(t, drain(q))
		require.Zero(t, q.Len())
	})
}

// Contexts.

func TestDQI07_BQT15_JTQ05_AnEndedContextTakesNothing(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		take(probe.Ended(), q).failed(t, context.Canceled, 0)
		require.Equal(t, 1, q.Len())
		e, ok := q.Poll()
		require.True(t, ok, "Poll takes it regardless")
		require.Equal(t, "a", e)
		take(probe.Ended(), q).failed(t, context.Canceled, 0)
	})
}

func TestDQI07_BQT17_AnExpiredDeadlineTakesNothing(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		take(within(t, -1), q).failed(t, context.DeadlineExceeded, 0)
		put(t, q, "a", 0)
		take(within(t, -1), q).failed(t, context.DeadlineExceeded, 0)
		require.Equal(t, 1, q.Len())
	})
}

func TestANilContextNeverEnds(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		k := take(nil, q)
		time.Sleep(1000 * time.Hour)
		require.False(t, k.over())
		put(t, q, "a", time.Second)
		k.got(t, "a", 1000*time.Hour+time.Second)
	})
}

func TestDQT17_BQT14_JTQ05_CancellingEndsATakeOnAnEmptyQueue(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		ctx, cancel := context.WithCancel(t.Context())
		k := take(ctx, q)
		time.Sleep(20 * time.Millisecond)
		require.False(t, k.over())
		cancel()
		k.failed(t, context.Canceled, 20*time.Millisecond)
	})
}

func TestDQT17_ADrainedQueueBlocks(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		for i := range 20 {
			put(t, q, fmt.Sprint(i), 0)
		}
		for i := range 20 {
			take(nil, q).got(t, fmt.Sprint(i), 0)
		}
		require.False(t, take(within(t, time.Hour), q).over())
	})
}

func TestDQT20_ATimedTakeOfADueElementDoesNotWait(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		take(within(t, time.Hour), q).got(t, "a", 0)
	})
}

func TestDQT20_BQT13_ATimedTakeOnAnEmptyQueueEndsExactlyThen(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		take(within(t, time.Minute), q).failed(t, context.DeadlineExceeded, time.Minute)
	})
}

// A timeout and a cancellation are told apart, wherever the taker was waiting.
func TestDQT21_BQT16_CancellationIsNotATimeout(t *testing.T) {
	for name, lead := range map[string]bool{"leader": true, "on an empty queue": false} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				if lead {
					put(t, q, "later", time.Hour)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				k := take(ctx, q)
				time.Sleep(time.Second)
				cancel()
				k.failed(t, context.Canceled, time.Second)
				require.NotErrorIs(t, k.err, context.DeadlineExceeded)

				take(within(t, time.Minute), q).failed(t, context.DeadlineExceeded, time.Minute)
			})
		})
	}
}

func TestDQT41_JTQ02_ATimedTakeLeavesALaterElement(t *testing.T) {
	for later := range 3 {
		t.Run(fmt.Sprint(later, " elements"), func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				for i := range later {
					put(t, q, fmt.Sprint(i), math.MaxInt64)
				}
				_, ok := q.Poll()
				require.False(t, ok)
				take(within(t, 100*time.Millisecond), q).failed(t, context.DeadlineExceeded, 100*time.Millisecond)
				require.Equal(t, later, q.Len())
			})
		})
	}
}

// One taker after the other, in the four ways a wait can go.
func TestBQT13_ATimedTakeTimesOutTakesAndIsCancelled(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		take(within(t, time.Second), q).failed(t, context.DeadlineExceeded, time.Second)

		k := take(within(t, time.Minute), q)
		time.Sleep(time.Second)
		put(t, q, "a", 0)
		k.got(t, "a", time.Second)

		take(probe.Ended(), q).failed(t, context.Canceled, 0)

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		k = take(ctx, q)
		time.Sleep(time.Second)
		cancel()
		k.failed(t, context.Canceled, time.Second)
	})
}

func TestDQI13_ATakerWithoutTheTimeForTheHeadLeavesItToAnother(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		hasty := take(within(t, 300*time.Millisecond), q)
		patient := take(nil, q)
		put(t, q, "a", 600*time.Millisecond)
		hasty.failed(t, context.DeadlineExceeded, 300*time.Millisecond)
		patient.got(t, "a", 600*time.Millisecond)
	})
}

func TestDQI19_AFarDeadlineWorks(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", time.Hour)
		take(within(t, math.MaxInt64), q).got(t, "a", time.Hour)
	})
}

// nosyContext is code of the caller's that looks at the queue whenever it is asked something.
type nosyContext struct {
	context.Context
	q *queue
}

func (c nosyContext) Done() <-chan struct{}       { c.q.Len(); return c.Context.Done() }
func (c nosyContext) Err() error                  { c.q.Len(); return c.Context.Err() }
func (c nosyContext) Value(key any) any           { c.q.Len(); return c.Context.Value(key) }
func (c nosyContext) Deadline() (time.Time, bool) { c.q.Len(); return c.Context.Deadline() }

// In Java an element's methods run under the lock, and may use the queue because that lock is
// reentrant. Here nothing of the caller's does; a breach hangs.
func TestDQI16_R04_AContextMayUseTheQueue(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "due", 0)
		take(nosyContext{probe.Ended(), q}, q).failed(t, context.Canceled, 0)
		take(nosyContext{context.Background(), q}, q).got(t, "due", 0)
		put(t, q, "later", time.Hour)
		leader := take(nosyContext{within(t, time.Minute), q}, q)
		follower := take(nosyContext{within(t, time.Second), q}, q)
		follower.failed(t, context.DeadlineExceeded, time.Second)
		leader.failed(t, context.DeadlineExceeded, time.Minute)
	})
}

func TestDQI16_R04_AContextMayUseTheQueueOnTheRealClock(t *testing.T) {
	q := delayqueue.New[string]()
	defer q.Close()
	put(t, q, "later", time.Hour)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := q.Take(nosyContext{ctx, q})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Leader and followers.

func TestDQI09_ADueElementWakesOneTaker(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", time.Minute)
		var takings []*taking
		for range 10 {
			takings = append(takings, take(nil, q))
		}
		require.Zero(t, wakes(q))
		time.Sleep(time.Minute)
		require.Equal(t, 1, taken(takings))
		require.Equal(t, 1, wakes(q))
	})
}

func TestDQI10_B1_AnEarlierHeadIsTakenOnItsTimeAndWakesNobodyBefore(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "later", time.Hour)
		first, second := take(nil, q), take(nil, q)
		put(t, q, "sooner", time.Minute)
		require.Zero(t, wakes(q), "Java wakes one, here the leader's alarm is moved")
		first.got(t, "sooner", time.Minute)
		second.got(t, "later", time.Hour)
	})
}

func TestDQI11_ALaterElementWakesNobody(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "head", time.Minute)
		k := take(nil, q)
		take(nil, q)
		for range 100 {
			put(t, q, "later", time.Hour)
		}
		require.Zero(t, wakes(q))
		k.got(t, "head", time.Minute)
	})
}

// Whoever leaves, with an element or without, hands over the wait for the rest.
func TestDQI12_EveryExitPassesTheBaton(t *testing.T) {
	const due = time.Hour
	exits := map[string]func(t *testing.T, q *queue){
		"a leader with an element": func(t *testing.T, q *queue) {
			put(t, q, "first", time.Minute)
			take(nil, q)
		},
		"a leader whose context is cancelled": func(t *testing.T, q *queue) {
			ctx, cancel := context.WithCancel(t.Context())
			take(ctx, q)
			time.AfterFunc(time.Minute, cancel)
		},
		"a leader whose context is cancelled at once": func(t *testing.T, q *queue) {
			ctx, cancel := context.WithCancel(t.Context())
			take(ctx, q)
			cancel()
		},
		"a leader that times out": func(t *testing.T, q *queue) {
			take(within(t, time.Minute), q)
		},
		"a leader that times out when the head is due": func(t *testing.T, q *queue) {
			put(t, q, "first", time.Minute)
			take(within(t, time.Minute), q)
		},
		"a leader whose head is polled": func(t *testing.T, q *queue) {
			put(t, q, "first", time.Minute)
			k := take(within(t, time.Minute), q)
			time.Sleep(time.Minute)
			q.Poll()
			require.True(t, k.over())
		},
		"a leader whose head is drained": func(t *testing.T, q *queue) {
			put(t, q, "first", time.Minute)
			k := take(within(t, time.Minute), q)
			time.Sleep(time.Minute)
			q.Drain(1)
			require.True(t, k.over())
		},
		"a leader whose head is removed": func(t *testing.T, q *queue) {
			item := put(t, q, "first", time.Minute)
			take(within(t, time.Hour/2), q)
			require.True(t, item.Remove())
		},
		"a leader whose head is put off": func(t *testing.T, q *queue) {
			item := put(t, q, "first", time.Minute)
			take(within(t, time.Hour/2), q)
			require.True(t, item.Reset(2*due))
		},
		"a follower that times out": func(t *testing.T, q *queue) {
			take(within(t, time.Minute), q)
			take(within(t, time.Second), q)
		},
		"three leaders, one after the other": func(t *testing.T, q *queue) {
			for i := range 3 {
				take(within(t, time.Duration(3-i)*time.Minute), q)
			}
		},
	}
	for name, exit := range exits {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				start := time.Now()
				put(t, q, "rest", due)
				exit(t, q)
				e, err := q.Take(nil)
				if e == "first" { // left to the heir
					e, err = q.Take(nil)
				}
				require.NoError(t, err)
				require.Equal(t, "rest", e)
				require.Equal(t, due, time.Since(start))
			})
		})
	}
}

// The same with the heir parked before the leader leaves.
func TestDQI12_AFollowerTakesOverFromALeaderWhoLeaves(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		leader, follower := take(ctx, q), take(nil, q)
		cancel()
		require.True(t, leader.over())
		require.False(t, follower.over())
		follower.got(t, "a", time.Hour)
	})
}

// The follower is called for the due element and cancelled at one instant, in either order. Which
// of the two it sees is chance; the element is taken in any case, by the follower or by the leader.
func TestDQI12_D9_B8_ACalledFollowerThatLeavesPassesTheCallOn(t *testing.T) {
	left := 0
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "far", time.Hour)
		for round := range 400 {
			leader := take(nil, q)
			ctx, cancel := context.WithCancel(t.Context())
			follower := take(ctx, q)
			if round%2 == 0 {
				cancel()
			}
			put(t, q, "due", 0)
			cancel()
			if follower.over(); follower.err != nil {
				left++
				leader.got(t, "due", 0)
				continue
			}
			follower.got(t, "due", 0)
			put(t, q, "due", 0) // for the leader
			require.True(t, leader.over())
		}
	})
	require.Positive(t, left, "the follower has always been quicker than its cancellation")
}

func TestDQI14_B41_ARemovedHeadCostsAtMostOneLook(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		head := put(t, q, "head", time.Minute)
		put(t, q, "next", time.Hour)
		k := take(nil, q)
		take(nil, q)
		require.True(t, head.Remove())
		time.Sleep(time.Hour - 1)
		require.False(t, k.over())
		require.LessOrEqual(t, wakes(q), 1)
		k.got(t, "next", time.Hour)
	})
}

func TestDQI15_ARemovedHeadIsForgottenWhileATakerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delayqueue.New[*[64]byte]()
		defer q.Close()
		big := new([64]byte)
		gone := weak.Make(big)
		item, err := q.Put(big, time.Hour)
		require.NoError(t, err)
		go func() { _, _ = q.Take(nil) }()
		synctest.Wait()
		require.True(t, item.Remove())
		runtime.GC()
		require.Nil(t, gone.Value())
		runtime.KeepAlive(item)
	})
}

func TestJTQ06_TakenElementsAreForgottenThoughTheirHandlesAreKept(t *testing.T) {
	type queue = delayqueue.Queue[*[64]byte]
	ways := map[string]func(q *queue){
		"Take":  func(q *queue) { _, _ = q.Take(nil) },
		"Poll":  func(q *queue) { q.Poll() },
		"Drain": func(q *queue) { q.Drain(1) },
		"All, then Poll": func(q *queue) {
			for range q.All() {
			}
			q.Poll()
		},
	}
	for name, leave := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := delayqueue.New[*[64]byte]()
				defer q.Close()
				big := new([64]byte)
				gone := weak.Make(big)
				item, err := q.Put(big, 0)
				require.NoError(t, err)
				leave(q)
				runtime.GC()
				require.Nil(t, gone.Value())

				_, err = q.Put(nil, 0) // and the emptied queue works on
				require.NoError(t, err)
				_, ok := q.Poll()
				require.True(t, ok)
				runtime.KeepAlive(item)
			})
		})
	}
}

// Java's test has 300 threads at 1,000 elements that come due 10 ms apart, and counts CPU time. An
// element costs two wakes here: that of the leader who takes it, and that of the next leader.
func TestJTQ03_AThousandElementsDoNotWakeTheHerd(t *testing.T) {
	const takers, many = 300, 1000
	virtual(t, func(t *testing.T, q *queue) {
		for i := range many {
			put(t, q, "", time.Duration(i+1)*10*time.Millisecond)
		}
		total := make(chan int, takers)
		for range takers {
			go func() {
				n := 0
				for {
					if _, err := q.Take(nil); err != nil {
						total <- n
						return
					}
					n++
				}
			}()
		}
		time.Sleep(many * 10 * time.Millisecond)
		require.LessOrEqual(t, wakes(q), 2*many)
		require.Zero(t, q.Len())
		q.Close()
		sum := 0
		for range takers {
			sum += <-total
		}
		require.Equal(t, many, sum)
	})
}

func TestABurstIsTakenAtOnceByAllWhoAreIdle(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		var takings []*taking
		for range 8 {
			takings = append(takings, take(nil, q))
		}
		for range 20 {
			put(t, q, "a", time.Minute)
		}
		time.Sleep(time.Minute - 1)
		require.Zero(t, taken(takings))
		time.Sleep(1)
		require.Equal(t, 8, taken(takings))
		require.Equal(t, 12, q.Len())
	})
}

// Faults seen in other schedulers.

func TestB2_AnElementPutBeforeTheHeadIsNotLate(t *testing.T) {
	ways := map[string]struct {
		want   time.Duration
		change func(t *testing.T, q *queue, later *delayqueue.Item[string])
	}{
		"put earlier": {time.Minute, func(t *testing.T, q *queue, _ *delayqueue.Item[string]) {
			put(t, q, "new", time.Minute)
		}},
		"put due": {0, func(t *testing.T, q *queue, _ *delayqueue.Item[string]) {
			put(t, q, "new", 0)
		}},
		"put overdue": {0, func(t *testing.T, q *queue, _ *delayqueue.Item[string]) {
			put(t, q, "new", -time.Hour)
		}},
		"put twice, each earlier": {time.Second, func(t *testing.T, q *queue, _ *delayqueue.Item[string]) {
			put(t, q, "old", time.Minute)
			put(t, q, "new", time.Second)
		}},
		"reset earlier": {time.Minute, func(_ *testing.T, _ *queue, later *delayqueue.Item[string]) {
			later.Reset(time.Minute)
		}},
		"reset to now": {0, func(_ *testing.T, _ *queue, later *delayqueue.Item[string]) {
			later.Reset(0)
		}},
		"reset into the past": {0, func(_ *testing.T, _ *queue, later *delayqueue.Item[string]) {
			later.Reset(math.MinInt64)
		}},
	}
	for name, way := range ways {
		for takers := 1; takers <= 3; takers++ {
			t.Run(fmt.Sprint(name, ", takers: ", takers), func(t *testing.T) {
				virtual(t, func(t *testing.T, q *queue) {
					put(t, q, "head", time.Hour)
					later := put(t, q, "new", 2*time.Hour)
					var takings []*taking
					for range takers {
						takings = append(takings, take(nil, q))
					}
					way.change(t, q, later)
					time.Sleep(way.want)
					require.Equal(t, 1, taken(takings))
					for _, k := range takings {
						if k.over() {
							k.got(t, "new", way.want)
						}
					}
				})
			})
		}
	}
}

// The leader has just taken an element; the one put next must not fall into the gap.
func TestB2_PutAfterTakeIsNotLate(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "first", time.Minute)
		first, second := take(nil, q), take(nil, q)
		first.got(t, "first", time.Minute)
		put(t, q, "second", time.Second)
		second.got(t, "second", time.Minute+time.Second)
	})
}

func TestB3_RemovingTheLastElementLeavesTakersWaiting(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		item := put(t, q, "last", time.Minute)
		first, second := take(nil, q), take(nil, q)
		require.True(t, item.Remove())
		time.Sleep(time.Hour)
		require.False(t, first.over())
		require.LessOrEqual(t, wakes(q), 1)
		put(t, q, "new", time.Second)
		time.Sleep(time.Second)
		require.Equal(t, 1, taken([]*taking{first, second}))
	})
}

func TestB3_CloseEndsTakersOfAnEmptiedQueue(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		item := put(t, q, "last", time.Minute)
		first, second := take(nil, q), take(nil, q)
		require.True(t, item.Remove())
		q.Close()
		first.failed(t, delayqueue.ErrClosed, 0)
		second.failed(t, delayqueue.ErrClosed, 0)
	})
}

func TestB4_AnElementDueNowCanBeResetAndRemoved(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		a, b := put(t, q, "a", time.Second), put(t, q, "b", time.Second)
		time.Sleep(time.Second)
		require.True(t, a.Reset(time.Second))
		require.True(t, b.Remove())
		require.Empty(t, drain(q))
		time.Sleep(2 * time.Second)
		require.True(t, a.Reset(-time.Hour), "overdue")
		require.Equal(t, []string{"a"}, drain(q))
	})
}

func TestB5_TwoElementsAtOnceAreBothTakenByAParkedTaker(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		for range 100 {
			first := take(nil, q)
			go func() { _, _ = q.Put("a", 0) }()
			go func() { _, _ = q.Put("a", 0) }()
			first.got(t, "a", 0)
			take(nil, q).got(t, "a", 0)
		}
	})
}

// The contexts end at some point between the call of Take and its wait.
func TestB6_CancellationOnTheWayIntoTheWaitIsSeen(t *testing.T) {
	for name, delay := range map[string]time.Duration{"leader": time.Hour, "follower": math.MaxInt64} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				put(t, q, "far", delay)
				if name == "follower" {
					take(nil, q)
				}
				for range 200 {
					ctx, cancel := context.WithCancel(t.Context())
					k := startTake(ctx, q)
					runtime.Gosched()
					cancel()
					k.failed(t, context.Canceled, 0)
				}
			})
		})
	}
}

func TestB7_ClosingOnTheWayIntoTheWaitIsSeen(t *testing.T) {
	for range 200 {
		virtual(t, func(t *testing.T, q *queue) {
			put(t, q, "far", time.Hour)
			takings := []*taking{startTake(nil, q), startTake(nil, q), startTake(nil, q)}
			runtime.Gosched()
			q.Close()
			for _, k := range takings {
				k.failed(t, delayqueue.ErrClosed, 0)
			}
		})
	}
}

// Far and near meet in the heap, in either order and with the near one overdue: a comparison by
// subtraction, or a sum that wraps, would bring the far one first.
func TestDQI18_B9_FarDelaysNeverWrap(t *testing.T) {
	type way func(t *testing.T, q *queue, e string)
	delay := func(d time.Duration) way {
		return func(t *testing.T, q *queue, e string) { put(t, q, e, d) }
	}
	at := func(when func() time.Time) way {
		return func(t *testing.T, q *queue, e string) {
			_, err := q.PutAt(e, when())
			require.NoError(t, err)
		}
	}
	reset := func(d time.Duration) way {
		return func(t *testing.T, q *queue, e string) { require.True(t, put(t, q, e, time.Minute).Reset(d)) }
	}
	near := []way{
		delay(0), delay(-1), delay(math.MinInt64), reset(0), reset(math.MinInt64), delay(time.Millisecond),
		at(time.Now), at(func() time.Time { return time.Time{} }),
	}
	far := []way{
		delay(math.MaxInt64), delay(math.MaxInt64 - 1), reset(math.MaxInt64),
		at(func() time.Time { return time.Now().Add(math.MaxInt64) }),
		at(func() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }),
	}
	for i, near := range near {
		for j, far := range far {
			t.Run(fmt.Sprintf("%d against %d", i, j), func(t *testing.T) {
				virtual(t, func(t *testing.T, q *queue) {
					time.Sleep(time.Hour) // away from the epoch, so that a sum can wrap
					far(t, q, "far")
					near(t, q, "near")
					time.Sleep(time.Second)
					far(t, q, "far")
					require.Equal(t, []string{"near", "far", "far"}, elements(q))
					require.Equal(t, []string{"near"}, drain(q))
					take(within(t, 1000*time.Hour), q).failed(t, context.DeadlineExceeded, 1000*time.Hour)
					require.Equal(t, 2, q.Len())
				})
			})
		}
	}
}

// Time.

func TestDQI20_DQT38_EachElementIsTakenExactlyOnItsTime(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		start := time.Now()
		for i := 50; i > 0; i-- {
			put(t, q, fmt.Sprint(i), time.Duration(i)*time.Millisecond)
		}
		for i := 1; i <= 50; i++ {
			e, err := q.Take(t.Context())
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(i), e)
			require.Equal(t, time.Duration(i)*time.Millisecond, time.Since(start))
		}
	})
}

func TestANanosecondEarlyIsTooEarly(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", time.Hour)
		time.Sleep(time.Hour - 1)
		_, ok := q.Poll()
		require.False(t, ok)
		require.Empty(t, q.Drain(1))
		time.Sleep(1)
		_, ok = q.Poll()
		require.True(t, ok)
	})
}

func TestPutAtCountsFromTheGivenTime(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		at := time.Now().Add(time.Hour)
		_, err := q.PutAt("a", at)
		require.NoError(t, err)
		_, peeked, _ := q.Peek()
		require.True(t, peeked.Equal(at))
		take(nil, q).got(t, "a", time.Hour)
	})
}

// Java's DelayQueue keeps the order of what its elements say; a time gone by means now here, behind
// what is due already.
func TestATimeGoneByMeansNow(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		put(t, q, "b", -time.Hour)
		_, err := q.PutAt("c", time.Now().Add(-2*time.Hour))
		require.NoError(t, err)
		_, err = q.PutAt("d", time.Time{})
		require.NoError(t, err)
		_, at, _ := q.Peek()
		require.True(t, at.Equal(time.Now()))
		require.Equal(t, []string{"a", "b", "c", "d"}, drain(q))
	})
}

func TestAnOverdueElementComesBeforeAFreshOne(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "old", time.Second)
		time.Sleep(time.Minute)
		put(t, q, "fresh", 0)
		require.Equal(t, []string{"old", "fresh"}, drain(q))
	})
}

// The plain operations.

func TestDQI21_DQT08_DQT09_PutAlwaysSucceedsAndGrowsTheQueue(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		for i := range 1000 {
			require.Equal(t, i, q.Len())
			put(t, q, "a", time.Duration(i%7)*time.Second)
		}
	})
}

func TestDQI22_TheSameValueTwiceIsTwoElements(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", time.Second)
		second := put(t, q, "a", 2*time.Second)
		require.Equal(t, 2, q.Len())
		require.True(t, second.Remove())
		require.Equal(t, 1, q.Len())
		take(nil, q).got(t, "a", time.Second)
	})
}

func TestDQT06_DQT07_LenCountsAllElements(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		require.Zero(t, q.Len())
		for n := 1; n <= 20; n++ {
			put(t, q, "a", time.Duration(n%2)*time.Hour)
			require.Equal(t, n, q.Len())
		}
		for n := 9; n >= 0; n-- {
			q.Poll()
			require.Equal(t, 10+n, q.Len())
		}
		time.Sleep(time.Hour)
		for n := 9; n >= 0; n-- {
			_, err := q.Take(nil)
			require.NoError(t, err)
			require.Equal(t, n, q.Len())
		}
	})
}

func TestDQT05_DQT13_DQT16_TakeDeliversEverythingInOrder(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		for _, i := range []int{7, 3, 9, 0, 5, 1, 8, 2, 6, 4} {
			put(t, q, fmt.Sprint(i), time.Duration(i)*time.Second)
		}
		for i := range 10 {
			e, err := q.Take(t.Context())
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(i), e)
		}
		require.Zero(t, q.Len())
	})
}

func TestDQT14_PutWaitsForNoTaker(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		k := take(nil, q)
		for range 4 {
			put(t, q, "a", 0)
		}
		k.got(t, "a", 0)
		require.Equal(t, 3, q.Len())
	})
}

func TestDQT18_DQT19_DQT40_PollTakesWhatIsDueInOrder(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		_, ok := q.Poll()
		require.False(t, ok, "empty")
		put(t, q, "later", math.MaxInt64)
		put(t, q, "b", time.Second)
		put(t, q, "a", 0)
		require.Equal(t, []string{"a"}, drain(q))
		time.Sleep(time.Second)
		require.Equal(t, []string{"b"}, drain(q))
		require.Equal(t, 1, q.Len())
	})
}

func TestDQT22_DQT39_PeekShowsTheHeadAndLeavesIt(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		_, at, ok := q.Peek()
		require.False(t, ok)
		require.True(t, at.IsZero())
		now := time.Now()
		put(t, q, "later", math.MaxInt64)
		for range 2 {
			e, at, ok := q.Peek()
			require.True(t, ok)
			require.Equal(t, "later", e)
			require.True(t, at.After(now.Add(290*365*24*time.Hour)))
		}
		put(t, q, "sooner", time.Hour)
		e, at, ok := q.Peek()
		require.True(t, ok)
		require.Equal(t, "sooner", e)
		require.True(t, at.Equal(now.Add(time.Hour)))
		require.Equal(t, 2, q.Len())
	})
}

func TestDQT25_BQT18_RemoveIsTrueOnceAndTouchesNoNeighbour(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		var items []*delayqueue.Item[string]
		var want []string
		for i := range 20 {
			items = append(items, put(t, q, fmt.Sprint(i), time.Duration(i)*time.Second))
			if i%4 == 0 {
				want = append(want, fmt.Sprint(i))
			}
		}
		for _, offset := range []int{1, 3, 2} {
			for i := offset; i < len(items); i += 4 {
				require.True(t, items[i].Remove())
				require.False(t, items[i].Remove())
			}
		}
		require.Equal(t, want, elements(q))
		time.Sleep(time.Minute)
		require.Equal(t, want, drain(q))
		require.False(t, items[0].Remove(), "taken")
	})
}

func TestDQT45_AHandleOfNothingRemovesNothing(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		var none *delayqueue.Item[string]
		require.False(t, none.Remove())
		require.False(t, none.Reset(0))
		var zero delayqueue.Item[string]
		require.False(t, zero.Remove())
		require.False(t, zero.Reset(0))
		require.Equal(t, 1, q.Len())
	})
}

func TestDQT26_AnEmptiedQueueCanBeUsedAgain(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		for range 3 {
			for i := range 10 {
				put(t, q, fmt.Sprint(i), 0)
			}
			require.Len(t, q.Drain(100), 10)
			require.Zero(t, q.Len())
			_, _, ok := q.Peek()
			require.False(t, ok)
		}
	})
}

func TestDQT42_DrainTakesWhatIsDueInOrder(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		for range 2 { // it works again after refilling
			for _, i := range []int{2, 0, 1, 5, 4, 3} {
				put(t, q, fmt.Sprint(i), time.Duration(i)*time.Second)
			}
			time.Sleep(3 * time.Second)
			require.Equal(t, []string{"0", "1", "2", "3"}, q.Drain(100))
			require.Equal(t, 2, q.Len())
			time.Sleep(time.Hour)
			require.Equal(t, []string{"4", "5"}, q.Drain(100))
		}
		require.Empty(t, q.Drain(100))
	})
}

func TestDQT44_DrainTakesAtMostThatMany(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		for n := range 8 {
			for i := range 5 {
				put(t, q, fmt.Sprint(i), 0)
			}
			require.Len(t, q.Drain(n), min(n, 5))
			require.Equal(t, 5-min(n, 5), q.Len())
			drain(q)
		}
	})
}

func TestADrainOfVeryManyLetsOthersAtTheQueueInBetween(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		const n = 1000
		var want []string
		for i := range n {
			put(t, q, fmt.Sprint(i), 0)
			want = append(want, fmt.Sprint(i))
		}
		var polled string
		delaytest.Once(t, delay.PieceDrained, func() {
			polled, _ = q.Poll()
			put(t, q, "came meanwhile", 0)
		})
		got := q.Drain(n)
		require.Contains(t, want, polled)
		want = slices.DeleteFunc(want, func(s string) bool { return s == polled })
		require.Equal(t, append(want, "came meanwhile"), got, "in order, and none left out")
	})
}

func TestBQT12_DrainOfNoneOrLessTakesNothing(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		for _, n := range []int{0, -1, -42, math.MinInt} {
			require.Empty(t, q.Drain(n))
			require.Equal(t, 1, q.Len())
		}
		require.Equal(t, []string{"a"}, drain(q))
	})
}

func TestDrainOfTheMostTakesAll(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		require.Equal(t, []string{"a"}, q.Drain(math.MaxInt))
	})
}

func TestDQT37_ATakerGetsWhatAnotherGoroutinePuts(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		_, ok := q.Poll()
		require.False(t, ok)
		go func() {
			time.Sleep(time.Second)
			_, _ = q.Put("a", time.Second)
		}()
		take(within(t, time.Minute), q).got(t, "a", 2*time.Second)
		require.Zero(t, q.Len())
	})
}

// Aborted waits leave nothing behind, such as a place in the list of those who wait.
func TestJTQ09_AbortedTakesDoNotAddUp(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "later", time.Hour)
		abort := func(n int) {
			for range n {
				ctx, cancel := context.WithTimeout(context.Background(), 1)
				_, err := q.Take(ctx)
				cancel()
				require.ErrorIs(t, err, context.DeadlineExceeded)
			}
		}
		abort(100)
		before := probe.HeapInUse()
		abort(20_000)
		assert.Less(t, probe.HeapInUse(), before+500_000)
	})
}

// All.

func TestDQT30_DQT33_DQT35_AllVisitsEveryElementInOrderWithItsTime(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		now := time.Now()
		for _, i := range []int{2, 1, 3, 0} {
			put(t, q, fmt.Sprint(i), time.Duration(i)*time.Second)
		}
		i := 0
		for at, e := range q.All() {
			require.Equal(t, fmt.Sprint(i), e)
			require.True(t, at.Equal(now.Add(time.Duration(i)*time.Second)))
			i++
		}
		require.Equal(t, 4, i)
		require.Equal(t, 4, q.Len(), "they are still there")
		time.Sleep(time.Minute)
		require.Equal(t, []string{"0", "1", "2", "3"}, drain(q), "Take has the same order")
	})
}

func TestDQT34_AllOfAnEmptyQueueVisitsNothing(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		require.Empty(t, elements(q))
	})
}

func TestAllCanBeLeftHalfway(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		put(t, q, "b", 0)
		next, stop := iter.Pull2(q.All())
		_, e, ok := next()
		require.True(t, ok)
		require.Equal(t, "a", e)
		stop()
		for _, e := range q.All() {
			require.Equal(t, "a", e)
			break
		}
		require.Equal(t, 2, q.Len())
	})
}

func TestDQI23_JTQ01_AllWalksASnapshot(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		var items []*delayqueue.Item[string]
		for _, e := range []string{"a", "b", "c"} {
			items = append(items, put(t, q, e, math.MaxInt64))
		}
		var seen []string
		for _, e := range q.All() {
			if len(seen) == 0 {
				for _, item := range items {
					require.True(t, item.Remove())
				}
				put(t, q, "new", 0)
			}
			seen = append(seen, e)
		}
		require.Equal(t, []string{"a", "b", "c"}, seen)
		require.Equal(t, []string{"new"}, elements(q))
	})
}

// The snapshot is taken when the walk starts, not when the sequence is made; each walk has its own.
func TestDQI23_AllLooksAnewAtEachUse(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		all := q.All()
		for n := range 3 {
			put(t, q, "a", 0)
			visited := 0
			for range all {
				visited++
			}
			require.Equal(t, n+1, visited)
		}
	})
}

func TestJTQ01_RemoveTakesThisElementThoughAllAreEqual(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		var items []*delayqueue.Item[string]
		for range 10 {
			items = append(items, put(t, q, "same", math.MaxInt64))
		}
		kept := items[5]
		for _, item := range slices.Delete(slices.Clone(items), 5, 6) {
			require.True(t, item.Remove())
		}
		require.Equal(t, 1, q.Len())
		require.True(t, kept.Reset(0), "the one left is the one not removed")
		require.Equal(t, []string{"same"}, drain(q))
	})
}

func TestDQI16_R04_TheBodyOfARangeMayUseTheQueue(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		for range q.All() {
			require.Equal(t, 1, q.Len())
			_, ok := q.Poll()
			require.True(t, ok)
		}
	})
}

// Closing.

func TestCloseEndsEveryTakeAtOnce(t *testing.T) {
	for name, fill := range map[string]bool{"empty": false, "with a leader": true} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				if fill {
					put(t, q, "later", time.Hour)
				}
				var takings []*taking
				for range 10 {
					takings = append(takings, take(within(t, time.Minute), q))
				}
				time.Sleep(time.Second)
				q.Close()
				for _, k := range takings {
					k.failed(t, delayqueue.ErrClosed, time.Second)
				}
				take(nil, q).failed(t, delayqueue.ErrClosed, 0)
			})
		})
	}
}

func TestCloseRefusesPuts(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		q.Close()
		item, err := q.Put("a", 0)
		require.ErrorIs(t, err, delayqueue.ErrClosed)
		require.False(t, item.Remove(), "a refused element has no handle")
		item, err = q.PutAt("a", time.Now())
		require.ErrorIs(t, err, delayqueue.ErrClosed)
		require.False(t, item.Reset(0))
		require.Zero(t, q.Len())
	})
}

func TestAClosedQueueTakesNothingNotEvenWhatIsDue(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		q.Close()
		take(nil, q).failed(t, delayqueue.ErrClosed, 0)
		take(probe.Ended(), q).failed(t, delayqueue.ErrClosed, 0)
		require.Equal(t, 1, q.Len())
	})
}

func TestTheElementsOfAClosedQueueCanStillBeHad(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", 0)
		put(t, q, "b", 0)
		put(t, q, "c", 0)
		moved := put(t, q, "d", time.Minute)
		removed := put(t, q, "e", time.Hour)
		q.Close()
		e, _, ok := q.Peek()
		require.True(t, ok)
		require.Equal(t, "a", e)
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, elements(q))
		e, ok = q.Poll()
		require.True(t, ok)
		require.Equal(t, "a", e)
		require.Equal(t, []string{"b"}, q.Drain(1))
		require.True(t, removed.Remove())
		require.True(t, moved.Reset(0))
		require.Equal(t, []string{"c", "d"}, q.Drain(10))
		require.Zero(t, q.Len())
	})
}

func TestClosingTwiceIsHarmless(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "later", time.Hour)
		k := take(nil, q)
		q.Close()
		q.Close()
		k.failed(t, delayqueue.ErrClosed, 0)
		q.Close()
		put := func() { _, _ = q.Put("a", 0) }
		require.NotPanics(t, put)
	})
}

// Rules for a library that is used inside testing/synctest.

// Objects of one bubble must not turn up in another, or outside.
func TestR02_BubblesAndTheRealClockShareNothing(t *testing.T) {
	use := func(t *testing.T, q *queue) {
		item := put(t, q, "a", time.Hour)
		ctx, cancel := context.WithTimeout(context.Background(), time.Microsecond)
		defer cancel()
		_, err := q.Take(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		item.Reset(time.Millisecond)
		e, err := q.Take(nil)
		require.NoError(t, err)
		require.Equal(t, "a", e)
	}
	for range 3 {
		virtual(t, use)
		q := delayqueue.New[string]()
		use(t, q)
		q.Close()
	}
}

func TestR04_WhileATakerWaitsTheQueueIsUsable(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		item := put(t, q, "later", time.Hour)
		leader := take(nil, q)
		take(nil, q)
		require.Equal(t, 1, q.Len())
		require.Equal(t, []string{"later"}, elements(q))
		_, _, ok := q.Peek()
		require.True(t, ok)
		_, ok = q.Poll()
		require.False(t, ok)
		require.Empty(t, q.Drain(1))
		require.True(t, item.Reset(time.Minute))
		leader.got(t, "later", time.Minute)
	})
}

// With a ticker of its own a queue would keep a stuck test running, and would look for nothing.
func TestR07_AnIdleQueueDoesNothing(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		take(nil, q)
		take(nil, q)
		time.Sleep(1000 * time.Hour)
		require.Zero(t, wakes(q))
	})
}

func TestR07_AWaitForALongTimeIsOneWait(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		const century = 100 * 365 * 24 * time.Hour
		put(t, q, "a", century)
		k := take(nil, q)
		k.got(t, "a", century)
		require.Equal(t, 1, wakes(q))
	})
}

func TestR08_CloseInACleanupLetsTheBubbleEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delayqueue.New[string]()
		t.Cleanup(q.Close)
		put(t, q, "later", time.Hour)
		take(nil, q)
		take(nil, q)
	})
}

// A taker bound to the test's context needs no Close.
func TestR11_TheTestsContextEndsATake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delayqueue.New[string]()
		put(t, q, "later", time.Hour)
		take(t.Context(), q)
		take(t.Context(), q)
	})
}
