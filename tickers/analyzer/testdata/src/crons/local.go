// Package crons has schedulers of other libraries that can be pools.
package crons

import (
	"log"

	"github.com/robfig/cron/v3"
)

func work() {}

func local(done chan bool) {
	c := cron.New() // want `cron scheduler: robfig/cron, 4 jobs: a panic in a job ends the process; a slow run is joined by the next; a job that cannot be added is not noticed \(on a scheduled pool: On, Every\)`
	// Each minute.
	c.AddFunc("* * * * *", work)
	_, err := c.AddFunc("30 2 * * mon-FRI", func() {
		if len(done) > 0 {
			return // for today
		}
		work()
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.AddFunc("@every 90s", func() { work() }); err != nil {
		log.Fatal(err)
	}
	_, _ = c.AddFunc("@hourly", work)
	c.Start() // from here on
	defer c.Stop()
	<-done
}
