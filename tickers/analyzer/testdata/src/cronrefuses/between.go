package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func between() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	work()
	c.Start()
}
