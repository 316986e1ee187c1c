package dashboard_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/promcluster"
)

// A scrape of a pool with so many series, and as many tasks that wait.
func BenchmarkScrape(b *testing.B) {
	for _, n := range []int{10, 1_000, 5_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newFleet(b)
			registry := f.registryOf(promcluster.Options{Timeout: time.Minute})
			task := cluster.Define("mail", func(context.Context, int) (int, error) { return 0, nil })
			f.serve(8, task)
			var all sync.WaitGroup
			for part := range 64 {
				all.Go(func() {
					for i := part; i < n; i += 64 {
						_, err := cluster.AtFixedRate(f.ctx, f.pool, fmt.Sprint(i), time.Hour, time.Hour, task, i)
						if err == nil {
							_, err = cluster.Schedule(f.ctx, f.pool, time.Hour, task, i)
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			for b.Loop() {
				require.Equal(b, 1.0, scrape(b, registry).value("punctual_cluster_up"))
			}
		})
	}
}
