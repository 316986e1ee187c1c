package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func make1() func() { return work }

func computed() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", make1())
	c.Start()
}
