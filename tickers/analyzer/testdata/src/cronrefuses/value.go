package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

type counter struct{ n int }

func (counter) run() {}

var v counter

func value() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", v.run)
	c.Start()
}
