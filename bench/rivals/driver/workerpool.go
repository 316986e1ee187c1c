package driver

import "github.com/gammazero/workerpool"

func workerPool() System {
	return System{
		Name: "workerpool", Title: "gammazero/workerpool",
		About: "two workers; SubmitWait for a result, variables and a WaitGroup for many",
		can:   submits, open: openWorkerPool,
	}
}

func openWorkerPool() session {
	p := workerpool.New(workers)
	return session{
		execute: func(f func()) func() { return func() { p.Submit(f) } },
		ask: func(f func() int) func() int {
			var result int
			task := func() { result = f() }
			return func() int {
				p.SubmitWait(task)
				return result
			}
		},
		fan:      fanning(p.Submit),
		shutdown: func([]stopper) { p.Stop() },
	}
}
