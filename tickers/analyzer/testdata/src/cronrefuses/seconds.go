package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func seconds() {
	c := cron.New(cron.WithSeconds()) // want `cron scheduler`
	c.AddFunc("0 * * * * *", work)
	c.Start()
}
