package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func never() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", work)
}
