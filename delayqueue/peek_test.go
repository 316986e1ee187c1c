package delayqueue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/delayqueue"
)

func TestAnItemTellsItsElementAndItsTimeWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, start := delayqueue.New[string](), time.Now()
		a, err := q.Put("a", 2*time.Second)
		require.NoError(t, err)
		b, err := q.Put("b", time.Second)
		require.NoError(t, err)
		shows := func(it *delayqueue.Item[string], element string, after time.Duration) {
			e, at, ok := it.Peek()
			assert.True(t, ok)
			assert.Equal(t, element, e)
			assert.Equal(t, after, at.Sub(start))
		}
		shows(a, "a", 2*time.Second)
		shows(b, "b", time.Second)
		require.True(t, b.Reset(time.Hour))
		shows(b, "b", time.Hour)
		assert.Equal(t, 2, q.Len(), "they stay")

		gone := func(it *delayqueue.Item[string]) {
			e, at, ok := it.Peek()
			assert.False(t, ok)
			assert.Zero(t, e)
			assert.Zero(t, at)
		}
		require.True(t, b.Remove())
		gone(b)
		_, err = q.Take(t.Context())
		require.NoError(t, err)
		gone(a)
		gone(nil)
		gone(new(delayqueue.Item[string]))
	})
}

func TestDueCountsWhatATakerWouldGetWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delayqueue.New[int]()
		assert.Zero(t, q.Due())
		for i := range 100 {
			_, err := q.Put(i, time.Duration(100-i)*time.Second)
			require.NoError(t, err)
		}
		assert.Zero(t, q.Due())
		for due := range 100 {
			require.Equal(t, due, q.Due())
			time.Sleep(time.Second)
		}
		q.Close()
		assert.Equal(t, 100, q.Due(), "also when it is closed")
		assert.Len(t, q.Drain(1000), 100)
		assert.Zero(t, q.Due())
	})
}
