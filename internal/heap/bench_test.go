package heap_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/punctual-go/punctual/internal/heap"
)

// BenchmarkEmpty empties a heap of n nodes, one by one and all at once, with times that collide
// often and times that do not.
func BenchmarkEmpty(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		for name, spread := range map[string]int64{"colliding": 100, "random": 1 << 40} {
			times := func(rng *rand.Rand) int64 { return rng.Int64N(spread) }
			b.Run(fmt.Sprintf("pop/%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					_, h := pushed(n, times)
					b.StartTimer()
					for h.Len() > 0 {
						h.Pop()
					}
				}
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(n), "ns/node")
			})
			b.Run(fmt.Sprintf("cut/%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					_, h := pushed(n, times)
					b.StartTimer()
					c := heap.Cut(1<<62, 1<<12, &h)
					for c.Dealing() {
						c.Deal()
					}
					for c.Len() > 0 {
						for range c.Draw() {
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(n), "ns/node")
			})
		}
	}
}
