// Package metrics has the one table of the figures that pools and event loops have for a monitoring
// system: names, units, meanings, and present values. It depends on no such system. The modules
// contrib/prompunctual and contrib/otelpunctual translate it for Prometheus and OpenTelemetry; for
// another system, [Of] and [Set.Read] are all that is needed.
//
//	jobs := executor.NewScheduledPool(4, executor.Name("jobs"),
//		executor.Watch(insight.Config{ExplainLate: 10 * time.Millisecond}))
//	set, err := metrics.Of(jobs)
//	for _, family := range set.Read() {
//		for _, point := range family.Points {
//			fmt.Println(family.Name, family.Unit, family.Attributes, point.Attributes, point.Value)
//		}
//	}
//
// Nothing is counted here: a pool counts what it does anyway, and the figures are read when they
// are asked for. Figures by task, and histograms, are there only with [executor.Watch]; those of
// what late runs waited for, only if that has ExplainLate as well.
//
// # Names
//
// The names are those of OpenTelemetry's conventions: lower case, with dots, without the unit,
// which is one of UCUM: s, 1, or what is counted in braces. Durations are in seconds, and so are
// moments, since 1970.
//
// # Attributes
//
// Each point has the attribute "pool", the name of the pool or loop. "task" is the name of a
// task; all those without a name share the empty one, and beyond the first 200 names a pool
// counts all others as "other". So a pool has some hundred points at most for each metric,
// whatever its tasks are named. Names may be any text; bytes that are not UTF-8 are replaced,
// and tasks whose names are the same then are taken together.
package metrics
