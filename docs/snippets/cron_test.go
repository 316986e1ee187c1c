//lint:file-ignore SA4006 the documents check errors where it matters
package snippets

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-co-op/gocron/v2"
	robfig "github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

var berlin = func() *time.Location {
	z, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return z
}()

func TestTheOtherCrons(t *testing.T) {
	report, poll := func() {}, func() {}
	func() {
		jobs := robfig.New(robfig.WithLocation(berlin), robfig.WithChain(
			robfig.SkipIfStillRunning(robfig.DiscardLogger), robfig.Recover(robfig.DiscardLogger)))
		_, err := jobs.AddFunc("30 2 * * *", report)
		jobs.Start()
		defer func() { <-jobs.Stop().Done() }()
		require.NoError(t, err)
	}()
	func() {
		s, err := gocron.NewScheduler(gocron.WithLocation(berlin))
		_, err = s.NewJob(gocron.DurationJob(10*time.Second), gocron.NewTask(poll),
			gocron.WithName("poll"), gocron.WithSingletonMode(gocron.LimitModeReschedule))
		_, err = s.NewJob(gocron.DailyJob(1, gocron.NewAtTimes(gocron.NewAtTime(2, 30, 0))), gocron.NewTask(report))
		s.Start()
		defer s.Shutdown()
		require.NoError(t, err)
		require.Len(t, s.Jobs(), 2)
	}()
}

func TestCronOnAPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counts := map[string]int{}
		report := func(context.Context) error { counts["report"]++; return nil }
		poll := func(context.Context) error { counts["poll"]++; return nil }
		func() {
			pool := executor.NewScheduledPool(2, executor.Name("jobs"))
			defer pool.Close()

			_, err := pool.On(cron.MustParse("30 2 * * *", cron.Zone(berlin)), report,
				executor.Name("report"), executor.Timeout(time.Hour))
			require.NoError(t, err)
			time.Sleep(48 * time.Hour)
			synctest.Wait()
			require.Equal(t, 2, counts["report"])
		}()
		pool := executor.NewScheduledPool(1)
		defer pool.Close()
		func() {
			_, err := pool.Every(10*time.Second, poll,
				executor.Name("poll"), executor.CatchUp(executor.Skip))
			_, err = pool.On(calendar.Daily(calendar.At(2, 30)).In(berlin), report, executor.Name("report"))
			require.NoError(t, err)
		}()
		func() {
			theirs, err := robfig.ParseStandard("@every 90s")
			job, err := pool.On(theirs, poll, executor.Name("poll"))
			require.NoError(t, err)
			next, ok := job.Next()
			require.True(t, ok)
			require.Equal(t, 90*time.Second, time.Until(next).Round(time.Second))
			job.Cancel()
		}()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		require.Equal(t, 3, counts["report"])
		for h := range pool.Tasks() {
			h.Cancel()
		}
		changes, err := pool.Apply(
			executor.Job{Name: "poll", Rate: 10 * time.Second, Task: poll},
			executor.Job{Name: "report", On: cron.MustParse("30 2 * * *", cron.Zone(berlin)), Task: report},
		)
		require.NoError(t, err)
		require.Len(t, changes.Added, 2)
	})
}
