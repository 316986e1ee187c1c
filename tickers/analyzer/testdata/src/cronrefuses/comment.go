package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func comment() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *" /* each minute */, work)
	c.Start()
}
