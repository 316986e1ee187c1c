package cronrefuses

import (
	"os"

	"github.com/robfig/cron/v3"
)

func exits() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("* * * * *", func() { os.Exit(1) })
	c.Start()
}
