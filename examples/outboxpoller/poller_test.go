package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func inOrder(n int) (ids []int64) {
	for i := range n {
		ids = append(ids, int64(i+1))
	}
	return ids
}

// The broker is down when the polling begins, for 20 seconds: polls come after 2, 4, 8 and 16
// seconds, and then each second again. All arrives, once and in order.
func TestABrokerThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		from, to := &table{begun: time.Now()}, &broker{down: true}
		from.add(10)
		_, err := Poll(pool, time.Second, 16*time.Second, from, to)
		require.NoError(t, err)
		time.Sleep(20 * time.Second)
		to.set(false)
		time.Sleep(12*time.Second + 500*time.Millisecond)
		synctest.Wait()
		require.Equal(t, []int{0, 2, 6, 14, 30, 31, 32}, from.asked)
		require.Equal(t, inOrder(10), to.arrived)
	})
}

// More than a batch is moved without a pause between the batches.
func TestABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		from, to := &table{begun: time.Now()}, &broker{}
		from.add(1050)
		_, err := Poll(pool, time.Minute, time.Hour, from, to)
		require.NoError(t, err)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, inOrder(1050), to.arrived)
		require.Equal(t, make([]int, 11), from.asked) // all at 0 s
	})
}

// A mark that fails sends a message twice. The broker knows it again.
func TestAMarkThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		from, to := &table{begun: time.Now(), noMarks: 3}, &broker{}
		from.add(5)
		_, err := Poll(pool, time.Second, time.Minute, from, to)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, inOrder(5), to.arrived)
		require.Equal(t, []int{0, 2, 6, 14, 15}, from.asked[:5])
	})
}
