package prompunctual

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/punctual-go/punctual/executor/metrics"
)

// Options are what [New] may be told. The zero Options are those of [Register].
type Options struct {
	// NativeHistograms has histograms told as native ones, which a scrape gets only if it asks for
	// protobuf, as Prometheus does when it is to keep them.
	NativeHistograms bool

	// Micrometer has some metrics told also under the names that Micrometer gives those of a
	// ThreadPoolExecutor, for dashboards that exist; see [Micrometer].
	Micrometer bool
}

// Collector reads the metrics of pools and loops at each scrape. It may be used by several
// registries, and scraped by several goroutines at once. It keeps the pools, and their last figures
// stay when they have been shut down: call Unregister of the registry to end their series.
type Collector struct {
	set     *metrics.Set
	pools   map[string]*described
	all     []*described
	natives bool
}

// described is a pool with the descriptions of its metrics, in the order of the table.
type described struct {
	descs      []*prometheus.Desc
	micrometer []*prometheus.Desc // empty unless asked for
}

// Register has a registry, such as prometheus.DefaultRegisterer, collect the metrics of pools and
// loops. It may be called again for other pools. It returns the error of [metrics.Of], and that of
// the registry, with the names, if a pool of the same name is registered there already.
func Register(registry prometheus.Registerer, sources ...metrics.Source) error {
	c, err := New(Options{}, sources...)
	if err != nil {
		return err
	}
	if err := registry.Register(c); err != nil {
		return fmt.Errorf("prompunctual: pools %q: %w", c.set.Pools(), err)
	}
	return nil
}

// New returns a collector for pools and loops, to be registered. It returns the error of
// [metrics.Of].
func New(opts Options, sources ...metrics.Source) (*Collector, error) {
	set, err := metrics.Of(sources...)
	if err != nil {
		return nil, err
	}
	c := &Collector{set: set, pools: map[string]*described{}, natives: opts.NativeHistograms}
	for _, pool := range set.Pools() {
		d := new(described)
		for _, m := range metrics.Table() {
			d.descs = append(d.descs, describe(m, pool))
		}
		if opts.Micrometer {
			d.micrometer = describeMicrometer(pool)
		}
		c.pools[pool] = d
		c.all = append(c.all, d)
	}
	return c, nil
}

// describe names a metric. The pool is part of that: so the registry itself sees to it that no
// other collector has the same pool.
func describe(m metrics.Metric, pool string) *prometheus.Desc {
	return prometheus.NewDesc(nameOf(m), m.Help, m.Attributes[1:],
		prometheus.Labels{m.Attributes[0]: pool})
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.all {
		for _, desc := range d.descs {
			to <- desc
		}
		for _, desc := range d.micrometer {
			to <- desc
		}
	}
}

// Collect implements prometheus.Collector. It takes the lock of each pool for a moment.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	families := c.set.Read()
	for i, f := range families {
		for _, p := range f.Points {
			to <- c.metric(c.pools[p.Attributes[0]].descs[i], f.Kind, p)
		}
	}
	c.collectMicrometer(families, to)
}

// metric returns a point as Prometheus has it.
func (c *Collector) metric(
	desc *prometheus.Desc, kind metrics.Kind, p metrics.Point,
) prometheus.Metric {
	labels := p.Attributes[1:]
	var m prometheus.Metric
	var err error
	switch kind {
	case metrics.Histogram:
		m, err = c.histogram(desc, p.Histogram, labels)
	case metrics.Counter:
		m, err = prometheus.NewConstMetric(desc, prometheus.CounterValue, p.Value, labels...)
	default:
		m, err = prometheus.NewConstMetric(desc, prometheus.GaugeValue, p.Value, labels...)
	}
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return m
}
