package driver

import (
	"context"
	"strconv"
	"time"

	"github.com/reugn/go-quartz/quartz"
)

func goQuartz() System {
	return System{
		Name: "quartz", Title: "go-quartz",
		About: "RunOnceTrigger, or a Trigger of its own on a grid; two workers",
		can:   schedules | repeats, drops: true, most: 10_000, open: openQuartz,
		// Each change of its queue walks all of it.
		without: []string{"pairs", "timeouts", "soon", "due", "mixed", "cancelled", "pending", "idle", "shutdown"},
	}
}

// quartzSession starts a scheduler with the first task: by then the shortest period is known, below
// which the threshold should be for tasks that are outdated, and dropped.
type quartzSession struct {
	scheduler quartz.Scheduler
	keys      int
	repeating []*quartzJob
	shortest  time.Duration
}

func openQuartz() session {
	q := &quartzSession{shortest: time.Hour}
	return session{
		after: func(f func()) func(d time.Duration) stopper {
			return func(d time.Duration) stopper {
				if q.scheduler == nil {
					q.start()
				}
				return q.schedule(&quartzJob{run: f, trigger: quartz.NewRunOnceTrigger(d)})
			}
		},
		every: func(first, period time.Duration, f func()) {
			q.shortest = min(q.shortest, period)
			at := quartzGrid{grid{time.Now().Add(first), period}}
			q.repeating = append(q.repeating, &quartzJob{run: f, trigger: at})
		},
		start: q.start,
		shutdown: func([]stopper) {
			if q.scheduler != nil {
				q.scheduler.Stop()
				q.scheduler.Wait(context.Background())
			}
		},
	}
}

func (q *quartzSession) start() {
	options := []quartz.SchedulerOpt{quartz.WithWorkerLimit(workers)}
	if threshold := q.shortest * 9 / 10; threshold > 5*time.Millisecond { // with less it may drop every run
		options = append(options, quartz.WithOutdatedThreshold(threshold))
	}
	q.scheduler = got(quartz.NewStdScheduler(options...))
	for _, j := range q.repeating {
		q.schedule(j)
	}
	q.scheduler.Start(context.Background())
}

func (q *quartzSession) schedule(j *quartzJob) *quartzJob {
	q.keys++
	j.scheduler, j.key = q.scheduler, quartz.NewJobKey(strconv.Itoa(q.keys))
	must(q.scheduler.ScheduleJob(quartz.NewJobDetail(j, j.key), j.trigger))
	return j
}

// quartzJob is a job, with what is needed to delete it.
type quartzJob struct {
	run       func()
	trigger   quartz.Trigger
	scheduler quartz.Scheduler
	key       *quartz.JobKey
}

func (j *quartzJob) Execute(context.Context) error { j.run(); return nil }

func (j *quartzJob) Description() string { return "counts" }

func (j *quartzJob) Stop() bool { return j.scheduler.DeleteJob(j.key) == nil }

// quartzGrid is a grid as a trigger: the ready-made one cannot be told when to begin.
type quartzGrid struct{ grid }

func (g quartzGrid) NextFireTime(prev int64) (int64, error) {
	return g.Next(time.Unix(0, prev)).UnixNano(), nil
}

func (g quartzGrid) Description() string { return "grid" }
