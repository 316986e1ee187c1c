package driver

import "github.com/sourcegraph/conc/pool"

func concPool() System {
	return System{
		Name: "conc", Title: "sourcegraph/conc",
		About: "two goroutines; results by a channel; a ResultPool for each fan-out, as it ends with the wait",
		can:   submits, open: openConc,
	}
}

func openConc() session {
	p := pool.New().WithMaxGoroutines(workers)
	return session{
		execute: func(f func()) func() { return func() { p.Go(f) } },
		ask:     asking(p.Go),
		fan: func(f func() int, width int) func() {
			return func() {
				results := pool.NewWithResults[int]().WithMaxGoroutines(workers)
				for range width {
					results.Go(f)
				}
				results.Wait()
			}
		},
		shutdown: func([]stopper) { p.Wait() },
	}
}
