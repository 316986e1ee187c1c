package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func blocks() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Run()
}
