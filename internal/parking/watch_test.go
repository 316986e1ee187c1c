package parking

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watch has a taker leave with an element, while the next is due in d.
func (o *owner) watch(d time.Duration) (w Watch) {
	o.do(func() {
		o.head = o.now() + int64(d)
		w = o.lot.Watch(o.head, o.now(), false)
	})
	return w
}

// back has it return, and notify.
func (o *owner) back(w Watch) {
	o.do(func() {
		o.lot.Back(w)
		o.lot.Notify(o.head, o.now(), false)
	})
}

func TestATakerThatWatchesCallsNobody(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		w := o.watch(time.Second)
		require.False(t, o.returned(follower))
		require.False(t, o.put(time.Minute), "a later head does not grow the pool")
		require.False(t, o.returned(follower))
		o.back(w)
		require.True(t, o.returned(follower), "it leaves for good, so another has to lead")
		require.Equal(t, uint64(1), o.wakes())
	})
}

func TestTheGuardCallsWhenTheHeadIsDue(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		w := o.watch(time.Second)
		time.Sleep(time.Minute)
		require.True(t, o.returned(follower), "the taker is still out")
		require.Equal(t, time.Second, follower.at)

		// Nobody relies on it any more: the next to leave has another come at once.
		o.do(func() { o.head = Nothing })
		follower = o.park(nil, nil)
		o.put(time.Hour)
		require.True(t, o.returned(follower))
		o.do(func() {
			require.Zero(t, o.lot.watch.out)
			o.head = Nothing
			o.lot.Back(w)
			require.Zero(t, o.lot.watch.out, "it has been written off, and is so once")
		})
	})
}

func TestAnEarlierHeadMovesTheGuard(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		w := o.watch(time.Hour)
		require.False(t, o.put(time.Second))
		require.False(t, o.returned(follower))
		time.Sleep(time.Minute)
		require.True(t, o.returned(follower))
		require.Equal(t, time.Second, follower.at)
		o.do(func() { o.lot.Back(w) })
	})
}

// It watches because the head was far away. A nearer one is for somebody who is not busy.
func TestATakerThatIsUnsureIsReliedOnForFarHeadsOnly(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		var w Watch
		o.do(func() {
			o.head = o.now() + int64(time.Hour)
			w = o.lot.Watch(o.head, o.now(), true)
		})
		require.False(t, o.put(time.Minute))
		require.False(t, o.returned(follower), "a minute is far away, too")
		require.False(t, o.put(time.Duration(GuardWithin)))
		require.True(t, o.returned(follower), "it is to lead")
		o.do(func() {
			o.head = Nothing
			o.lot.Back(w)
			require.Zero(t, o.lot.watch.unsure)
		})
	})
}

func TestAHeadThatIsDueCallsInSpiteOfTheWatch(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		w := o.watch(time.Hour)
		require.False(t, o.put(0))
		require.True(t, o.returned(follower))
		o.do(func() {
			o.head = Nothing
			o.lot.Back(w)
		})
	})
}

func TestTheFirstHeadSetsTheGuardOfOneWhoWatchesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		var w Watch
		o.do(func() { w = o.lot.Watch(Nothing, o.now(), false) })
		require.False(t, o.put(time.Second))
		require.False(t, o.returned(follower))
		time.Sleep(time.Minute)
		require.True(t, o.returned(follower))
		require.Equal(t, time.Second, follower.at)
		o.do(func() { o.lot.Back(w) })
	})
}

// A pool that is idle must not be woken by what is left of its last run.
func TestNoGuardIsLeftBehind(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		w := o.watch(time.Second)
		o.mu.Lock() // not checked between the two: it parks itself
		o.lot.Back(w)
		o.head = o.now() + int64(time.Hour)
		o.mu.Unlock()
		leader := o.park(nil, nil)
		assert.False(t, o.rest().watch.set)
		time.Sleep(time.Minute)
		require.False(t, o.returned(follower))
		require.False(t, o.returned(leader))
		require.Zero(t, o.wakes())
	})
}

// While takers come and go with brief runs, the guard lets them.
func TestTheGuardSparesBriefRuns(t *testing.T) {
	o := newOwner(t)
	w := NewWaiter()
	parked := make(chan struct{})
	go func() {
		defer close(parked)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.lot.Park(w, Nothing, o.now(), nil, nil, nil)
	}()
	for o.mu.Lock(); o.lot.followers == 0; o.mu.Lock() {
		o.mu.Unlock()
	}
	hour := int64(time.Hour)
	o.lot.watch.guard = time.AfterFunc(time.Hour, func() {}) // which is not left to real time
	challenge := func() {
		o.mu.Unlock()
		o.lot.challenge()
		o.mu.Lock()
	}
	out := o.lot.Watch(hour, 1, false)
	require.True(t, o.lot.watch.set)
	o.lot.Back(out)
	out = o.lot.Watch(hour, 1, false)
	challenge()
	require.Equal(t, 1, o.lot.followers, "it is out with another run than when the guard was set")
	require.True(t, o.lot.watch.set, "and that one is guarded, too")
	o.head = hour
	challenge()
	require.Zero(t, o.lot.followers, "it is out with the same run still")
	require.False(t, o.lot.watch.set)
	o.mu.Unlock()
	<-parked
	o.mu.Lock()
	o.lot.Back(out)
	o.lot.Close()
	o.mu.Unlock()
}

func TestAGuardThatComesTooLateDoesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		follower := o.park(nil, nil)
		w := o.watch(time.Second)
		o.do(func() {
			o.lot.stopGuard()
			o.head = Nothing
			o.lot.Back(w)
		})
		o.lot.challenge()
		synctest.Wait()
		require.False(t, o.returned(follower))
	})
}

func TestSpinEndsWhenTheHeadIsDue(t *testing.T) {
	o := newOwner(t)
	o.mu.Lock()
	defer o.mu.Unlock()
	for d := int64(-1); d < Cost; d += 500 {
		head := o.now() + d
		now, ok := o.lot.Spin(head, o.now())
		require.True(t, ok)
		require.GreaterOrEqual(t, now, head)
		require.Zero(t, o.lot.coming)
	}
	_, ok := o.lot.Spin(o.now()+2*Cost, o.now())
	require.False(t, ok, "it is too long to spin")
}

func TestInVirtualTimeNobodySpins(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		o.do(func() {
			_, ok := o.lot.Spin(o.now()+1, o.now())
			require.False(t, ok)
		})
	})
}

// The first look after a pause is on time; those that follow are apart.
func TestSpaceKeepsWakeUpsApart(t *testing.T) {
	bubble(t, func(t *testing.T, o *owner) {
		time.Sleep(time.Hour)
		o.do(func() { o.head = o.now() + int64(time.Second) })
		leader := o.park(nil, nil)
		time.Sleep(time.Minute)
		require.True(t, o.returned(leader))
		woke := int64(time.Hour + time.Second)
		o.do(func() {
			o.head = Nothing
			const slack = int64(10 * time.Millisecond)
			for head, want := range map[int64]int64{
				Nothing:          Nothing,
				woke - 1:         woke - 1,
				woke:             woke,
				woke + 1:         woke + slack,
				woke + slack - 1: woke + slack,
				woke + slack:     woke + slack,
				woke + slack + 1: woke + slack + 1,
			} {
				assert.Equal(t, want, o.lot.Space(head, slack))
				assert.Equal(t, head, o.lot.Space(head, 0))
			}
		})
	})
}
