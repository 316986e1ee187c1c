package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAQuietTaskAsksForOneRunAndReservesNothing(t *testing.T) {
	w := newWindow(4)
	for range 20 {
		require.Equal(t, 1, w.room(t.Context(), false))
	}
	assert.Zero(t, w.reserved)
	assert.Equal(t, 5, w.room(t.Context(), true)) // four workers, and one to be at hand
}

func TestNoMoreIsAskedForThanThereIsRoomFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWindow(4)
		n := w.room(t.Context(), true)
		require.Equal(t, 5, n)
		for range n {
			w.hold()
			w.take()
		}
		w.unreserve(n)

		granted := make(chan int, 3)
		for _, busy := range []bool{true, false, true} {
			go func() { granted <- w.room(t.Context(), busy) }()
			synctest.Wait()
		}
		require.Empty(t, granted)
		w.give(true)
		synctest.Wait()
		require.Len(t, granted, 1) // in the order in which they came
		w.unreserve(1)
		synctest.Wait()
		require.Len(t, granted, 3) // a quiet one leaves the room to the next
	})
}

func TestWhatATaskHasReservedIsFreeAgainWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWindow(1)
		w.hold()
		w.take()
		first := w.room(t.Context(), true)
		require.Equal(t, 1, first)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() { ended <- w.room(ctx, true) }()
		synctest.Wait()
		cancel()
		require.Zero(t, <-ended)
		w.unreserve(first)
		assert.Equal(t, 1, w.room(t.Context(), true))
	})
}

// Workers that are done quickly must not wait for the server between two runs, and what those take
// that are not can be run by others.
func TestTheHeadStartFollowsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		head := func(w *window) int {
			n := w.room(t.Context(), true)
			w.unreserve(n)
			return n - w.workers
		}
		w := newWindow(8)
		assert.Equal(t, 1, head(w))
		for range 5 {
			w.begin()
			time.Sleep(20 * time.Millisecond)
		}
		assert.Equal(t, 5, head(w))
		for range 100 {
			w.begin()
		}
		assert.Equal(t, 8, head(w))
		time.Sleep(time.Second)
		assert.Equal(t, 1, head(w))
	})
}

// What was given back for want of a worker is for another process: this one asks for no more until
// one of its workers is free.
func TestThereIsNoHeadStartWhileNoWorkerComesFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWindow(2)
		for range 3 {
			w.hold()
			w.take()
		}
		w.crowd()
		w.give(true) // it goes back
		granted := make(chan int, 1)
		go func() { granted <- w.room(t.Context(), false) }()
		synctest.Wait()
		require.Empty(t, granted)
		w.give(true) // a run has ended
		require.Equal(t, 1, <-granted)
		w.hold()
		w.take()
		w.begin()
		assert.Equal(t, 1, w.room(t.Context(), true))
	})
}
