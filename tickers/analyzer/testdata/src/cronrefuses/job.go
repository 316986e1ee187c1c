package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func job() {
	c := cron.New() // want `cron scheduler`
	c.AddJob("* * * * *", nil)
	c.Start()
}
