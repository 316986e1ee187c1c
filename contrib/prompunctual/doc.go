// Package prompunctual exports the metrics of Punctual's pools and event loops to Prometheus, in
// one line:
//
//	err := prompunctual.Register(prometheus.DefaultRegisterer, jobs, mail)
//
// Each pool needs a name of its own. Metrics of single tasks, histograms, and the time that late
// runs waited need [executor.Watch]; package [metrics] has the table. For Prometheus the names have
// underscores, base units and "_total": the histogram punctual.run.duration is
// punctual_run_duration_seconds. One name differs: punctual.worker.count is punctual_workers, as
// "_count" belongs to histograms.
//
// A scrape reads what the pools count anyway; a run costs nothing more for it. It takes about 0.1
// ms for each pool, and 25 µs for each name of a task.
//
// # Histograms
//
// Histograms have 14 buckets, from 15 µs to 17 minutes by factors of four. With
// [Options.NativeHistograms] they are native ones of schema 1 instead, with all of the pool's 64
// buckets, a factor of √2 apart. Both are made from whole buckets of the pool, so nothing is
// estimated; a duration that is exactly a bound is counted in the bucket above it.
//
// # Dashboard
//
// [Dashboard] is a dashboard for Grafana: import it, or provision the file dashboard.json.
package prompunctual
