package crons

import (
	"errors"
	"time"

	"github.com/go-co-op/gocron/v2"
)

func fails() error { return errors.New("no") }

func durations(done chan bool) error {
	// want +1 `cron scheduler: gocron, 3 jobs: a panic in a job ends the process`
	s, err := gocron.NewScheduler()
	if err != nil {
		return err
	}
	_, err = s.NewJob(gocron.DurationJob(10*time.Second), gocron.NewTask(work),
		gocron.WithName("poll"), gocron.WithSingletonMode(gocron.LimitModeReschedule))
	if err != nil {
		return err
	}
	_, err = s.NewJob(gocron.CronJob("0 3 * * *", false), gocron.NewTask(fails))
	if err != nil {
		return err
	}
	if _, err := s.NewJob(gocron.DurationJob(time.Minute), gocron.NewTask(func() error { return fails() })); err != nil {
		return err
	}
	s.Start()
	<-done
	return s.Shutdown()
}
