package delayqueue_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/internal/probe"
)

// A leader on the real clock has package context watch the context of its Take, which calls the
// caller's code. Of two takers that wait at an empty queue the one that came last is called first;
// it leads, and fails at that.
func TestALeaderWhoseContextPanicsPassesTheBaton(t *testing.T) {
	q := delayqueue.New[int]()
	defer q.Close()
	taken := make(chan int)
	go func() {
		e, _ := q.Take(t.Context())
		taken <- e
	}()
	time.Sleep(10 * time.Millisecond) // so that it waits; if not, the test shows less
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan any)
	go func() {
		defer func() { failed <- recover() }()
		_, _ = q.Take(probe.BrokenContext{Context: ctx})
	}()
	time.Sleep(10 * time.Millisecond)
	_, err := q.Put(7, 20*time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, 7, <-taken)
	q.Close() // ends the other, if it never led
	<-failed
}

func TestPutAtKeepsTheOrderOfItsTimesOnTheRealClock(t *testing.T) {
	q := delayqueue.New[int]()
	base := time.Now().Add(time.Hour)
	for i := range 1000 {
		_, err := q.PutAt(i, base.Add(time.Duration(i/2))) // two of each time, a nanosecond apart
		require.NoError(t, err)
	}
	want := 0
	for at, e := range q.All() {
		assert.Equal(t, want, e)
		assert.True(t, at.Equal(base.Add(time.Duration(want/2))))
		want++
	}
}
