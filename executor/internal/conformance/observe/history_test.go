package observe_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer/cron"
)

// remembering has a test played with a pool that keeps its history.
func remembering(t *testing.T, core int, play func(p *executor.ScheduledPool)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(core,
			executor.Watch(insight.Config{History: true}), pooltest.Quiet())
		defer p.Close()
		play(p)
	})
}

func TestATaskKeepsItsLastRuns(t *testing.T) {
	remembering(t, 1, func(p *executor.ScheduledPool) {
		n := 0
		f, err := p.AtFixedRate(0, time.Second, func(context.Context) error {
			if n++; n%2 == 0 {
				return errBad
			}
			time.Sleep(10 * ms)
			return nil
		}, executor.Name("poll"))
		require.NoError(t, err)
		assert.Empty(t, f.Handle.History())
		time.Sleep(20*time.Second - 1)
		runs := f.Handle.History()
		require.Len(t, runs, 16)
		for i, r := range runs {
			assert.EqualValues(t, 20-i, r.Number, "the latest first")
			assert.Equal(t, r.Number%2 == 0, r.Err == errBad)
			assert.Equal(t, r.Number%2 == 1, r.Took == 10*ms)
			assert.Zero(t, r.Late)
			assert.Nil(t, r.Why)
		}
		f.Cancel()
		assert.Empty(t, f.Handle.History(), "it has ended")
	})
}

func TestThePoolKeepsItsLateRuns(t *testing.T) {
	remembering(t, 1, func(p *executor.ScheduledPool) {
		f, err := p.AtFixedRate(time.Second, time.Second, lasts(0), executor.Name("poll"))
		require.NoError(t, err)
		at(p, 1500*ms, "hog", 700*ms)
		at(p, 3999*ms, "short", 5*ms)
		time.Sleep(5*time.Second - 1)
		late := p.Insight().History().Late
		require.Len(t, late, 1, "four milliseconds are not explained")
		assert.Equal(t, "poll", late[0].Name)
		assert.Equal(t, 200*ms, late[0].Late)
		assert.Equal(t, "workers 200ms (hog 700ms)", late[0].Why.String())
		runs := f.Handle.History()
		assert.Equal(t, late[0], runs[2])
		assert.Equal(t, 4*ms, runs[0].Late)
		for range 40 {
			at(p, 0, "hog", 20*ms)
			at(p, ms, "late", 0)
			time.Sleep(30 * ms)
		}
		assert.Len(t, p.Insight().History().Late, 32)
	})
}

func TestTenMinutesSecondBySecond(t *testing.T) {
	remembering(t, 1, func(p *executor.ScheduledPool) {
		begun := time.Now().Add(-1) // the clock never shows 0
		_, err := p.AtFixedRate(500*ms, 2*time.Second, func(ctx context.Context) error {
			if r, _ := executor.RunFrom(ctx); r.Number == 2 {
				return errBad
			}
			return nil
		}, executor.Name("poll"))
		require.NoError(t, err)
		at(p, 2100*ms, "hog", 500*ms)
		at(p, 2900*ms, "on time", 0)
		time.Sleep(4 * time.Second)
		assert.Equal(t, []insight.Second{
			{At: begun, Runs: 1, Name: "poll", Number: 1},
			{At: begun.Add(2 * time.Second), Runs: 3, Failures: 1, Late: 100 * ms, Name: "poll",
				Number: 2},
		}, p.Insight().History().Seconds)
		time.Sleep(20 * time.Minute)
		seconds := p.Insight().History().Seconds
		assert.InDelta(t, 300, len(seconds), 1)
		assert.WithinDuration(t, time.Now(), seconds[0].At, 10*time.Minute+time.Second)
	})
}

// A run that outlives the memory of its second must not be told in another.
func TestALoopKeepsItsHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(executor.Watch(insight.Config{History: true}))
		defer l.Close()
		f, err := l.AtFixedRate(0, time.Second, lasts(1020*ms), executor.Name("poll"))
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		h := l.Insight().History()
		require.Len(t, h.Seconds, 4, "a second each, and the fifth run goes on")
		assert.Equal(t, 60*ms, h.Seconds[3].Late)
		require.Len(t, h.Late, 3)
		assert.EqualValues(t, 4, h.Late[0].Number)
		assert.Equal(t, 60*ms, h.Late[0].Why.Previous)
		assert.Len(t, f.Handle.History(), 4)
		plain := eventloop.New()
		defer plain.Close()
		assert.Empty(t, plain.Insight().History())
	})
}

func TestARunThatLastsForLong(t *testing.T) {
	remembering(t, 2, func(p *executor.ScheduledPool) {
		at(p, 0, "long", 10*time.Minute+500*ms)
		_, err := p.AtFixedRate(0, 10*time.Minute, lasts(0), executor.Name("poll"))
		require.NoError(t, err)
		time.Sleep(10*time.Minute + time.Second)
		for _, s := range p.Insight().History().Seconds {
			assert.Equal(t, "poll", s.Name)
			assert.EqualValues(t, 1, s.Runs)
		}
	})
}

func TestNothingIsRememberedUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}))
		defer p.Close()
		f, err := p.AtFixedRate(0, time.Second, lasts(0))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Empty(t, p.Insight().History())
		assert.Empty(t, f.Handle.History())
	})
}

func TestTheStatusOfATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		f, err := p.AtFixedRate(time.Second, time.Minute, lasts(time.Second), executor.Name("poll"),
			executor.Unique(), executor.Expect(insight.SuccessWithin(3*time.Minute)))
		require.NoError(t, err)
		s := f.Handle.Status()
		assert.Equal(t, executor.TaskStatus{Name: "poll", Kind: executor.FixedRate, Unique: true,
			Period: time.Minute, Next: time.Now().Add(time.Second), Health: s.Health}, s)
		assert.Equal(t, "new", s.Health.State)
		time.Sleep(1500 * ms)
		s = f.Handle.Status()
		assert.Equal(t, future.Running, s.State)
		assert.Equal(t, time.Now().Add(59500*ms), s.Next, "of the run after this one")
		assert.EqualValues(t, 1, s.Runs)
		assert.Nil(t, s.Last)
		time.Sleep(time.Second)
		s = f.Handle.Status()
		assert.Equal(t, time.Second, s.Last.Took)
		assert.Equal(t, "ok", s.Health.State)
		f.Pause()
		s = f.Handle.Status()
		assert.True(t, s.Paused)
		assert.Zero(t, s.Next)
		f.Cancel()
		assert.Equal(t, future.Cancelled, f.Handle.Status().State)

		once, err := p.Schedule(time.Hour, lasts(0))
		require.NoError(t, err)
		assert.Equal(t, executor.TaskStatus{Kind: executor.Once, Next: time.Now().Add(time.Hour)},
			once.Handle.Status())
	})
}

// The status has what the next runs follow from: the calendar, and the bounds of the series.
func TestTheStatusOfASeriesThatIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		hourly := cron.MustParse("0 * * * *")
		end := time.Now().Add(24 * time.Hour)
		f, err := p.On(hourly, lasts(time.Minute), executor.Until(end), executor.MaxRuns(2))
		require.NoError(t, err)
		s := f.Handle.Status()
		assert.Equal(t, hourly, s.Calendar)
		assert.Equal(t, end, s.Until)
		assert.EqualValues(t, 2, s.Left)
		require.True(t, f.Trigger())
		time.Sleep(61 * time.Second)
		s = f.Handle.Status()
		assert.EqualValues(t, 1, s.Runs)
		assert.EqualValues(t, 2, s.Left, "the bound does not count that run")
		time.Sleep(time.Hour - 30*time.Second)
		assert.EqualValues(t, 1, f.Handle.Status().Left, "one is in progress")
		time.Sleep(2 * time.Hour)
		s = f.Handle.Status()
		assert.True(t, s.State.Settled())
		assert.Nil(t, s.Calendar, "nothing of the user's is kept")

		wall, err := p.ScheduleAt(time.Now().Add(time.Hour), lasts(0), executor.WallClock())
		require.NoError(t, err)
		assert.Nil(t, wall.Handle.Status().Calendar)
	})
}

// Whatever becomes of tasks, the register of those that repeat has what a walk through all finds.
func TestTheRegisterHasWhatIsThere(t *testing.T) {
	for seed := range uint64(30) {
		remembering(t, 2, func(p *executor.ScheduledPool) {
			random := rand.New(rand.NewPCG(seed, 1))
			var tasks []executor.Handle
			for step := range 300 {
				task := lasts(time.Duration(random.IntN(3)) * 10 * ms)
				if random.IntN(8) == 0 {
					task = func(context.Context) error { panic("a bug") }
				}
				wait := time.Duration(random.IntN(100)) * ms
				opts := []executor.TaskOption{executor.Name(strconv.Itoa(random.IntN(40)))}
				if random.IntN(2) == 0 {
					opts = append(opts, executor.Unique(), executor.MaxRuns(1+random.IntN(5)))
				}
				switch random.IntN(6) {
				case 0:
					if f, err := p.AtFixedRate(wait, wait+ms, task, opts...); err == nil {
						tasks = append(tasks, f.Handle)
					}
				case 1:
					if f, err := p.WithFixedDelay(wait, wait+ms, task, opts...); err == nil {
						tasks = append(tasks, f.Handle)
					}
				case 2:
					_, _ = p.Schedule(wait, task, executor.Name("once"))
				case 3:
					if len(tasks) > 0 {
						tasks[random.IntN(len(tasks))].Cancel()
					}
				case 4:
					_, err := p.Apply(executor.Job{Name: fmt.Sprint("job", random.IntN(3)),
						Rate: time.Second, Task: task})
					require.Equal(t, step > 290, err != nil)
				case 5:
					time.Sleep(wait)
				}
				if step == 290 {
					p.Shutdown()
				}
				synctest.Wait()
				assertRegister(t, p)
			}
			p.ShutdownNow()
			time.Sleep(time.Second) // runs in progress go on
			assert.Empty(t, p.Series())
		})
	}
}

func assertRegister(t *testing.T, p *executor.ScheduledPool) {
	t.Helper()
	var want, got []string
	for h := range p.Tasks() {
		if h.Kind() != executor.Once {
			want = append(want, fmt.Sprintf("%p %s", h.Stopped(), h.Name()))
		}
	}
	for _, h := range p.Series() {
		got = append(got, fmt.Sprintf("%p %s", h.Stopped(), h.Name()))
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}
