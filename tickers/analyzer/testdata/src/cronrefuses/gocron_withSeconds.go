package cronrefuses

import (
	"time"

	"github.com/go-co-op/gocron/v2"
)

func withSeconds(period time.Duration) {
	s, err := gocron.NewScheduler() // want `cron scheduler: gocron`
	if err != nil {
		panic(err)
	}
	_, _ = s.NewJob(gocron.CronJob("0 * * * * *", true), gocron.NewTask(work))
	s.Start()
}
