package cronrefuses

import (
	"github.com/robfig/cron"
)

func first() {
	c := cron.New() // want `cron scheduler: robfig/cron, 1 of its jobs are added here: a slow run`
	c.AddFunc("* * * * *", work)
	c.Start()
}
