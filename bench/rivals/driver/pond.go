package driver

import "github.com/alitto/pond/v2"

func pondPool() System {
	return System{
		Name: "pond", Title: "pond v2",
		About: "two workers; Go, without a future; a ResultPool for results, and a group of it to fan out; " +
			"bounded by WithQueueSize, which blocks",
		can: submits | bounds, open: func() session { return openPond() },
		bound: func(capacity int) session { return openPond(pond.WithQueueSize(capacity)) },
	}
}

// openPond starts two pools, as pond has one for tasks with results. They have no goroutine while
// they have no task.
func openPond(opts ...pond.Option) session {
	p, results := pond.NewPool(workers, opts...), pond.NewResultPool[int](workers)
	return session{
		execute: func(f func()) func() { return func() { must(p.Go(f)) } },
		ask: func(f func() int) func() int {
			return func() int { return got(results.Submit(f).Wait()) }
		},
		fan: func(f func() int, width int) func() {
			tasks := make([]func() int, width)
			for i := range tasks {
				tasks[i] = f
			}
			return func() { got(results.NewGroup().Submit(tasks...).Wait()) }
		},
		shutdown: func([]stopper) {
			p.StopAndWait()
			results.StopAndWait()
		},
	}
}
