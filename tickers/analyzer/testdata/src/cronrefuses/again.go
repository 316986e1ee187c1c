package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func again() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Start()
	c.Start()
}
