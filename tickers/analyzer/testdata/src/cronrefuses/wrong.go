package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func wrong() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("0 25 * * *", work)
	c.Start()
}
