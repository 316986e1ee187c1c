package crons

import (
	"time"

	"github.com/go-co-op/gocron/v2"
)

func periods() {
	// want +1 `a slow run is joined by the next`
	s, err := gocron.NewScheduler()
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.Shutdown() }()
	if _, err := s.NewJob(gocron.DurationJob(time.Minute), gocron.NewTask(work)); err != nil {
		panic(err)
	}
	s.Start()
}
