// Package inspect is a page that shows pools, event loops and supervisors as they are: what runs,
// what is due next, what has happened in the last ten minutes, and why a run was late.
//
//	pool := executor.NewScheduledPool(4, executor.Name("jobs"),
//		executor.Watch(insight.Config{History: true}))
//	mux.Handle("/punctual/", inspect.Handler(pool))
//
// The page is part of the program: it loads nothing from elsewhere, and works without script. Each
// address shows a page, the same as JSON with ?format=json, and with script the page follows what
// happens. Pools are shown as far as they know: with [executor.Watch] they keep histograms, with a
// History in that also the last runs.
//
// # Safety
//
// The page changes nothing, unless [Actions] says who may. It is for whoever may reach its address:
// put it behind what guards the rest of your administration. It shows the names of tasks and the
// texts of errors. It may be read by the same origin only, in no frame, and is never cached.
//
// # Cost
//
// Nobody who looks, nothing that runs. While somebody does, there are two snapshots a second,
// however many look; a pool is locked for microseconds, and for half a millisecond in all if a
// hundred thousand tasks wait there. No more than 64 viewers are kept up to date; others are told
// every five seconds. The first who asks for the tasks has them sorted by name, which takes some
// 50 ms for a hundred thousand; from then on it is known.
package inspect
