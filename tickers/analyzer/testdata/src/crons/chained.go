package crons

import (
	"time"

	"github.com/robfig/cron/v3"
)

func chained(done chan bool) {
	c := cron.New(cron.WithLocation(time.UTC), cron.WithChain( // want `cron scheduler: robfig/cron, its job \(on`
		cron.Recover(cron.DefaultLogger), cron.SkipIfStillRunning(cron.DiscardLogger)))
	c.Start()
	if _, err := c.AddFunc("0 4 1,15 * *", work); err != nil {
		panic(err)
	}
	<-done
	<-c.Stop().Done()
}
