package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func wrapper() {
	c := cron.New(cron.WithChain(func(j cron.Job) cron.Job { return j })) // want `cron scheduler`
	c.AddFunc("* * * * *", work)
	c.Start()
}
