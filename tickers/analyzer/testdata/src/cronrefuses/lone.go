package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func lone() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("5/15 * * * *", work)
	c.Start()
}
