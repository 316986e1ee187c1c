package driver

import (
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/google/uuid"
)

func goCron() System {
	return System{
		Name: "gocron", Title: "gocron v2",
		About: "one-time and duration jobs; a goroutine for each run",
		can:   schedules | repeats | tells, drops: true, most: 100_000,
		open: func() session { return openGoCron() }, serve: openTellingGoCron,
		// A one-time job whose time comes while it is being added has the scheduler loop for ever,
		// and of many that are due within a moment each keeps goroutines waiting: a gigabyte for
		// 100,000. All goroutines wait for the one that keeps the jobs: a pair costs what it costs
		// alone, which is thousands of times what others take.
		without: []string{"pairs", "timeouts", "soon", "due", "cancelled"},
	}
}

// openTellingGoCron opens a scheduler that tells of each run how it has ended.
func openTellingGoCron() session {
	return openGoCron(gocron.WithGlobalJobOptions(gocron.WithEventListeners(
		gocron.AfterJobRuns(func(uuid.UUID, string) {}),
		gocron.AfterJobRunsWithError(func(uuid.UUID, string, error) {}),
	)))
}

func openGoCron(opts ...gocron.SchedulerOption) session {
	s := got(gocron.NewScheduler(opts...))
	return session{
		after: func(f func()) func(d time.Duration) stopper {
			s.Start() // which does nothing the second time
			task := gocron.NewTask(f)
			return func(d time.Duration) stopper {
				at := gocron.OneTimeJobStartImmediately()
				if d > 0 {
					at = gocron.OneTimeJobStartDateTime(time.Now().Add(d))
				}
				return &goCronJob{s, got(s.NewJob(gocron.OneTimeJob(at), task))}
			}
		},
		every: func(first, period time.Duration, f func()) {
			at := gocron.WithStartAt(gocron.WithStartDateTimePast(time.Now().Add(first)))
			got(s.NewJob(gocron.DurationJob(period), gocron.NewTask(f), at))
		},
		// Once all are there: before, jobs to be added would have to wait for those that run.
		start: s.Start,
		// An error tells of runs that go on.
		shutdown: func([]stopper) { _ = s.Shutdown() },
	}
}

// goCronJob is a job with its scheduler.
type goCronJob struct {
	scheduler gocron.Scheduler
	job       gocron.Job
}

func (j *goCronJob) Stop() bool { return j.scheduler.RemoveJob(j.job.ID()) == nil }
