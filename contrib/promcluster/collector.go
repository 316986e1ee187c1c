package promcluster

import (
	"context"
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/metrics"
)

// Options are what [New] may be told: how long a scrape may take, and a logger that is told why the
// figures cannot be read. The zero Options are those of [Register].
type Options = metrics.Options

// Collector reads the figures of pools at each scrape. It may be used by several registries, and
// scraped by several goroutines at once. It keeps the pools: before one is closed, call Unregister
// of the registry.
type Collector struct{ pools []*described }

// described is a pool with the descriptions of its metrics, in the order of the table.
type described struct {
	reader *metrics.Reader
	descs  []*prometheus.Desc
}

// Register has a registry, such as prometheus.DefaultRegisterer, collect the figures of pools. It
// may be called again for other pools. It returns cluster.ErrInvalid for a nil pool, or two of the
// same name, and the error of the registry if a pool of the same name is registered there already.
func Register(registry prometheus.Registerer, pools ...*cluster.Pool) error {
	c, err := New(Options{}, pools...)
	if err != nil {
		return err
	}
	if err := registry.Register(c); err != nil {
		return fmt.Errorf("promcluster: pools %q: %w", c.names(), err)
	}
	return nil
}

// New returns a collector for pools, to be registered. It returns cluster.ErrInvalid for a nil
// pool, two of the same name, or a negative timeout.
func New(opts Options, pools ...*cluster.Pool) (*Collector, error) {
	readers, err := metrics.Readers(opts, pools...)
	if err != nil {
		return nil, err
	}
	c := new(Collector)
	for _, r := range readers {
		d := &described{reader: r}
		for _, m := range metrics.Table() {
			d.descs = append(d.descs, describe(m, r.Pool()))
		}
		c.pools = append(c.pools, d)
	}
	return c, nil
}

func (c *Collector) names() (names []string) {
	for _, d := range c.pools {
		names = append(names, d.reader.Pool())
	}
	return names
}

// describe names a metric. The pool is part of that: so the registry itself sees to it that no
// other collector has the same pool.
func describe(m metrics.Metric, pool string) *prometheus.Desc {
	return prometheus.NewDesc(nameOf(m), m.Help, m.Attributes[1:],
		prometheus.Labels{m.Attributes[0]: pool})
}

// Describe implements prometheus.Collector. It asks no server.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.pools {
		for _, desc := range d.descs {
			to <- desc
		}
	}
}

// Collect implements prometheus.Collector. It reads all pools at the same time, within the timeout.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	var all sync.WaitGroup
	for _, d := range c.pools {
		all.Go(func() {
			for i, f := range d.reader.Read(context.Background()) {
				for _, p := range f.Points {
					to <- metric(d.descs[i], f.Metric, p)
				}
			}
		})
	}
	all.Wait()
}

// metric returns a point as Prometheus has it.
func metric(desc *prometheus.Desc, m metrics.Metric, p metrics.Point) prometheus.Metric {
	kind := prometheus.GaugeValue
	if counts(m) {
		kind = prometheus.CounterValue
	}
	told, err := prometheus.NewConstMetric(desc, kind, p.Value, p.Attributes[1:]...)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return told
}
