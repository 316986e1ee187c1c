// Package otelcluster exports the figures of pools of package cluster to OpenTelemetry: what waits,
// is due and has failed, who works, and which series are overdue, of the whole fleet.
//
//	registration, err := otelcluster.Register(meterProvider, otelcluster.Options{}, pool)
//
// makes observable instruments for the table of [github.com/punctual-go/punctual/cluster/metrics],
// under the names and units that it lists. One process of the fleet is enough, and it need not
// serve anything; of several all tell the same.
//
// Whenever a reader collects, the server is asked. That never hangs: if there is no answer within
// the timeout of the options, the last figures are told that were read, for five minutes, and
// punctual.cluster.up is 0.
//
// What runs within a process, how late and why, and the spans of runs are those of
// contrib/otelpunctual, of cluster.Executor's pool as of any other.
package otelcluster
