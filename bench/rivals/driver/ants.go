package driver

import (
	"time"

	"github.com/panjf2000/ants/v2"
)

func antsPool() System {
	return System{
		Name: "ants", Title: "ants v2",
		About: "two workers; results by a channel, or by variables and a WaitGroup",
		can:   submits, open: openAnts,
	}
}

func openAnts() session {
	p := got(ants.NewPool(workers))
	submit := func(f func()) { must(p.Submit(f)) }
	return session{
		execute:  func(f func()) func() { return func() { must(p.Submit(f)) } },
		ask:      asking(submit),
		fan:      fanning(submit),
		shutdown: func([]stopper) { must(p.ReleaseTimeout(time.Minute)) },
	}
}
