// Package promcluster exports the figures of pools of package cluster to Prometheus: what waits, is
// due and has failed, who works, and which series are overdue, of the whole fleet.
//
//	err := promcluster.Register(prometheus.DefaultRegisterer, pool)
//
// One process of the fleet is enough, and it need not serve anything; of several all tell the same,
// so queries take the maximum. Package [github.com/punctual-go/punctual/cluster/metrics] has the
// table. For Prometheus the names have underscores, base units and "_total".
//
// A scrape asks the server, as metrics.Read does, and never hangs: if there is no answer within the
// timeout of the options, it has the last figures that were read, for five minutes, and
// punctual_cluster_up is 0. Scrapes that overlap are one reading.
//
// [Dashboard] is a dashboard for Grafana, and [Alerts] are rules for Prometheus.
//
// What runs within a process, how late and why, and how long it takes, is what contrib/prompunctual
// tells, of cluster.Executor's pool as of any other.
package promcluster
