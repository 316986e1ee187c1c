package goid

import (
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAGoroutineKeepsItsIdentity(t *testing.T) {
	id, n := Current(), Number()
	for range 100 {
		runtime.Gosched()
		growStack(100)
		runtime.GC()
		assert.Equal(t, id, Current())
		assert.Equal(t, n, Number())
	}
	assert.NotZero(t, id)
}

// growStack has the stack move.
func growStack(depth int) (sum byte) {
	var block [1 << 10]byte
	if depth > 0 {
		sum = growStack(depth - 1)
	}
	return sum + block[depth%len(block)]
}

// All of them exist at the same time, on all the threads there are.
func TestNoTwoGoroutinesShareAnIdentity(t *testing.T) {
	const all = 10_000
	var ids sync.Map
	var come, gone sync.WaitGroup
	come.Add(all)
	for range all {
		gone.Go(func() {
			_, taken := ids.LoadOrStore(Current(), Number())
			assert.False(t, taken)
			come.Done()
			come.Wait()
			n, _ := ids.Load(Current())
			assert.Equal(t, Number(), n)
		})
	}
	gone.Wait()
}

func TestACoroutineIsAGoroutineOfItsOwn(t *testing.T) {
	next, stop := iter.Pull(func(yield func(uint64) bool) {
		for yield(Current()) {
		}
	})
	defer stop()
	first, _ := next()
	second, _ := next()
	assert.Equal(t, first, second)
	assert.NotEqual(t, Current(), first)
}

func BenchmarkCurrent(b *testing.B) {
	for b.Loop() {
		Current()
	}
}

func BenchmarkNumber(b *testing.B) {
	for b.Loop() {
		Number()
	}
}
