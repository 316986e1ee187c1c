package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func use(c *cron.Cron) *cron.Cron { return c }

func given() {
	c := use(cron.New()) // want `cron scheduler`
	_ = c
}
