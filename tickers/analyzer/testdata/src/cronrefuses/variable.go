package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

var line = "* * * * *"

func variable() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc(line, work)
	c.Start()
}
