package cronrefuses

import (
	"time"

	"github.com/go-co-op/gocron/v2"
)

func parameters(period time.Duration) {
	s, err := gocron.NewScheduler() // want `cron scheduler: gocron`
	if err != nil {
		panic(err)
	}
	_, _ = s.NewJob(gocron.DurationJob(time.Minute), gocron.NewTask(print1, 3))
	s.Start()
}
