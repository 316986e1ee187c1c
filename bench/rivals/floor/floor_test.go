package floor

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// ticking is a clock that is another at each reading, as one is that counts nanoseconds.
func ticking() func() time.Duration {
	var now atomic.Int64
	return func() time.Duration { return time.Duration(now.Add(1)) }
}

func newShards(n int) []shard {
	shards := make([]shard, n)
	for i := range shards {
		shards[i].head.Store(int64(never))
	}
	return shards
}

// Producers schedule at times of which many are equal, and cancel half of it. What is taken is what
// is due and was not cancelled, once, by time and then in the order in which it came.
func TestABatchIsWhatOneHeapWouldHaveGiven(t *testing.T) {
	const producers, each, latest = 4, 4000, 20_000
	for _, n := range []int{1, 2, 8, 64} {
		shards, clock := newShards(n), ticking()
		var left [producers]map[*Task]bool
		var all sync.WaitGroup
		for p := range producers {
			random := rand.New(rand.NewPCG(uint64(p), 1))
			left[p] = map[*Task]bool{}
			all.Go(func() {
				for range each {
					task := &Task{shard: &shards[random.IntN(n)]}
					at := time.Duration(random.IntN(latest/100) * 100)
					task.shard.add(task, 0, func() time.Duration { return max(clock(), at) })
					if left[p][task] = true; random.IntN(2) == 0 {
						if !task.Stop() || task.Stop() {
							t.Error("a task is stopped once")
						}
						delete(left[p], task)
					}
				}
			})
		}
		all.Wait()
		var due batch
		taken := 0
		for _, now := range []time.Duration{latest / 3, latest / 2, never - 1} {
			due.take(shards, now)
			if !slices.IsSortedFunc(due.entries, func(a, b entry) int {
				if a.before(&b) {
					return -1
				}
				return 1
			}) {
				t.Errorf("%d shards: not in order", n)
			}
			for _, e := range due.entries {
				if taken++; e.due > now || e.Stop() {
					t.Errorf("%d shards: due %d at %d, or still there", n, e.due, now)
				}
				for p := range left {
					delete(left[p], e.Task)
				}
			}
		}
		for p := range left {
			if len(left[p]) > 0 {
				t.Errorf("%d shards: %d of %d are left", n, len(left[p]), p)
			}
		}
	}
}

func TestWhatIsScheduledRunsAtItsTimeUnlessItIsStopped(t *testing.T) {
	for _, shards := range []int{1, 2, 64} {
		synctest.Test(t, func(t *testing.T) {
			q := New(2, shards, ByChance())
			defer q.Close()
			var ran, stopped atomic.Int64
			var all sync.WaitGroup
			for p := range 4 {
				random := rand.New(rand.NewPCG(uint64(p), 2))
				all.Go(func() {
					for range 500 {
						d := time.Duration(random.IntN(100)) * time.Millisecond
						at := time.Now().Add(d)
						task := q.After(d, func() {
							if !time.Now().Equal(at) {
								t.Errorf("%v late", time.Since(at))
							}
							ran.Add(1)
						})
						if random.IntN(4) == 0 && task.Stop() {
							stopped.Add(1)
						}
						if random.IntN(4) == 0 {
							time.Sleep(time.Millisecond)
						}
					}
				})
			}
			all.Wait()
			time.Sleep(time.Second)
			if ran.Load()+stopped.Load() != 2000 || stopped.Load() == 0 {
				t.Errorf("%d have run, %d were stopped", ran.Load(), stopped.Load())
			}
		})
	}
}

func TestWhatIsNotDueAtTheEndDoesNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(2, 1, ByProcessor())
		q.After(time.Hour, func() { t.Error("it runs") })
		time.Sleep(time.Minute)
		q.Close()
		time.Sleep(2 * time.Hour)
	})
}

// BenchmarkPair schedules and cancels from as many goroutines as there are processors, by each way
// to choose a shard; one shard is what all others are held against.
func BenchmarkPair(b *testing.B) {
	for _, bb := range []struct {
		name   string
		shards int
		choose func() Choice
	}{
		{"one", 1, ByGoroutine},
		{"processor", Most, ByProcessor}, {"goroutine", Most, ByGoroutine}, {"chance", Most, ByChance},
	} {
		b.Run(bb.name, func(b *testing.B) {
			q := New(1, bb.shards, bb.choose())
			defer q.Close()
			for i := range 1000 {
				q.After(time.Hour+time.Duration(i), func() {})
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					q.After(time.Hour, func() {}).Stop()
				}
			})
		})
	}
}
