package cronrefuses

import (
	theirs "github.com/robfig/cron/v3"
)

func hidden() {
	cron := theirs.New() // want `cron scheduler`
	cron.AddFunc("* * * * *", work)
	cron.Start()
}

func hides(executor *theirs.Cron) {
	theirs := 1
	_ = theirs
	_ = executor
}
