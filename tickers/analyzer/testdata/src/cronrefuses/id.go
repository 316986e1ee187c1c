package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func id() {
	c := cron.New() // want `cron scheduler`
	id, _ := c.AddFunc("* * * * *", work)
	c.Start()
	c.Remove(id)
}
