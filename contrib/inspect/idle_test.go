//go:build unix

package inspect_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// BenchmarkIdleViewers has what part of a processor ten viewers cost of a pool with a hundred tasks
// that have nothing to do yet. The viewers are in the same process, so it is what both ends take.
func BenchmarkIdleViewers(b *testing.B) {
	p := executor.NewScheduledPool(2, executor.Name("jobs"),
		executor.Watch(insight.Config{History: true}))
	defer p.Close()
	for range 100 {
		_, err := p.AtFixedRate(hour, hour, sleep(0))
		require.NoError(b, err)
	}
	page := inspect.Handler(p)
	server := httptest.NewServer(page)
	defer server.Close()
	defer page.Close()
	var used [2]time.Duration
	for b.Loop() {
		for with := range 2 {
			ctx, cancel := context.WithCancel(b.Context())
			var viewers sync.WaitGroup
			for range 10 * with {
				viewers.Go(func() { view(ctx, server.URL+"/pool/jobs/") })
			}
			before := processor()
			time.Sleep(2 * time.Second)
			used[with] += processor() - before
			cancel()
			viewers.Wait()
		}
	}
	seconds := 2 * float64(b.N)
	b.ReportMetric(100*used[0].Seconds()/seconds, "%alone")
	b.ReportMetric(100*used[1].Seconds()/seconds, "%viewed")
}

// processor returns how much time of processors the program has taken.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
