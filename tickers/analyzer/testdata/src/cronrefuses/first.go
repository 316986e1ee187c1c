package cronrefuses

import (
	"github.com/robfig/cron"
)

func first() {
	c := cron.New() // want `cron scheduler: robfig/cron, its job: a slow run`
	c.AddFunc("* * * * *", work)
	c.Start()
}
