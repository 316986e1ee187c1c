package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func hand(*cron.Cron) {}

func elsewhere() {
	c := cron.New() // want `cron scheduler`
	hand(c)
	c.AddFunc("* * * * *", work)
	c.Start()
}
