package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/timer/calendar"
)

// desired runs a test in a bubble, with a pool whose jobs write when they run.
func desired(t *testing.T, test func(t *testing.T, j jobs)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		j := jobs{pooltest.NewScheduledPool(t, 2), newDiary()}
		test(t, j)
		pooltest.Balanced(t, &j.p.Pool)
	})
}

func (j jobs) apply(t *testing.T, given ...executor.Job) executor.Changes {
	t.Helper()
	plan, err := j.p.Plan(given...)
	require.NoError(t, err)
	changes, err := j.p.ApplyPlan(plan, given...)
	require.NoError(t, err)
	require.Equal(t, plan, changes)
	return changes
}

func (j jobs) named(t *testing.T, name string) executor.Handle {
	t.Helper()
	h, ok := j.p.Job(name)
	require.True(t, ok)
	return h
}

func paused(j executor.Job) executor.Job {
	j.Paused = true
	return j
}

func disabled(j executor.Job) executor.Job {
	j.Disabled = true
	return j
}

func TestAJobThatIsToBePausedDoesNotRun(t *testing.T) {
	desired(t, func(t *testing.T, j jobs) {
		poll := j.every("poll", 10*time.Second, "")
		daily := executor.Job{Name: "daily", On: calendar.Daily(calendar.At(3, 0)).In(time.UTC), Task: poll.Task}
		changes := j.apply(t, paused(poll), paused(daily))
		assert.Equal(t, executor.Changes{Added: []string{"poll", "daily"}, Paused: []string{"poll", "daily"}}, changes)
		for _, name := range []string{"poll", "daily"} {
			assert.True(t, j.named(t, name).Paused(), name)
			_, planned := j.named(t, name).Next()
			assert.False(t, planned, name)
		}
		j.d.until(25)
		assert.Empty(t, j.d.starts())
		changes = j.apply(t, poll, daily)
		assert.Equal(t, []string{"poll", "daily"}, changes.Resumed)
		assert.Equal(t, []string{"poll", "daily"}, changes.Changed)
		assert.Equal(t, "paused true -> false", changes.Why["poll"])
		j.d.until(41)
		assert.Equal(t, []string{"poll 30", "poll 40"}, j.d.starts(), "the phase is that of the first Apply")
		next, planned := j.named(t, "daily").Next()
		assert.True(t, planned)
		assert.Equal(t, 3, next.UTC().Hour())
		changes = j.apply(t, paused(poll), daily)
		assert.Equal(t, executor.Changes{Changed: []string{"poll"}, Unchanged: []string{"daily"}, Paused: []string{"poll"},
			Why: map[string]string{"poll": "paused false -> true"}}, changes)
		j.d.until(100)
		assert.Len(t, j.d.starts(), 2)
	})
}

// What an operator does holds until another value is wanted than the last time.
func TestWhatAnOperatorPausesStaysPaused(t *testing.T) {
	desired(t, func(t *testing.T, j jobs) {
		poll := j.every("poll", 10*time.Second, "")
		j.apply(t, poll)
		require.True(t, j.named(t, "poll").Pause())
		assert.Equal(t, executor.Changes{Unchanged: []string{"poll"}}, j.apply(t, poll))
		assert.True(t, j.named(t, "poll").Paused())

		replaced := j.every("poll", 10*time.Second, "", executor.Timeout(time.Second))
		assert.Equal(t, executor.Changes{Changed: []string{"poll"},
			Why: map[string]string{"poll": "replaced: options: Timeout"}}, j.apply(t, replaced))
		assert.True(t, j.named(t, "poll").Paused(), "another timeout does not start it")

		assert.Empty(t, j.apply(t, paused(replaced)).Paused, "it is paused already")
		require.True(t, j.named(t, "poll").Resume())
		assert.Equal(t, executor.Changes{Unchanged: []string{"poll"}}, j.apply(t, paused(replaced)))
		assert.False(t, j.named(t, "poll").Paused())
		assert.Equal(t, executor.Changes{Changed: []string{"poll"}, Why: map[string]string{
			"poll": "replaced: options: Timeout"}}, j.apply(t, paused(poll)))
		assert.False(t, j.named(t, "poll").Paused())
	})
}

func TestAJobThatHasGivenUpHasAnotherTryWhenItIsReplaced(t *testing.T) {
	desired(t, func(t *testing.T, j jobs) {
		job := executor.Job{Name: "a", Rate: time.Second, Task: func(context.Context) error { return errBoom },
			Options: []executor.TaskOption{executor.PauseAfter(2)}}
		j.apply(t, job)
		time.Sleep(5 * time.Second)
		require.True(t, j.named(t, "a").Paused())
		job.Options = []executor.TaskOption{executor.PauseAfter(3)}
		assert.Equal(t, []string{"a"}, j.apply(t, job).Resumed)
		assert.False(t, j.named(t, "a").Paused())
	})
}

func TestAJobThatIsDisabledHasNoTask(t *testing.T) {
	desired(t, func(t *testing.T, j jobs) {
		poll := j.every("poll", 10*time.Second, "")
		assert.Equal(t, executor.Changes{Disabled: []string{"poll"}}, j.apply(t, disabled(poll)))
		_, ok := j.p.Job("poll")
		assert.False(t, ok)
		assert.ErrorIs(t, j.p.Restart("poll"), executor.ErrInvalid)
		_, err := j.p.Submit(pooltest.Nothing, executor.Name("poll"), executor.Unique())
		require.NoError(t, err, "its name is free")
		synctest.Wait()

		assert.Equal(t, executor.Changes{Added: []string{"poll"}}, j.apply(t, poll))
		j.d.until(15)
		assert.Equal(t, executor.Changes{Removed: []string{"poll"}, Disabled: []string{"poll"}},
			j.apply(t, disabled(poll)))
		j.d.until(100)
		assert.Equal(t, []string{"poll 10"}, j.d.starts())

		poll.Rate = -1
		_, err = j.p.Apply(disabled(poll))
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.ErrorContains(t, err, `"poll"`)
	})
}

// A job that is disabled in a run goes on to its end, and enabled again meanwhile it waits for that.
func TestAJobThatIsDisabledInARun(t *testing.T) {
	desired(t, func(t *testing.T, j jobs) {
		job := executor.Job{Name: "a", Rate: 10 * time.Second, Task: func(ctx context.Context) error {
			j.d.run(ctx)
			time.Sleep(7 * time.Second)
			j.d.write("ended %v %v", j.d.now(), ctx.Err())
			return nil
		}}
		j.apply(t, job)
		j.d.until(2)
		j.apply(t, disabled(job))
		j.d.until(4)
		assert.Equal(t, executor.Changes{Added: []string{"a"}}, j.apply(t, job))
		j.d.until(20)
		assert.Equal(t, []string{"0", "ended 7 <nil>", "14"}, j.d.starts()[:3])
	})
}

func TestAJobOnDemandRunsWhenItIsTriggered(t *testing.T) {
	desired(t, func(t *testing.T, j jobs) {
		job := executor.Job{Name: "report", OnDemand: true, Task: func(ctx context.Context) error {
			r, _ := executor.RunFrom(ctx)
			j.d.write("%v %v", j.d.now(), r.Triggered)
			return nil
		}}
		j.apply(t, job)
		assert.Equal(t, executor.Changes{Unchanged: []string{"report"}}, j.apply(t, job))
		_, planned := j.named(t, "report").Next()
		assert.False(t, planned)
		j.d.until(1000 * 24 * 3600)
		assert.Empty(t, j.d.starts())
		j.named(t, "report").Trigger()
		synctest.Wait()
		assert.Equal(t, []string{"8.64e+07 true"}, j.d.starts())
		job.OnDemand, job.Every = false, time.Minute
		assert.Equal(t, "replaced: another kind", j.apply(t, job).Why["report"])
	})
}

func TestAJobOnDemandHasNoTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.Name("lab"),
			executor.Defaults(executor.MaxRuns(3), executor.Jitter(time.Second), executor.Timeout(time.Minute)))
		job := executor.Job{Name: "report", Task: pooltest.Nothing, OnDemand: true}
		_, err := p.Apply(job)
		require.NoError(t, err, "defaults are not meant for it")
		for range 5 {
			h, _ := p.Job("report")
			require.True(t, h.Trigger())
			synctest.Wait()
		}
		bad := []executor.Job{job, job, job, job, job, job, job, job}
		bad[7].Options = []executor.TaskOption{executor.DelayBy(func(executor.LastRun) (time.Duration, bool) {
			return 0, false
		})}
		bad[0].Options = []executor.TaskOption{executor.MaxRuns(1)}
		bad[1].Options = []executor.TaskOption{executor.Until(time.Now().Add(time.Hour))}
		bad[2].Options = []executor.TaskOption{executor.From(time.Now().Add(time.Hour))}
		bad[3].Options = []executor.TaskOption{executor.Jitter(time.Second)}
		bad[4].Options = []executor.TaskOption{executor.SlowDown(2, time.Hour)}
		bad[5].Every = time.Hour
		bad[6].Initial = time.Hour
		for i, b := range bad {
			_, err := p.Apply(b)
			require.ErrorIs(t, err, executor.ErrInvalid, i)
			assert.ErrorContains(t, err, `lab`, i)
			assert.ErrorContains(t, err, `report`, i)
		}
		h, _ := p.Job("report")
		assert.Equal(t, uint64(5), h.Runs())
	})
}

// A plan changes nothing, and says what each call of Apply does.
func TestAPlanIsWhatApplyDoes(t *testing.T) {
	desired(t, func(t *testing.T, j jobs) {
		a, b, c := j.every("a", time.Second, "1"), j.every("b", time.Minute, "1"), j.every("c", time.Hour, "1")
		j.apply(t, a, b, c)
		before := j.p.Stats()
		b.Rate = 5 * time.Minute
		a.Version, c.Rate, c.Delay, c.Initial = "2", 0, time.Minute, 0
		given := []executor.Job{a, paused(b), c}
		plan, err := j.p.Plan(given...)
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"a": `version "1" -> "2"`, "b": "period 1m0s -> 5m0s; paused false -> true",
			"c": "replaced: another kind"}, plan.Why)
		assert.Equal(t, before, j.p.Stats())
		assert.Equal(t, time.Minute, j.named(t, "b").Period())
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		var approved executor.Changes
		require.NoError(t, json.Unmarshal(text, &approved))
		done, err := j.p.ApplyPlan(approved, given...)
		require.NoError(t, err)
		assert.Equal(t, plan, done)
		assert.Equal(t, 5*time.Minute, j.named(t, "b").Period())
	})
}

func TestAPlanThatIsStaleIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		p := pooltest.NewScheduledPool(t, 1, executor.Name("lab"),
			executor.Observe(executor.Observer{Submitted: func(executor.Run) { told++ }}))
		j := jobs{p, newDiary()}
		poll, clean := j.every("poll", time.Minute, ""), j.every("clean", time.Hour, "")
		j.apply(t, poll)
		plan, err := p.Plan(poll, clean)
		require.NoError(t, err)
		slow := poll
		slow.Rate = time.Hour
		j.apply(t, slow) // by another
		told = 0
		now, err := p.ApplyPlan(plan, poll, clean)
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.ErrorContains(t, err, "stale")
		assert.ErrorContains(t, err, "lab")
		assert.Equal(t, "period 1h0m0s -> 1m0s", now.Why["poll"], "what it would do now")
		assert.Zero(t, told, "nothing is submitted")
		_, ok := p.Job("clean")
		assert.False(t, ok)
		assert.Equal(t, time.Hour, j.named(t, "poll").Period())
		_, err = p.ApplyPlan(now, poll, clean)
		require.NoError(t, err)
		_, err = p.ApplyPlan(executor.Changes{Unchanged: []string{"poll"}}, poll, disabled(clean))
		require.ErrorIs(t, err, executor.ErrInvalid, "it does not know that a job is disabled")
		pooltest.Balanced(t, &p.Pool)
	})
}

func TestAPlanFailsAsApplyWould(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		late := executor.Job{Name: "late", Rate: time.Hour, Initial: time.Hour, Task: pooltest.Nothing,
			Options: []executor.TaskOption{executor.Until(time.Now().Add(time.Minute))}}
		for _, bad := range [][]executor.Job{{late}, {{Name: "none"}}, {{}}, {late, late}} {
			_, planned := p.Plan(bad...)
			_, applied := p.Apply(bad...)
			require.Error(t, planned)
			assert.Equal(t, applied.Error(), planned.Error())
		}
		p.Shutdown()
		_, err := p.Plan(executor.Job{Name: "a", Rate: time.Hour, Task: pooltest.Nothing})
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

// Of two calls at once the last one counts, whatever each of them still has to do.
func TestJobsThatArePausedAndResumedAtOnce(t *testing.T) {
	for seed := range 200 {
		desired(t, func(t *testing.T, j jobs) {
			daily := executor.Job{Name: "daily", On: calendar.Daily(calendar.At(3, 0)).In(time.UTC), Task: pooltest.Nothing}
			j.apply(t, daily)
			for i := range 4 {
				go func() {
					given := daily
					given.Paused = (seed+i)%2 == 0
					_, err := j.p.Apply(given)
					assert.NoError(t, err)
				}()
			}
			synctest.Wait()
			wanted := daily
			wanted.Paused = j.named(t, "daily").Paused()
			assert.Equal(t, []string{"daily"}, j.apply(t, wanted).Unchanged, fmt.Sprint(seed))
		})
	}
}

// A job that begins paused is told, and ends at its end like any other.
func TestAJobThatBeginsPausedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		p := pooltest.NewScheduledPool(t, 1, executor.Observe(executor.Observer{
			Submitted: func(executor.Run) { told = append(told, "submitted") },
			Paused:    func(executor.Run) { told = append(told, "paused") },
			Resumed:   func(executor.Run) { told = append(told, "resumed") }}))
		job := executor.Job{Name: "a", Rate: time.Minute, Task: pooltest.Nothing, Paused: true,
			Options: []executor.TaskOption{executor.Until(time.Now().Add(time.Hour))}}
		_, err := p.Apply(job)
		require.NoError(t, err)
		assert.Equal(t, []string{"submitted", "paused"}, told)
		h, _ := p.Job("a")
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.True(t, h.State().Settled())
		assert.Zero(t, h.Runs())
		job.Paused = false
		changes, err := p.Apply(job)
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Unchanged: []string{"a"}}, changes, "it has ended by itself")
	})
}
