package bulk_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestGroupEndsWithItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		g := bulk.NewGroup(t.Context(), p)
		var seen error
		var runs atomic.Int32
		groupGo(t, g, groupHeed(&seen), groupCount(&runs), groupCount(&runs))
		time.AfterFunc(time.Minute, func() { p.ShutdownNow() })
		start := time.Now()
		assert.ErrorIs(t, g.Wait(), executor.ErrShutdown)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ErrorIs(t, seen, executor.ErrShutdown)
		assert.Zero(t, runs.Load())
		assert.ErrorIs(t, g.Go(pooltest.Nothing), executor.ErrShutdown)
	})
}

func TestGroupOfAPoolThatIsShutDownRunsToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		g := bulk.NewGroup(t.Context(), p)
		var runs atomic.Int32
		groupGo(t, g, pooltest.Sleep(time.Second), groupCount(&runs), groupCount(&runs))
		p.Shutdown()
		assert.NoError(t, g.Wait())
		assert.EqualValues(t, 2, runs.Load())
	})
}

func TestGroupAMemberThatAPolicyDiscardsHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(
			t.Context(), pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Discard)),
		)
		var seen error
		groupGo(t, g, groupHeed(&seen))
		synctest.Wait()
		groupGo(t, g, pooltest.Nothing)
		assert.ErrorIs(t, g.Wait(), executor.ErrSaturated)
		assert.ErrorIs(t, seen, executor.ErrSaturated)
	})
}

// Groups that go on for ever must not keep what has ended.
func TestGroupForgetsMembersThatHaveEnded(t *testing.T) {
	p := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
	defer func() { assert.NoError(t, p.Close()) }()
	g := bulk.NewGroup(t.Context(), p)
	const n = 30000
	groupGo(t, g, pooltest.Nothing)
	before := probe.HeapInUse()
	for range n {
		groupGo(t, g, pooltest.Nothing)
	}
	after := probe.HeapInUse()
	assert.NoError(t, g.Wait())
	runtime.KeepAlive(g)
	assert.Less(t, int64(after)-int64(before), int64(n*16), "bytes; each future has more than 100")
}
