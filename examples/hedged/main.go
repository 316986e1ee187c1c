// Hedged asks a second replica when the first is slow, and shows what that does to the slowest
// requests.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// usually is a replica that answers in 5 to 10 ms, but one time in twenty takes 200.
type usually struct{ asked *atomic.Int64 }

func (u usually) Ask(ctx context.Context, question string) (string, error) {
	u.asked.Add(1)
	took := time.Duration(5+rand.IntN(6)) * time.Millisecond
	if rand.IntN(20) == 0 {
		took = 200 * time.Millisecond
	}
	select {
	case <-time.After(took):
		return "answer to " + question, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func main() {
	const requests = 500
	for _, delay := range []time.Duration{time.Hour, 15 * time.Millisecond} {
		var asked atomic.Int64
		replicas := NewReplicas(delay, 40, usually{&asked}, usually{&asked}, usually{&asked})
		took := make([]time.Duration, requests)
		var all sync.WaitGroup
		for worker := range 10 {
			all.Go(func() {
				for i := worker; i < requests; i += 10 {
					begun := time.Now()
					if _, err := replicas.Ask(context.Background(), "how many"); err != nil {
						log.Print(err)
					}
					took[i] = time.Since(begun)
				}
			})
		}
		all.Wait()
		replicas.Close()
		slices.Sort(took)
		fmt.Printf("second replica after %-5v p50 %3d ms, p99 %3d ms, %.2f questions per request\n", delay,
			took[requests/2].Milliseconds(), took[requests*99/100].Milliseconds(),
			float64(asked.Load())/requests)
	}
}
