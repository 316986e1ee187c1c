package cronrefuses

import (
	"context"
	"time"

	"github.com/go-co-op/gocron/v2"
)

func ends(period time.Duration) {
	s, err := gocron.NewScheduler() // want `cron scheduler: gocron`
	if err != nil {
		panic(err)
	}
	_, _ = s.NewJob(gocron.DurationJob(time.Minute), gocron.NewTask(context1))
	s.Start()
}

func context1(ctx context.Context) error { return nil }

func print1(int) {}
