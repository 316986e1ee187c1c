package cronrefuses

import (
	"time"

	"github.com/robfig/cron/v3"
)

var where *time.Location

func zone() {
	c := cron.New(cron.WithLocation(where)) // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Start()
}
