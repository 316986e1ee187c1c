package stpe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

// every returns the runs up to 75 s of a task that p runs every 10 s, and whose second run, at
// 20 s, takes 37 s.
func every(t *testing.T, p executor.ScheduledSubmitter, opts ...executor.TaskOption) []theRun {
	t.Helper()
	d := startDiary()
	f, err := p.Every(10*time.Second, d.lasting("a", 0, 37*time.Second, 0), opts...)
	require.NoError(t, err)
	assert.True(t, f.Periodic())
	time.Sleep(75 * time.Second)
	f.Cancel()
	return d.theRuns()
}

var (
	oneForAll = []theRun{
		theRunAt(1, 10, 10, 0),
		theRunAt(2, 20, 20, 0),
		theRunAt(3, 50, 57, 2),
		theRunAt(4, 60, 60, 0),
		theRunAt(5, 70, 70, 0),
	}
	oneForEach = []theRun{
		theRunAt(1, 10, 10, 0),
		theRunAt(2, 20, 20, 0),
		theRunAt(3, 30, 57, 2),
		theRunAt(4, 40, 57, 1),
		theRunAt(5, 50, 57, 0),
		theRunAt(6, 60, 60, 0),
		theRunAt(7, 70, 70, 0),
	}
)

func TestEveryBeginsAfterOnePeriodAndOneLateRunStandsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, oneForAll, every(t, startPool(t, 1)))
		loop := eventloop.New()
		assert.Equal(t, oneForAll, every(t, loop))
		require.NoError(t, loop.Close())
	})
}

func TestEveryInATurnIsThatOfTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := eventloop.New()
		defer loop.Close()
		d := startDiary()
		require.NoError(t, loop.Execute(func(ctx context.Context) error {
			turn, _ := loop.Turn(ctx)
			_, err := turn.Every(10*time.Second, d.lasting("a", 0, 37*time.Second, 0))
			return err
		}))
		time.Sleep(75 * time.Second)
		assert.Equal(t, oneForAll, d.theRuns())
	})
}

func TestEveryHeedsTheCatchUpThatItIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		burst := executor.CatchUp(executor.Burst)
		assert.Equal(t, oneForEach, every(t, startPool(t, 1), burst))
		skip := every(t, startPool(t, 1), executor.CatchUp(executor.Skip))
		assert.Equal(t, theRunAt(3, 60, 60, 3), skip[2])
		assert.Equal(t, oneForEach, every(t, startPool(t, 1, executor.Defaults(burst))))
		coalesce := executor.CatchUp(executor.Coalesce)
		assert.Equal(t, oneForAll, every(t, startPool(t, 1, executor.Defaults(burst)), coalesce))
	})
}

// A stall of the process, or of all workers, is no different from a run that takes long.
func TestEveryMakesNoBurstWhenAllWorkersWereBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		_, err := p.Every(10*time.Second, d.task("a"))
		require.NoError(t, err)
		_, err = p.Schedule(15*time.Second, func(context.Context) error {
			time.Sleep(10 * time.Minute)
			return nil
		})
		require.NoError(t, err)
		time.Sleep(11*time.Minute - 1)
		runs := d.theRuns()
		require.Len(t, runs, 6)
		assert.Equal(t, theRunAt(1, 10, 10, 0), runs[0])
		assert.Equal(t, theRunAt(2, 610, 615, 59), runs[1])
		assert.Equal(t, theRunAt(3, 620, 620, 0), runs[2])
	})
}

func TestEveryRefusesWhatAFixedRateRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := eventloop.New()
		defer loop.Close()
		p := startPool(t, 1)
		nothing := func(context.Context) error { return nil }
		for _, on := range []executor.ScheduledSubmitter{p, loop} {
			f, err := on.Every(time.Second, nil)
			assert.ErrorIs(t, err, executor.ErrNilTask)
			assert.Nil(t, f)
			_, err = on.Every(0, nothing)
			assert.ErrorIs(t, err, executor.ErrInvalid)
			_, err = on.Every(time.Second, nothing, executor.Jitter(time.Minute))
			assert.ErrorIs(t, err, executor.ErrInvalid)
			_, err = on.Every(time.Second, nothing, executor.Until(time.Now().Add(time.Second)))
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
		p.Shutdown()
		_, err := p.Every(time.Second, nothing)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestAJobWithEveryIsOneOfEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		job := executor.Job{Name: "a", Task: d.lasting("a", 0, 37*time.Second, 0),
			Every: 10 * time.Second}
		_, err := p.Apply(job)
		require.NoError(t, err)
		time.Sleep(75 * time.Second)
		assert.Equal(t, oneForAll, d.theRuns())

		job.Every = 20 * time.Second
		changes, err := p.Apply(job)
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Changed: []string{"a"},
			Why: map[string]string{"a": "period 10s -> 20s"}}, changes)
		time.Sleep(20 * time.Second)
		assert.Equal(t, theRunAt(6, 90, 90, 0), d.theRuns()[5])
	})
}

func TestAJobWithEveryIsTheSameAsAtARateThatCoalesces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		nothing := func(context.Context) error { return nil }
		_, err := p.Apply(executor.Job{Name: "a", Task: nothing, Rate: time.Minute,
			Options: []executor.TaskOption{executor.CatchUp(executor.Coalesce)}})
		require.NoError(t, err)
		job := executor.Job{Name: "a", Task: nothing, Every: time.Minute}
		changes, err := p.Apply(job)
		require.NoError(t, err)
		assert.Equal(t, executor.Changes{Unchanged: []string{"a"}}, changes)

		for _, bad := range []executor.Job{
			{Name: "a", Task: nothing, Every: time.Minute, Rate: time.Minute},
			{Name: "a", Task: nothing, Every: time.Minute, Initial: time.Minute},
			{Name: "a", Task: nothing, Every: -time.Minute},
		} {
			_, err := p.Apply(bad)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
	})
}
