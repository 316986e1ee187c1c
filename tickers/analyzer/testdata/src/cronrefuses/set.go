package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func set() {
	c := cron.New() // want `cron scheduler`
	f := work
	c.AddFunc("* * * * *", f)
	c.Start()
	f = nil
}
