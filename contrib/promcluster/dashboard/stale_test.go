package dashboard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/promcluster"
)

// A server that is gone: a scrape ends, has the last figures, and says so. So does one of a pool
// that this process has closed.
func TestAScrapeEndsWithoutAServer(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*fleet){
		"the server is gone": func(f *fleet) { f.server.Close() },
		"the pool is closed": func(f *fleet) { f.pool.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			registry := f.registryOf(promcluster.Options{Timeout: 500 * time.Millisecond})
			_, err := cluster.Schedule(f.ctx, f.pool, time.Hour, unserved, "")
			require.NoError(t, err)
			eventually(t, registry, "it is told", func(c *assert.CollectT, fs families) {
				assert.Equal(c, 1.0, fs.value("punctual_cluster_tasks", "task", "unserved", "state", "waiting"))
				assert.Equal(c, 1.0, fs.value("punctual_cluster_up"))
			})
			end(f)
			for range 3 {
				fs := scrape(t, registry)
				require.Equal(t, 0.0, fs.value("punctual_cluster_up"))
				require.Positive(t, fs.value("punctual_cluster_last_read_timestamp_seconds"))
				require.Equal(t, 1.0, fs.value("punctual_cluster_tasks", "task", "unserved", "state", "waiting"))
			}
		})
	}
}

func TestOnePoolIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	registry := f.registryOf(promcluster.Options{})
	require.ErrorContains(t, promcluster.Register(registry, f.pool), `promcluster: pools ["tasks"]: duplicate`)
	other, _ := f.join(cluster.Name("other"))
	require.NoError(t, promcluster.Register(registry, other), "another pool may come later")
	require.Len(t, scrape(t, registry)["punctual_cluster_up"].Metric, 2)
	require.ErrorIs(t, promcluster.Register(registry, nil), cluster.ErrInvalid)
	require.ErrorIs(t, promcluster.Register(registry, other, other), cluster.ErrInvalid)
	_, err := promcluster.New(promcluster.Options{Timeout: -1}, other)
	require.ErrorIs(t, err, cluster.ErrInvalid)
}
