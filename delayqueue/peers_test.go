package delayqueue_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
)

// The tests of this file hold bugs of other schedulers, whose threads docs/rows.md names, against
// the queue. Where a bug was a race, a delay point makes the unlucky order the only one.

// pbWaits are the ways a taker can come to wait, with the point at which it has let go of the lock
// and does not wait yet.
var pbWaits = map[string]struct {
	point delay.Point
	prior func(t *testing.T, q *queue)
}{
	"leader": {delay.LeaderLeft, func(t *testing.T, q *queue) { put(t, q, "far", time.Hour) }},
	"follower": {delay.FollowerLeft, func(t *testing.T, q *queue) {
		put(t, q, "far", time.Hour)
		take(nil, q)
	}},
	"taker of an empty queue": {delay.FollowerLeft, func(*testing.T, *queue) {}},
}

func pbEachWait(t *testing.T, test func(t *testing.T, q *queue, point delay.Point)) {
	for name, way := range pbWaits {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				way.prior(t, q)
				test(t, q, way.point)
			})
		})
	}
}

func TestB6_ACancellationBetweenTheLookAndTheWaitIsSeen(t *testing.T) {
	pbEachWait(t, func(t *testing.T, q *queue, point delay.Point) {
		ctx, cancel := context.WithCancel(t.Context())
		delaytest.Once(t, point, cancel)
		take(ctx, q).failed(t, context.Canceled, 0)
	})
}

func TestB7_AClosingBetweenTheLookAndTheWaitIsSeen(t *testing.T) {
	pbEachWait(t, func(t *testing.T, q *queue, point delay.Point) {
		delaytest.Once(t, point, q.Close)
		take(nil, q).failed(t, delayqueue.ErrClosed, 0)
	})
}

// Two elements come to a taker that is about to wait: it is woken once, and neither is left behind.
func TestB5_TwoElementsBetweenTheLookAndTheWaitAreBothTaken(t *testing.T) {
	pbEachWait(t, func(t *testing.T, q *queue, point delay.Point) {
		delaytest.Once(t, point, func() {
			_, _ = q.Put("due", 0)
			_, _ = q.Put("due", 0)
		})
		take(nil, q).got(t, "due", 0)
		take(nil, q)
		require.NotContains(t, elements(q), "due")
	})
}

// The follower that is called for an element is cancelled on its way to it.
func TestB8_ACalledFollowerThatIsCancelledLeavesTheElementToTheLeader(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "far", time.Hour)
		leader := take(nil, q)
		ctx, cancel := context.WithCancel(t.Context())
		follower := take(ctx, q)
		delaytest.Once(t, delay.FollowerWoken, cancel)
		put(t, q, "due", 0)
		follower.failed(t, context.Canceled, 0)
		leader.got(t, "due", 0)
	})
}

// The leader is cancelled when its time has come, before it takes the element.
func TestB8_ALeaderThatIsCancelledOnTimeLeavesTheElementToAFollower(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "a", time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		leader, follower := take(ctx, q), take(nil, q)
		delaytest.Once(t, delay.LeaderWoken, cancel)
		leader.failed(t, context.Canceled, time.Minute)
		follower.got(t, "a", time.Minute)
	})
}

// pbExtremes are delays at which sums and differences of 64 bits, or of 32, change their sign.
var pbExtremes = []time.Duration{
	math.MinInt64, math.MinInt64 + 1, math.MinInt64 / 2, math.MinInt32, -1, 0, 1, math.MaxInt32, math.MaxInt32 + 1,
	math.MaxUint32, math.MaxUint32 + 1, time.Hour, math.MaxInt64/2 - 1, math.MaxInt64 / 2, math.MaxInt64/2 + 1,
	math.MaxInt64 - time.Duration(time.Hour), math.MaxInt64 - 1, math.MaxInt64,
}

// pbExtreme is one of them, or near one.
var pbExtreme = rapid.Custom(func(t *rapid.T) time.Duration {
	d, near := rapid.SampledFrom(pbExtremes).Draw(t, "extreme"), time.Duration(rapid.IntRange(-2, 2).Draw(t, "near"))
	if sum := d + near; (sum > d) == (near > 0) {
		return sum
	}
	return d
})

// pbLater is now plus d, where d counts if it is positive, and no sum is past the end of the clock.
func pbLater(now, d time.Duration) time.Duration {
	return now + min(max(d, 0), math.MaxInt64-now)
}

func TestB11_ExtremeDelaysKeepTheirOrderWhateverTheAgeOfTheQueue(t *testing.T) {
	ages := []time.Duration{0, 1, math.MaxInt32, time.Hour, 100 * 365 * 24 * time.Hour}
	rapid.Check(t, func(t *rapid.T) {
		age := rapid.SampledFrom(ages).Draw(t, "age")
		delays := rapid.SliceOfN(pbExtreme, 1, 20).Draw(t, "delays")
		rapid.SyncTest(t, func(t *rapid.T) {
			q := delayqueue.New[int]()
			defer q.Close()
			time.Sleep(age)
			var want []int
			for i, d := range delays {
				_, _ = q.Put(i, d)
				want = append(want, i)
			}
			slices.SortStableFunc(want, func(a, b int) int {
				return cmp.Compare(pbLater(age, delays[a]), pbLater(age, delays[b]))
			})
			var got []int
			for _, i := range q.All() {
				got = append(got, i)
			}
			require.Equal(t, want, got)
			time.Sleep(2 * time.Hour)
			later := slices.IndexFunc(want, func(i int) bool { return delays[i] > 2*time.Hour })
			if later >= 0 {
				want = want[:later]
			}
			require.ElementsMatch(t, want, q.Drain(math.MaxInt))
		})
	})
}

// As many come and go, in any order, that the heap moves each of them often. Nothing is lost,
// nobody comes back, and what is left is in order.
func TestB13_TensOfThousandsPutResetAndRemovedLeaveTheRestInOrder(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		type kept struct {
			name string
			item *delayqueue.Item[string]
			when time.Duration
			turn int // of the last Put or Reset: among equals the order is theirs
		}
		var in []kept
		rng := rand.New(rand.NewPCG(13, 13))
		for turn := range 30_000 {
			when := time.Duration(1 + rng.IntN(50))
			switch i := rng.IntN(1 + len(in)); {
			case i == len(in) || rng.IntN(5) < 2:
				name := fmt.Sprint(turn)
				in = append(in, kept{name, put(t, q, name, when), when, turn})
			case rng.IntN(2) == 0:
				require.True(t, in[i].item.Reset(when))
				in[i].when, in[i].turn = when, turn
			default:
				require.True(t, in[i].item.Remove())
				require.False(t, in[i].item.Remove())
				in[i] = in[len(in)-1]
				in = in[:len(in)-1]
			}
			require.Equal(t, len(in), q.Len())
		}
		slices.SortFunc(in, func(a, b kept) int {
			return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.turn, b.turn))
		})
		var want []string
		for _, k := range in {
			want = append(want, k.name)
		}
		require.Equal(t, want, elements(q))
		time.Sleep(50)
		require.Equal(t, want, drain(q))
	})
}

// One alarm serves all heads: that of a leader whose head changes again and again is moved, and no
// other is made. In a bubble it is a time.Timer, which would be an allocation.
func TestB25_AHeadThatChangesMovesTheOneTimerThereIs(t *testing.T) {
	virtual(t, func(t *testing.T, q *queue) {
		put(t, q, "far", time.Hour)
		k := take(nil, q)
		require.EqualValues(t, 1, testing.AllocsPerRun(rounds, func() {
			item, err := q.Put("sooner", time.Minute)
			if err != nil || !item.Reset(time.Second) || !item.Remove() {
				t.Error("not moved")
			}
			synctest.Wait()
		}), "the item")
		require.False(t, k.over())
		k.got(t, "far", time.Hour)
	})
}

// As many takers as the queue keeps places for, and one more or less: the places are used again,
// and no taker is forgotten.
func TestB55_AnyNumberOfTakersIsServedTwice(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 129} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			virtual(t, func(t *testing.T, q *queue) {
				for range 2 {
					var takings []*taking
					for range n {
						takings = append(takings, startTake(nil, q))
					}
					synctest.Wait()
					for range n {
						put(t, q, "a", time.Second)
					}
					time.Sleep(time.Second)
					require.Equal(t, n, taken(takings))
				}
			})
		})
	}
}

func TestB55_DrainTakesExactlyAsManyAsItMay(t *testing.T) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 1023, 1024, 1025} {
		for _, limit := range []int{math.MinInt, -1, 0, 1, n - 1, n, n + 1, math.MaxInt} {
			virtual(t, func(t *testing.T, q *queue) {
				for range n {
					put(t, q, "a", 0)
				}
				want := max(min(limit, n), 0)
				require.Len(t, q.Drain(limit), want, "%d of %d", limit, n)
				require.Equal(t, n-want, q.Len(), "%d of %d", limit, n)
			})
		}
	}
}
