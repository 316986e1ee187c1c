package crons

import (
	"github.com/robfig/cron/v3"
)

func waits() {
	c := cron.New(cron.WithChain(cron.DelayIfStillRunning(cron.DefaultLogger))) // want `a panic in a job ends the process; nothing stops it`
	if _, err := c.AddFunc("*/15 8-17 * * *", work); err != nil {
		panic(err)
	}
	c.Start()
}
