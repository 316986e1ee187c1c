package control_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// loaded returns a zone as a program gets it that reads its configuration again: a new location.
func loaded(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Skip("no tables of zones: ", err)
	}
	return zone
}

func on(c executor.Calendar, opts ...executor.TaskOption) executor.Job {
	return executor.Job{Name: "job", Task: pooltest.Nothing, On: c, Options: opts}
}

// applied applies one job and returns what has become of it.
func applied(t *testing.T, p *executor.ScheduledPool, j executor.Job) string {
	t.Helper()
	changes, err := p.Apply(j)
	require.NoError(t, err)
	for what, names := range map[string][]string{
		"added": changes.Added, "changed": changes.Changed, "unchanged": changes.Unchanged,
	} {
		if len(names) > 0 {
			return what
		}
	}
	return "nothing"
}

func TestAReloadInAnotherSeasonChangesNoJob(t *testing.T) {
	for name, read := range map[string]func() executor.Calendar{
		"zone of a line": func() executor.Calendar {
			return cron.MustParse("0 3 * * *", cron.Zone(loaded(t, "Europe/Berlin")))
		},
		"zone of a calendar": func() executor.Calendar {
			return calendar.Daily(calendar.At(3, 0)).In(loaded(t, "Europe/Berlin"))
		},
		"zones of parts": func() executor.Calendar {
			line := cron.MustParse("0 3 * * *", cron.Zone(loaded(t, "America/New_York")))
			noon := calendar.Daily(calendar.At(12, 0)).In(loaded(t, "Europe/Berlin"))
			return calendar.Except(calendar.Union(line, noon), calendar.OnWeekdays(time.Sunday))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				require.Equal(t, "added", applied(t, p, on(read())))
				for range 12 {
					time.Sleep(30 * 24 * time.Hour)
					assert.Equal(t, "unchanged", applied(t, p, on(read())), "%v", time.Now())
				}
			})
		})
	}
}

func TestAnotherZoneIsAnotherCalendar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		for _, name := range []string{"Europe/Berlin", "America/New_York"} {
			line := cron.MustParse("0 3 * * *", cron.Zone(loaded(t, name)))
			assert.NotEqual(t, "unchanged", applied(t, p, on(line)))
		}
	})
}

// byFunction is a calendar that is a function.
type byFunction func(time.Time) time.Time

func (f byFunction) Next(after time.Time) time.Time { return f(after) }

func hours(n int) byFunction {
	d := time.Duration(n) * time.Hour
	return func(after time.Time) time.Time { return after.Truncate(d).Add(d) }
}

func TestACalendarThatIsAFunctionIsNotCompared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		applied(t, p, on(hours(1)))
		assert.Equal(t, "unchanged", applied(t, p, on(hours(1))))
		assert.Equal(t, "changed", applied(t, p, on(hours(1), executor.Timeout(time.Minute))))
	})
}

func TestAnotherVersionBringsACalendarThatIsNotCompared(t *testing.T) {
	monday := calendar.OnWeekdays(time.Monday)
	for name, of := range map[string]func(n int) executor.Calendar{
		"itself": func(n int) executor.Calendar { return hours(n) },
		"part":   func(n int) executor.Calendar { return calendar.Except(hours(n), monday) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				applied(t, p, on(of(1)))
				job := on(of(5))
				job.Version = "2"
				assert.Equal(t, "changed", applied(t, p, job))
				h, _ := p.Lookup("job")
				next, _ := h.Next()
				assert.Equal(t, hours(5)(time.Now()), next)
			})
		})
	}
}

func TestAnotherVersionBringsTheFunctionsAmongTheOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := pooltest.NewScheduledPool(t, 1), newDiary()
		job := func(version string, seconds int) executor.Job {
			return executor.Job{
				Name: "job", Version: version, Rate: time.Hour,
				Task: func(context.Context) error { d.write("%v", d.now()); return nil },
				Options: []executor.TaskOption{executor.DelayBy(func(executor.LastRun) (time.Duration, bool) {
					return time.Duration(seconds) * time.Second, true
				})},
			}
		}
		applied(t, p, job("1", 10))
		d.until(15)
		assert.Equal(t, "unchanged", applied(t, p, job("1", 1)))
		assert.Equal(t, "changed", applied(t, p, job("2", 20)))
		d.until(60)
		assert.Equal(t, []string{"0", "10", "15", "35", "55"}, d.starts())
	})
}

func TestTheSameInstantOfAnotherZoneIsTheSameOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		end := time.Now().AddDate(0, 0, 400)
		job := func(zone *time.Location) executor.Job {
			return executor.Job{Name: "job", Task: pooltest.Nothing, Rate: time.Hour,
				Options: []executor.TaskOption{executor.Until(end.In(zone))}}
		}
		applied(t, p, job(loaded(t, "Europe/Berlin")))
		time.Sleep(200 * 24 * time.Hour)
		assert.Equal(t, "unchanged", applied(t, p, job(loaded(t, "Europe/Berlin"))))
		assert.Equal(t, "unchanged", applied(t, p, job(time.UTC)))
	})
}

func TestAJobWithAnotherLineWaitsForItsNextTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := pooltest.NewScheduledPool(t, 1), newDiary()
		job := func(line string) executor.Job {
			j := on(cron.MustParse(line, cron.Zone(time.UTC)))
			j.Task = func(context.Context) error { d.write("%v", d.now()); return nil }
			return j
		}
		applied(t, p, job("0 21 * * *"))
		d.until(10 * 3600)
		assert.Equal(t, "changed", applied(t, p, job("0 3 * * *"))) // which has passed today
		d.until(28 * 3600)
		assert.Equal(t, []string{fmt.Sprint(27 * 3600)}, d.starts())
	})
}

func TestAReloadLosesNoRunThatJitterHasPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		runs := 0
		daily := on(cron.MustParse("0 0 * * *", cron.Zone(time.UTC)), executor.Jitter(22*time.Hour))
		daily.Task = func(context.Context) error { runs++; return nil }
		const days = 60
		for hour := range 24 * days {
			_, err := p.Apply(daily, executor.Job{Name: "other", Rate: time.Hour,
				Task: pooltest.Nothing, Version: fmt.Sprint(hour)})
			require.NoError(t, err)
			time.Sleep(time.Hour)
		}
		assert.Equal(t, days-1, runs, "the first midnight is when it began")
	})
}

func TestAJobBeyondItsEndIsUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		end := time.Now().Add(90 * time.Minute)
		ctx, cancel := context.WithDeadline(t.Context(), end)
		defer cancel()
		hourly := cron.MustParse("0 * * * *", cron.Zone(time.UTC))
		jobs := []executor.Job{
			{Name: "rate", Rate: time.Minute, Options: []executor.TaskOption{executor.Until(end)}},
			{Name: "calendar", On: calendar.Until(hourly, end)},
			{Name: "context", Rate: time.Minute, Options: []executor.TaskOption{executor.WithContext(ctx)}},
			{Name: "poll", Rate: time.Minute},
		}
		for i := range jobs {
			jobs[i].Task = pooltest.Nothing
		}
		_, err := p.Apply(jobs...)
		require.NoError(t, err)
		time.Sleep(2 * time.Hour)
		jobs[3].Rate = time.Second
		changes, err := p.Apply(jobs...)
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Changed: []string{"poll"},
			Why:       map[string]string{"poll": "period 1m0s -> 1s"},
			Unchanged: []string{"rate", "calendar", "context"}}, changes)
		jobs[0].Rate = time.Second
		_, err = p.Apply(jobs...)
		assert.ErrorIs(t, err, executor.ErrInvalid, "a change can start no run any more")
	})
}

func TestAJobThatIsReplacedTwiceDuringARunWaitsForItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, d := pooltest.NewScheduledPool(t, 2), newDiary()
		job := func(name string, jitter time.Duration) executor.Job {
			return executor.Job{Name: "job", Rate: time.Minute,
				Options: []executor.TaskOption{executor.Jitter(jitter)},
				Task: func(context.Context) error {
					d.write("%s %v", name, d.now())
					time.Sleep(10 * time.Minute)
					return nil
				}}
		}
		for i, name := range []string{"a", "b", "c"} {
			applied(t, p, job(name, time.Duration(i+1)))
			d.until(float64(i + 1))
		}
		_, err := p.Apply()
		require.NoError(t, err)
		d.until(4)
		applied(t, p, job("d", 4))
		d.until(900)
		require.Len(t, d.starts(), 2)
		assert.Equal(t, "a 0", d.starts()[0])
		assert.Contains(t, d.starts()[1], "d 6", "ten minutes later")
	})
}
