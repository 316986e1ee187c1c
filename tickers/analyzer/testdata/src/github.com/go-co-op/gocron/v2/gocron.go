// Package gocron has as much of the real one as the tests need.
package gocron

import "time"

type (
	Scheduler interface {
		NewJob(JobDefinition, Task, ...JobOption) (Job, error)
		Start()
		Shutdown() error
		StopJobs() error
	}
	Job             interface{ ID() int }
	JobDefinition   interface{}
	Task            interface{}
	JobOption       func()
	SchedulerOption func()
	LimitMode       int
)

const (
	LimitModeReschedule LimitMode = iota
	LimitModeWait
)

func NewScheduler(opts ...SchedulerOption) (Scheduler, error) { return nil, nil }

func WithLocation(*time.Location) SchedulerOption       { return nil }
func WithGlobalJobOptions(...JobOption) SchedulerOption { return nil }
func DurationJob(time.Duration) JobDefinition           { return nil }
func CronJob(line string, seconds bool) JobDefinition   { return nil }
func NewTask(f any, args ...any) Task                   { return nil }
func WithName(string) JobOption                         { return nil }
func WithSingletonMode(LimitMode) JobOption             { return nil }
func WithTags(...string) JobOption                      { return nil }
