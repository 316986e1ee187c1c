package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func logger() {
	c := cron.New(cron.WithLogger(cron.DefaultLogger)) // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Start()
}
