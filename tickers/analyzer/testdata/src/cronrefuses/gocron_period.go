package cronrefuses

import (
	"time"

	"github.com/go-co-op/gocron/v2"
)

func period(period time.Duration) {
	s, err := gocron.NewScheduler() // want `cron scheduler: gocron`
	if err != nil {
		panic(err)
	}
	_, _ = s.NewJob(gocron.DurationJob(period), gocron.NewTask(work))
	s.Start()
}
