// Package inspect is a live page of pools, event loops and supervisors: what is wrong, what runs,
// what is due next, what has happened in the last ten minutes, and why a run was late.
//
//	pool := executor.NewScheduledPool(4, executor.Name("jobs"),
//		executor.Watch(insight.Config{History: true}))
//	mux.Handle("/punctual/", inspect.Handler(pool))
//
// The page is part of the program: it loads nothing from elsewhere, and works without script. Each
// address is a page, or JSON with ?format=json; with script the page follows what happens. What it
// shows of a pool depends on [executor.Watch]: with it there are histograms, and with its History
// also the last runs, what is wrong, and what has ended by a failure, see [insight.Trouble].
//
// Several processes, each with its page, are shown on one page by [FleetHandler].
//
// # Safety
//
// The page is read-only, unless [Actions] says who may act. Everyone who can reach its address can
// read it, so protect it as you protect your other administration pages: it shows the names of
// tasks, the texts of errors and the stacks of panics. Only its own origin may read it, it cannot be
// framed, and it is never cached. All texts that come from tasks pass through the one function of
// [Redact], if there is one.
//
// # Runs
//
// With [RunLog] a run is shown with its last log lines, how far it is and the id of its trace, which
// package executor/runlog keeps. The README says more.
//
// Several tasks can be paused, resumed, run and cancelled at once: those of a list that are ticked,
// that it shows, or that it has found in all pools. A preview shows which these are, and what is
// then confirmed is done to exactly these. Each is logged.
//
// # Panels
//
// [Panels] adds what is not in the process: a source of package
// [github.com/punctual-go/punctual/contrib/inspect/panel] answers with plain data, and the page draws
// it. Package contrib/inspectcluster has one for pools of cluster.
//
// # Schedules
//
// A calendar of the user's own is asked for its next times, and by the methods String, Describe,
// Zone and Prev, if it has them, for its words, its zone and its last times: without a lock, on a
// goroutine of its own, and a view waits for all calendars for a quarter of a second at most. The
// README says more.
//
// # Cost
//
// Nothing runs while nobody looks. Otherwise there are two snapshots a second, for any number of
// viewers; a pool is locked for microseconds, and for half a millisecond in all if a hundred
// thousand tasks wait there. At most 64 viewers are kept up to date; others are updated every five
// seconds. For the first viewer of the tasks they are sorted by name, which takes some 50 ms for a
// hundred thousand.
package inspect
