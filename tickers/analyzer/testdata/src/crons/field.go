package crons

import (
	theirs "github.com/robfig/cron/v3"
)

type service struct {
	jobs *theirs.Cron // of each day
	runs int
}

func newService() *service {
	return &service{jobs: theirs.New()} // want `a panic in a job ends the process; a slow run is joined by the next`
}

func (s *service) tidy() { s.runs++ }

func (s *service) start() error {
	if _, err := s.jobs.AddFunc("@daily", s.tidy); err != nil {
		return err
	}
	s.jobs.Start()
	return nil
}

func (s *service) stop() {
	if s.jobs != nil {
		s.jobs.Stop()
	}
}
