package driver

import "golang.org/x/sync/errgroup"

func errGroup() System {
	return System{
		Name: "errgroup", Title: "errgroup",
		About: "a limit of two goroutines; a group for each result and each fan-out, as it ends with the wait",
		can:   submits, open: openErrGroup,
	}
}

func openErrGroup() session {
	g := limited()
	return session{
		execute: func(f func()) func() {
			task := func() error { f(); return nil }
			return func() { g.Go(task) }
		},
		ask: func(f func() int) func() int {
			var result int
			task := func() error { result = f(); return nil }
			return func() int {
				var one errgroup.Group
				one.Go(task)
				must(one.Wait())
				return result
			}
		},
		fan: func(f func() int, width int) func() {
			results, tasks := make([]int, width), make([]func() error, width)
			for i := range tasks {
				tasks[i] = func() error { results[i] = f(); return nil }
			}
			return func() {
				g := limited()
				for _, task := range tasks {
					g.Go(task)
				}
				must(g.Wait())
			}
		},
		shutdown: func([]stopper) { must(g.Wait()) },
	}
}

func limited() *errgroup.Group {
	var g errgroup.Group
	g.SetLimit(workers)
	return &g
}
