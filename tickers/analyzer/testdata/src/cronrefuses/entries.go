package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func entries() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Start()
	_ = len(c.Entries())
}
