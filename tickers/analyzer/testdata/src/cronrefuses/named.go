package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func named() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("@reboot", work)
	c.Start()
}
