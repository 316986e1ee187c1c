package control_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

func minutely(name string, opts ...executor.TaskOption) executor.Job {
	return executor.Job{Name: name, Task: pooltest.Nothing, Rate: time.Minute, Options: opts}
}

func TestAJobIsHeldToWhatIsExpectedOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, pooltest.Quiet())
		job := minutely("poll", executor.Expect(insight.SuccessWithin(3*time.Minute)))
		job.Task = pooltest.Fail
		_, err := p.Apply(job)
		require.NoError(t, err)
		time.Sleep(time.Hour)
		h, ok := p.Lookup("poll")
		require.True(t, ok)
		require.NotNil(t, h.Status().Health)
		assert.Equal(t, "late", h.Status().Health.State)
		assert.Equal(t, insight.HealthDegraded, p.Insight().Health().Status)
	})
}

func TestJobsAreToldAndRecordedLikeOtherTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape bytes.Buffer
		told := figures.NewTally()
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
			executor.Watch(insight.Config{History: true, Record: &tape}))
		for _, jobs := range [][]executor.Job{
			{minutely("a"), minutely("b")},
			{minutely("a"), minutely("b", executor.Timeout(time.Second))}, // b is another
			{minutely("a")},
		} {
			_, err := p.Apply(jobs...)
			require.NoError(t, err)
			time.Sleep(10 * time.Minute)
		}
		assert.Equal(t, 1, told.Of("a").Submitted)
		assert.Equal(t, 2, told.Of("b").Submitted)
		assert.Equal(t, 2, told.Of("b").Cancelled)
		require.NoError(t, p.Close())
		assert.Contains(t, tape.String(), `"name":"a"`)
		assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
	})
}

func TestJobsThatAreRefusedAreToldAsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape bytes.Buffer
		told := figures.NewTally()
		p := executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer()),
			executor.Watch(insight.Config{Record: &tape}), executor.PendingLimit(1))
		_, err := p.Apply(minutely("a"), minutely("b"))
		require.ErrorIs(t, err, executor.ErrSaturated)
		assert.Equal(t, 2, told.All().Rejected)
		assert.EqualValues(t, 2, p.Stats().Rejected)
		require.NoError(t, p.Close())
		assert.Empty(t, figures.OfPool(p, told, tape.Bytes()).Disagreements())
	})
}

// Submitted is called without a lock, so another Apply may come in between.
func TestJobsAppliedAtOnceAreToldOnceEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := figures.NewTally()
		var p *executor.ScheduledPool
		nested := false
		p = executor.NewScheduledPool(1, pooltest.Quiet(), executor.Observe(told.Observer(),
			executor.Observer{Submitted: func(executor.Run) {
				if nested {
					return
				}
				nested = true
				_, err := p.Apply(minutely("a"))
				require.NoError(t, err)
			}}))
		ch, err := p.Apply(minutely("a"), minutely("b"))
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, ch.Unchanged)
		assert.Equal(t, []string{"b"}, ch.Added)
		assert.Equal(t, 1, told.Of("a").Rejected)
		require.NoError(t, p.Close())
		assert.Empty(t, figures.OfPool(p, told, nil).Disagreements())
	})
}
