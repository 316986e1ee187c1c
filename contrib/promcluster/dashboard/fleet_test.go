package dashboard_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/contrib/promcluster"
)

// fleet is a server, and processes of a pool on it: one that looks, and those that serve.
type fleet struct {
	t      testing.TB
	ctx    context.Context
	server *embedded.Server
	pool   *cluster.Pool // of the one that looks
}

func newFleet(t testing.TB) *fleet {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	server, err := embedded.Start(ctx, t.TempDir(), embedded.Listen("127.0.0.1:0"))
	require.NoError(t, err)
	t.Cleanup(server.Close)
	f := &fleet{t: t, ctx: ctx, server: server}
	f.pool, _ = f.join()
	return f
}

func (f *fleet) join(opts ...cluster.Option) (*cluster.Pool, *nats.Conn) {
	f.t.Helper()
	nc, err := nats.Connect(f.server.URL())
	require.NoError(f.t, err)
	f.t.Cleanup(nc.Close)
	pool, err := cluster.Join(f.ctx, nc, opts...)
	require.NoError(f.t, err)
	return pool, nc
}

// serve starts a process that serves. It ends in order, or is killed: then nobody hears of it
// again.
func (f *fleet) serve(size int, tasks ...cluster.Runnable) (end, kill func()) {
	f.t.Helper()
	pool, nc := f.join(cluster.Workers(size), cluster.Grace(0))
	ctx, stop := context.WithCancel(f.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = pool.Serve(ctx, tasks...)
	}()
	f.t.Cleanup(func() { stop(); <-ended })
	return func() { stop(); <-ended }, func() { nc.Close(); <-ended }
}

// registryOf returns a registry with a collector of the fleet's pool.
func (f *fleet) registryOf(opts promcluster.Options) *prometheus.Registry {
	f.t.Helper()
	c, err := promcluster.New(opts, f.pool)
	require.NoError(f.t, err)
	registry := prometheus.NewPedanticRegistry()
	require.NoError(f.t, registry.Register(c))
	return registry
}

// families is a scrape, by name.
type families map[string]*dto.MetricFamily

// scrape asks over HTTP, and reads the answer with the parser of Prometheus' own library.
func scrape(t require.TestingT, registry prometheus.Gatherer) families {
	answer := httptest.NewRecorder()
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(answer.Body)
	require.NoError(t, err)
	return found
}

// value returns that of the metric with these labels beside the pool, names and values by turns; -1
// if there is none.
func (fs families) value(name string, labels ...string) float64 {
	labels = append(labels, "pool", "tasks")
	if fs[name] == nil {
		return -1
	}
	for _, m := range fs[name].Metric {
		if len(m.Label) == len(labels)/2 && !slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool {
			i := slices.Index(labels, l.GetName())
			return i < 0 || labels[i+1] != l.GetValue()
		}) {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return -1
}

// eventually scrapes until what is told is so.
func eventually(t *testing.T, registry prometheus.Gatherer, what string, is func(*assert.CollectT, families)) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { is(c, scrape(c, registry)) },
		90*time.Second, 100*time.Millisecond, what)
}

// mails is a task that does what its payload says.
func mails(release <-chan struct{}) cluster.Task[string, int] {
	return cluster.Define("mail", func(ctx context.Context, what string) (int, error) {
		switch what {
		case "hang":
			select {
			case <-release:
			case <-ctx.Done():
			}
		case "fail":
			return 0, errors.New("as it should")
		}
		return 0, nil
	}, cluster.Lease(time.Second))
}

var unserved = cluster.Define("unserved", func(context.Context, string) (int, error) { return 0, nil })
