package executor_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/internal/shardcount"
)

// What processors pay for is each line of memory that one writes and another has written. So this
// test looks at all the memory of a pool before and after submissions that go to different shards:
// no line changes with both. That is what lets a pool scale, on however few processors it runs.
func TestSubmittersOfDifferentShardsWriteNothingInCommon(t *testing.T) {
	if !clockIsFine() {
		t.Skip("skipped: two readings of this clock may be equal, so submitters share a count")
	}
	require.True(t, runqueue.NewSequence(clock.New(1)).Reads(), "the clock gives the numbers")
	if probe.RaceEnabled {
		t.Skip("skipped: it reads what it may not while others write")
	}
	const shards = 2 // which come in turn
	shardcount.Set(shards)
	defer shardcount.Set(0)
	p := pooltest.NewScheduledPool(t, 1)
	var futures [shards][]*executor.ScheduledFuture[struct{}]
	schedule := func() *executor.ScheduledFuture[struct{}] {
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		return f
	}
	_ = schedule() // opens the shards, and starts the worker, which waits
	for range 100 {
		schedule()
	}
	atRest(t, p)
	var written [shards]map[uintptr]bool
	for i := range written {
		written[i] = map[uintptr]bool{}
	}
	changes := func(shard int, act func()) {
		before := probe.MemoryOf(p)
		act()
		maps.Copy(written[shard], before.Changed(probe.MemoryOf(p)))
	}
	for i := range 50 {
		changes(i%shards, func() { futures[i%shards] = append(futures[i%shards], schedule()) })
	}
	for shard := range futures {
		for _, f := range futures[shard] {
			changes(shard, func() { require.True(t, f.Cancel()) })
		}
	}
	for i := range written {
		assert.NotEmpty(t, written[i], "submissions change something")
	}
	for at := range written[0] {
		assert.NotContains(t, written[1], at, "a line that both have written")
	}
	assert.EqualValues(t, 50, p.Stats().Cancelled)
}

// clockIsFine reports whether each of many readings differs from the one before.
func clockIsFine() bool {
	for last, n := time.Now(), 0; n < 100; n++ {
		now := time.Now()
		if !now.After(last) {
			return false
		}
		last = now
	}
	return true
}

// atRest waits until nothing of the pool changes any more.
func atRest(t *testing.T, p *executor.ScheduledPool) {
	t.Helper()
	for before := probe.MemoryOf(p); ; {
		time.Sleep(time.Millisecond)
		after := probe.MemoryOf(p)
		if len(before.Changed(after)) == 0 {
			return
		}
		before = after
	}
}
