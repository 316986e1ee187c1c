package crons

import (
	"time"

	"github.com/robfig/cron/v3"
)

func chained(done chan bool) {
	// want +1 `cron scheduler: robfig/cron, its job \(on`
	c := cron.New(cron.WithLocation(time.UTC), cron.WithChain(
		cron.Recover(cron.DefaultLogger), cron.SkipIfStillRunning(cron.DiscardLogger)))
	c.Start()
	if _, err := c.AddFunc("0 4 1,15 * *", work); err != nil {
		panic(err)
	}
	<-done
	<-c.Stop().Done()
}
