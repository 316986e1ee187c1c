// Package driver measures the systems in Go: this module's, and its rivals. A process measures one
// kind of work on one system, see [Serve]; what the kinds and their figures mean is said by package
// workload.
//
// # Fairness
//
// Each system is used as its documentation says for the job, with two workers if it has a size, and
// with the options that it advises for it; [System.About] tells. A task that is handed over without
// a future is compared with the like. What has no futures answers by the cheapest means there are:
// a channel, or a variable and a WaitGroup.
//
// Functions are bound before anything is measured, and what a system gives for a scheduled task is
// kept as it is, behind an interface of one method: the adapters allocate nothing of their own but
// a word or two for go-zero and the cron libraries.
//
// What cannot do a kind of work is left out of it. At a bound those are missing that bound nothing
// that waits: ants, conc and errgroup bound what runs, and hold up who submits more at once;
// workerpool and the loop have no bound. The cron libraries of which each change walks all jobs, or
// is done by one goroutine that is asked, are not asked a million times.
//
// A wheel that may be early is asked for a tick more, as its users must if they mind. Rounds begin
// on a heap that has just been collected, and end with its memory given back.
//
// All systems are linked into every process. Of those that do something before they are asked, ants
// has a default pool that ticks, which [Serve] releases, and go-zero sets GOMAXPROCS by the quota
// of the container, much as Go does itself.
package driver
