package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func looped() {
	c := cron.New() // want `cron scheduler`
	c.Start()
	for range 3 {
		c.AddFunc("* * * * *", work)
	}
}
