package delayqueue_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/internal/probe"
)

// rounds is few enough for the heap to keep its array while it is emptied.
const rounds = 500

// full returns a queue of elements that are due, one for each round and the warm-up.
func full(t *testing.T) *delayqueue.Queue[int] {
	q := delayqueue.New[int]()
	t.Cleanup(q.Close)
	for i := range rounds + 1 {
		_, err := q.Put(i, 0)
		require.NoError(t, err)
	}
	return q
}

func TestTakeOfADueElementAllocatesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"nil": nil, "background": context.Background(), "cancellable": ctx} {
		t.Run(name, func(t *testing.T) {
			q := full(t)
			require.Zero(t, testing.AllocsPerRun(rounds, func() { _, _ = q.Take(ctx) }))
			require.Zero(t, q.Len())
		})
	}
}

func TestPollAllocatesNothing(t *testing.T) {
	q := full(t)
	require.Zero(t, testing.AllocsPerRun(rounds, func() { q.Poll() }))
	require.Zero(t, q.Len())
}

func TestPutIsOneAllocation(t *testing.T) {
	q := full(t)
	require.Len(t, q.Drain(rounds+1), rounds+1) // the heap's array is large enough now
	i := 0
	require.EqualValues(t, 1, testing.AllocsPerRun(rounds, func() {
		i++
		_, _ = q.Put(i, time.Duration(i%7)*time.Second)
	}))
}

func TestRemoveAndResetAllocateNothing(t *testing.T) {
	q := full(t)
	items := make([]*delayqueue.Item[int], rounds+1)
	for i := range items {
		items[i], _ = q.Put(i, time.Hour)
	}
	i := 0
	require.Zero(t, testing.AllocsPerRun(rounds, func() {
		items[i].Reset(time.Duration(i) * time.Minute)
		i++
	}))
	i = 0
	require.Zero(t, testing.AllocsPerRun(rounds, func() {
		items[i].Remove()
		i++
	}))
	require.Equal(t, rounds+1, q.Len())
}

func TestJTQ09_TakeWithAnEndedContextAllocatesNothing(t *testing.T) {
	q := full(t)
	ctx := probe.Ended()
	require.Zero(t, testing.AllocsPerRun(rounds, func() { _, _ = q.Take(ctx) }))
	require.Equal(t, rounds+1, q.Len())
}

// echo takes until the queue is closed, and tells of each element.
func echo(q *delayqueue.Queue[int], told chan<- int) {
	for {
		i, err := q.Take(context.Background())
		if err != nil {
			return
		}
		told <- i
	}
}

// The taker waits in each round, first for a call and then for the time. It reuses its place and
// the queue's timer, so the one allocation is that of Put.
func TestB25_ATakeThatWaitsReusesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delayqueue.New[int]()
		defer q.Close()
		told := make(chan int)
		go echo(q, told)
		require.EqualValues(t, 1, testing.AllocsPerRun(rounds, func() {
			synctest.Wait()
			_, _ = q.Put(1, time.Millisecond)
			<-told
		}))
	})
}

// The same on the real clock, where the leader waits on the operating system's timer.
func TestPingPongAllocatesForPutOnly(t *testing.T) {
	for name, delay := range map[string]time.Duration{"due": 0, "soon": 20 * time.Microsecond} {
		t.Run(name, func(t *testing.T) {
			q := delayqueue.New[int]()
			defer q.Close()
			told := make(chan int)
			go echo(q, told)
			require.EqualValues(t, 1, testing.AllocsPerRun(rounds, func() {
				_, _ = q.Put(1, delay)
				<-told
			}))
		})
	}
}

// Takers that come and go use the places of those who have gone.
func TestTakersThatComeAndGoShareTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delayqueue.New[int]()
		defer q.Close()
		visit := make(chan struct{})
		defer close(visit)
		told := make(chan int)
		for range 4 { // each comes to take once and waits outside again
			go func() {
				for range visit {
					i, _ := q.Take(nil)
					told <- i
				}
			}()
		}
		require.EqualValues(t, 1, testing.AllocsPerRun(rounds, func() {
			visit <- struct{}{}
			synctest.Wait()
			_, _ = q.Put(1, time.Millisecond)
			<-told
		}))
	})
}
