// Package metrics has the one table of the figures that the pools of package cluster have for a
// monitoring system: names, units, meanings, and present values. They are those of the fleet, from
// what the server has stored: any process that has joined a pool can tell them, also one that
// serves nothing, and one is enough. The modules contrib/promcluster and contrib/otelcluster
// translate the table for Prometheus and OpenTelemetry; for another system, [Read] is all that is
// needed.
//
//	families, err := metrics.Read(ctx, pool)
//	for _, family := range families {
//		for _, point := range family.Points {
//			fmt.Println(family.Name, family.Unit, family.Attributes, point.Attributes, point.Value)
//		}
//	}
//
// Families are those of package executor/metrics, which has the table of the pools within a
// process. Names and units follow the same conventions.
//
// # Attributes
//
// Each point has the attribute "pool", the name of the pool. "task" is the name of a task, of all
// that were ever submitted or served; beyond the first 200 in their order all others are taken
// together as "other". "series" is told only of the twenty series that are most overdue. So a pool
// has 2,500 points at most, whatever its tasks and series are named. Names may be any text; bytes
// that are not UTF-8 are replaced, and tasks whose names are the same then are taken together.
//
// # Series
//
// A series is overdue if its next run should have begun [OverdueBy] ago, or longer, and has not.
// See [cluster.Pool.Overdue] for less, and for a list that has them all.
//
// # Cost
//
// One reading takes some twenty requests, one more for each task of which something is due, and
// goes through the headers of all series: 4 ms here, and 25 µs for each series. So read by the ten
// seconds at most. Runs and submissions cost nothing more for it.
package metrics
