package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func two() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Start()
	d := cron.New() // want `cron scheduler`
	d.AddFunc("* * * * *", work)
	d.Start()
}
