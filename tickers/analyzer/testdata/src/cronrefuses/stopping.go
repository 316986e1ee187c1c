package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func stopping() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Start()
	ctx := c.Stop()
	<-ctx.Done()
}
