package prompunctual_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/prompunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// A scrape of one pool, without its way over the network.
func BenchmarkGather(b *testing.B) {
	for _, names := range []int{0, 20, 200} {
		b.Run(fmt.Sprintf("names=%d", names), func(b *testing.B) {
			p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}))
			defer p.Close()
			for i := range names {
				f, err := p.Schedule(0, lasts(time.Microsecond), executor.Name(fmt.Sprint(i)))
				require.NoError(b, err)
				<-f.Stopped()
			}
			registry := prometheus.NewRegistry()
			require.NoError(b, prompunctual.Register(registry, p))
			for b.Loop() {
				_, err := registry.Gather()
				require.NoError(b, err)
			}
		})
	}
}
