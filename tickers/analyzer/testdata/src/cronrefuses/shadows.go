package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func shadows() {
	c := cron.New() // want `cron scheduler`
	panic := work
	c.AddFunc("* * * * *", work)
	c.Start()
	panic()
}
