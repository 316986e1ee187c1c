//go:build unix

package inspect_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// BenchmarkFleetViewers has what part of a processor none, one and ten viewers cost of a fleet of
// three processes, each with so many tasks. All are in this process, so it is what all ends take
// together; what the first viewer costs is that the processes are asked.
func BenchmarkFleetViewers(b *testing.B) {
	for _, tasks := range []int{100, 500} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) { fleetViewers(b, tasks) })
	}
}

func fleetViewers(b *testing.B, tasks int) {
	var members []inspect.Member
	for range 3 {
		p := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Watch(insight.Config{History: true}))
		b.Cleanup(func() { _ = p.Close() })
		for i := range tasks {
			_, err := p.AtFixedRate(time.Duration(i)*ms, hour, sleep(0), executor.Name(fmt.Sprintf("tenant %03d", i)))
			require.NoError(b, err)
		}
		server := httptest.NewServer(inspect.Handler(p))
		b.Cleanup(server.Close)
		members = append(members, inspect.Address(server.URL))
	}
	time.Sleep(time.Second) // each task has had a run
	f := inspect.FleetHandler(members...)
	server := httptest.NewServer(f)
	b.Cleanup(server.Close)
	b.Cleanup(f.Close)
	viewers := []int{0, 1, 10}
	used := make([]time.Duration, len(viewers))
	for b.Loop() {
		for i, n := range viewers {
			ctx, cancel := context.WithCancel(b.Context())
			var all sync.WaitGroup
			for range n {
				all.Go(func() { view(ctx, server.URL+"/") })
			}
			before := processor()
			time.Sleep(4 * time.Second)
			used[i] += processor() - before
			cancel()
			all.Wait()
		}
	}
	for i, n := range viewers {
		b.ReportMetric(100*used[i].Seconds()/(4*float64(b.N)), fmt.Sprintf("%%of-%d", n))
	}
}
