package delayqueue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/delayqueue"
)

// These tests run on the real clock, for the race detector and for the operating system's timer.
// They ask for what must hold however slow the machine is.

// ledger counts what happened to each element.
type ledger []atomic.Int32

func (l ledger) requireOnceEach(t *testing.T) {
	t.Helper()
	for i := range l {
		require.EqualValues(t, 1, l[i].Load(), "element %d", i)
	}
}

// consume takes until the queue is closed.
func consume(q *delayqueue.Queue[int], seen ledger) error {
	for {
		i, err := q.Take(context.Background())
		if err != nil {
			return err
		}
		seen[i].Add(1)
	}
}

// all runs f n times at once and waits.
func all(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// empty waits until the queue is.
func empty[E any](q *delayqueue.Queue[E]) {
	for q.Len() > 0 {
		time.Sleep(time.Millisecond)
	}
}

func TestJTQ11_ProducersAndConsumersConserveTheElements(t *testing.T) {
	defer goleak.VerifyNone(t)
	const producers, consumers, each = 4, 4, 1000
	q := delayqueue.New[int]()
	seen := make(ledger, producers*each)
	errs := make([]error, consumers)
	done := make(chan struct{})
	go func() {
		defer close(done)
		all(consumers, func(i int) { errs[i] = consume(q, seen) })
	}()
	var refused atomic.Int32
	all(producers, func(p int) {
		rng := rand.New(rand.NewPCG(uint64(p), 1))
		for i := range each {
			if _, err := q.Put(p*each+i, time.Duration(rng.IntN(2000))*time.Microsecond); err != nil {
				refused.Add(1)
			}
		}
	})
	empty(q)
	q.Close()
	<-done
	require.Zero(t, refused.Load())
	seen.requireOnceEach(t)
	for _, err := range errs {
		require.ErrorIs(t, err, delayqueue.ErrClosed)
	}
}

// Takers come and go by their contexts, as permanent ones would mend each other's faults.
func TestJTQ10_TakersThatAreCancelledLoseNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	const many = 2000
	q := delayqueue.New[int]()
	defer q.Close()
	seen := make(ledger, many)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range many {
			_, _ = q.Put(i, time.Duration(i%5)*100*time.Microsecond)
		}
	})
	var strange atomic.Int32
	for w := range 6 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 2))
			for left := true; left; left = q.Len() > 0 {
				ctx, cancel := context.WithCancel(context.Background())
				go func() {
					for range rng.IntN(20) {
						runtime.Gosched()
					}
					cancel()
				}()
				i, err := q.Take(ctx)
				<-ctx.Done() // the other goroutine is done with rng
				switch err {
				case nil:
					seen[i].Add(1)
				case context.Canceled:
				default:
					strange.Add(1)
				}
			}
		})
	}
	wg.Wait()
	for q.Len() > 0 { // they may have left before the last were put
		i, err := q.Take(context.Background())
		require.NoError(t, err)
		seen[i].Add(1)
	}
	require.Zero(t, strange.Load())
	seen.requireOnceEach(t)
}

func TestRemoveAndTakeOfOneElementNeverBothSucceed(t *testing.T) {
	defer goleak.VerifyNone(t)
	const many = 3000
	q := delayqueue.New[int]()
	seen := make(ledger, many)
	done := make(chan struct{})
	go func() {
		defer close(done)
		all(3, func(int) { _ = consume(q, seen) })
	}()
	items := make(chan *delayqueue.Item[int], many)
	ids := make(map[*delayqueue.Item[int]]int, many)
	for i := range many {
		item, err := q.Put(i, time.Duration(i%300)*10*time.Microsecond)
		require.NoError(t, err)
		ids[item] = i
		items <- item
	}
	close(items)
	all(3, func(int) {
		for item := range items {
			if item.Remove() {
				seen[ids[item]].Add(1)
			}
			if item.Remove() {
				seen[ids[item]].Add(100) // never twice
			}
		}
	})
	empty(q)
	q.Close()
	<-done
	seen.requireOnceEach(t)
}

func TestConcurrentResetsDeliverOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	const many = 500
	q := delayqueue.New[int]()
	seen := make(ledger, many)
	done := make(chan struct{})
	go func() {
		defer close(done)
		all(3, func(int) { _ = consume(q, seen) })
	}()
	items := make([]*delayqueue.Item[int], many)
	for i := range items {
		item, err := q.Put(i, time.Hour)
		require.NoError(t, err)
		items[i] = item
	}
	all(4, func(w int) {
		rng := rand.New(rand.NewPCG(uint64(w), 3))
		for range 4 {
			for _, item := range items {
				item.Reset(time.Duration(rng.IntN(1000)) * time.Microsecond)
			}
		}
	})
	empty(q)
	q.Close()
	<-done
	seen.requireOnceEach(t)
}

func TestDQT43_JTQ08_DrainBesidePutLosesNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	const producers, each = 3, 2000
	q := delayqueue.New[int]()
	defer q.Close()
	seen := make(ledger, producers*each)
	var producing atomic.Int32
	producing.Store(producers)
	var torn atomic.Int32
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for n := 0; producing.Load() > 0 || q.Len() > 0; n++ {
			most := 1 << (n % 8)
			out := q.Drain(most)
			if len(out) > most {
				torn.Add(1)
			}
			for _, i := range out {
				seen[i].Add(1)
			}
			for range q.All() {
				break
			}
		}
	}()
	all(producers, func(p int) {
		defer producing.Add(-1)
		for i := range each {
			_, _ = q.Put(p*each+i, 0)
		}
	})
	<-drained
	require.Zero(t, torn.Load())
	seen.requireOnceEach(t)
}

func TestOneProducersElementsComeInItsOrder(t *testing.T) {
	defer goleak.VerifyNone(t)
	const producers, each = 3, 2000
	q := delayqueue.New[[2]int]()
	defer q.Close()
	go all(producers, func(p int) {
		for i := range each {
			_, _ = q.Put([2]int{p, i}, 0)
		}
	})
	var next [producers]int
	for range producers * each {
		e, err := q.Take(context.Background())
		require.NoError(t, err)
		require.Equal(t, next[e[0]], e[1])
		next[e[0]]++
	}
}

// An element that the same goroutine has just put in must be there, unless somebody else has it.
func TestJTQ07_WhatOneHasPutOneCanSee(t *testing.T) {
	defer goleak.VerifyNone(t)
	q := delayqueue.New[int]()
	defer q.Close()
	var missed atomic.Int32
	all(4, func(i int) {
		for range 5000 {
			_, _ = q.Put(i, 0)
			if _, ok := q.Poll(); !ok { // everybody takes one after putting one
				missed.Add(1)
			}
		}
	})
	require.Zero(t, missed.Load())
	require.Zero(t, q.Len())
}

func TestCloseEndsAllTakersOnTheRealClock(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, fill := range []bool{false, true} {
		for range 50 {
			q := delayqueue.New[int]()
			if fill {
				_, err := q.Put(0, time.Hour)
				require.NoError(t, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			var ended atomic.Int32
			done := make(chan struct{})
			go func() {
				defer close(done)
				all(16, func(i int) {
					own := ctx
					if i%2 == 0 {
						own = nil
					}
					if _, err := q.Take(own); err == delayqueue.ErrClosed {
						ended.Add(1)
					}
				})
			}()
			for range rand.IntN(50) {
				runtime.Gosched()
			}
			all(2, func(int) { q.Close() })
			<-done
			cancel()
			require.EqualValues(t, 16, ended.Load())
		}
	}
}

// The body of a context's cancellation, of a put, and of a take race for one element each round.
func TestPutAgainstCancelAgainstTake(t *testing.T) {
	defer goleak.VerifyNone(t)
	q := delayqueue.New[int]()
	defer q.Close()
	for round := range 2000 {
		ctx, cancel := context.WithCancel(context.Background())
		var took [2]error
		all(4, func(i int) {
			switch i {
			case 0, 1:
				_, took[i] = q.Take(ctx)
			case 2:
				_, _ = q.Put(round, time.Duration(round%3)*time.Microsecond)
			case 3:
				for range round % 7 {
					runtime.Gosched()
				}
				cancel()
			}
		})
		got := 0
		for _, err := range took {
			if err == nil {
				got++
			} else {
				require.ErrorIs(t, err, context.Canceled)
			}
		}
		require.Equal(t, 1, got+q.Len(), "round %d", round)
		for q.Len() > 0 {
			q.Poll()
		}
	}
}

// A thousand delays within 50 ms, on the timer of the operating system.
func TestDQI20_NeverEarlyOnTheRealClock(t *testing.T) {
	defer goleak.VerifyNone(t)
	type element struct {
		start time.Time
		delay time.Duration
	}
	const many, takers = 1000, 2
	q := delayqueue.New[element]()
	defer q.Close()
	rng := rand.New(rand.NewPCG(1, 4))
	go func() {
		for range many {
			delay := time.Duration(rng.Int64N(int64(50 * time.Millisecond)))
			_, _ = q.Put(element{time.Now(), delay}, delay)
		}
	}()
	var early atomic.Int32
	all(takers, func(int) {
		for range many / takers {
			e, err := q.Take(context.Background())
			if err != nil || time.Since(e.start) < e.delay {
				early.Add(1)
			}
		}
	})
	require.Zero(t, early.Load())
	require.Zero(t, q.Len())
}

// Deadlines of contexts end a leader that waits on the operating system's timer, and a new head
// moves it.
func TestTheLeaderOnTheRealClockSeesItsContextAndANewHead(t *testing.T) {
	defer goleak.VerifyNone(t)
	q := delayqueue.New[string]()
	defer q.Close()
	put(t, q, "far", time.Hour)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
	defer cancel()
	_, err := q.Take(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	go func() {
		time.Sleep(2 * time.Millisecond)
		_, _ = q.Put("near", time.Millisecond)
	}()
	e, err := q.Take(context.Background())
	require.NoError(t, err)
	require.Equal(t, "near", e)
}

func TestB25_DescriptorsAreOpenedByTheFirstWaitAndReleasedByClose(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there are descriptors on Linux only")
	}
	defer goleak.VerifyNone(t)
	before := timerDescriptors(t)
	queues := make([]*delayqueue.Queue[string], 20)
	for i := range queues {
		q := delayqueue.New[string]()
		queues[i] = q
		wait(q, func() bool { return true }) // on an empty queue there is nothing to wait for
		put(t, q, "far", time.Hour)
	}
	require.Equal(t, before, timerDescriptors(t))
	for i, q := range queues {
		wait(q, func() bool { return timerDescriptors(t) == before+i+1 })
		wait(q, func() bool { return timerDescriptors(t) == before+i+1 }) // the same again
	}
	for i, q := range queues {
		q.Close()
		require.Equal(t, before+len(queues)-i-1, timerDescriptors(t))
	}
}

// wait has a taker in q until something is so, and for a little while.
func wait(q *delayqueue.Queue[string], so func() bool) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = q.Take(ctx)
	}()
	time.Sleep(50 * time.Microsecond)
	for !so() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
}

// A thousand queues, closed while a leader, or a leader and a follower, are in them, or later.
func TestAThousandQueuesLeaveNoDescriptor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there are descriptors on Linux only")
	}
	defer goleak.VerifyNone(t)
	before, timersBefore := descriptors(t), timerDescriptors(t)
	for i := range 1000 {
		q := delayqueue.New[string]()
		put(t, q, "near", 20*time.Microsecond)
		_, err := q.Take(context.Background())
		require.NoError(t, err)
		put(t, q, "far", time.Hour)
		done := make(chan struct{})
		go func() {
			defer close(done)
			all(i%3, func(int) { _, _ = q.Take(context.Background()) })
		}()
		for range i % 20 {
			runtime.Gosched()
		}
		q.Close()
		<-done
	}
	assert.Equal(t, timersBefore, timerDescriptors(t))
	assert.LessOrEqual(t, descriptors(t), before+2, "the poller itself has two")
}

// descriptors counts the open ones of this process.
func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// timerDescriptors counts those that are timers; unlike all together, nothing else opens them.
func timerDescriptors(t *testing.T) (n int) {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, e := range entries {
		// The one that read the directory is gone by now.
		if name, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && name == "anon_inode:[timerfd]" {
			n++
		}
	}
	return n
}

// What a producer did before Put is seen by the taker; the race detector would object otherwise.
func TestAnElementCarriesItsMemoryAlong(t *testing.T) {
	defer goleak.VerifyNone(t)
	type box struct{ text string }
	q := delayqueue.New[*box]()
	defer q.Close()
	go func() {
		for i := range 200 {
			b := &box{}
			b.text = fmt.Sprint(i)
			_, _ = q.Put(b, time.Duration(i%2)*10*time.Microsecond)
		}
	}()
	for range 200 {
		b, err := q.Take(context.Background())
		require.NoError(t, err)
		require.NotEmpty(t, b.text)
		b.text = ""
	}
}
