package bulk_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
)

func TestAHedgeThatFindsNoRoomLeavesTheCallUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := pooltest.NewTrace()
		won, err := bulk.InvokeAnyHedged(t.Context(), pooltest.NewPool(t, 1, executor.Queue(queue.HandOff())),
			time.Second, hedged(trace, "a", 3500*time.Millisecond, nil), hedged(trace, "b", 0, nil))
		require.NoError(t, err)
		assert.Equal(t, "a", won)
		assert.Equal(t, []string{"a 0s"}, trace.Seen())
	})
}

func TestAHedgeIsTriedAgainWhenThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()))
		require.NoError(t, p.Execute(pooltest.Sleep(2500*time.Millisecond)))
		trace := pooltest.NewTrace()
		won, err := bulk.InvokeAnyHedged(t.Context(), p, time.Second,
			hedged(trace, "a", time.Hour, nil), hedged(trace, "b", 0, nil))
		require.NoError(t, err)
		assert.Equal(t, "b", won)
		synctest.Wait()
		assert.ElementsMatch(t, []string{"a 0s", "b 3s", "a cancelled 3s"}, trace.Seen())
	})
}

func TestAHedgeThatFoundNoRoomReplacesTheCallThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()))
		require.NoError(t, p.Execute(pooltest.Sleep(80*time.Second)))
		trace := pooltest.NewTrace()
		won, err := bulk.InvokeAnyHedged(t.Context(), p, time.Minute,
			hedged(trace, "a", 90*time.Second, pooltest.ErrTask), hedged(trace, "b", 0, nil))
		require.NoError(t, err)
		assert.Equal(t, "b", won)
		assert.Equal(t, []string{"a 0s", "b 1m30s"}, trace.Seen())
	})
}

func TestAShutdownLeavesTheCallUnderWay(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		time.AfterFunc(time.Second, p.Shutdown)
		trace := pooltest.NewTrace()
		won, err := bulk.InvokeAnyHedged(t.Context(), p, 2*time.Second,
			hedged(trace, "a", 5*time.Second, nil), hedged(trace, "b", 0, nil), hedged(trace, "c", 0, nil))
		require.NoError(t, err)
		assert.Equal(t, "a", won)
		assert.Equal(t, []string{"a 0s"}, trace.Seen())
	})
}

func TestTheRefusalOfAHedgeIsToldIfAllElseFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		time.AfterFunc(time.Second, p.Shutdown)
		trace := pooltest.NewTrace()
		_, err := bulk.InvokeAnyHedged(context.Background(), p, 2*time.Second,
			hedged(trace, "a", 5*time.Second, pooltest.ErrTask), hedged(trace, "b", 0, nil))
		assert.ErrorIs(t, err, pooltest.ErrTask)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}
