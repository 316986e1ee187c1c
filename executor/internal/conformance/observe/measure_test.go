package observe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/internal/delay"
)

func TestRunsAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}), pooltest.Quiet())
		defer p.Close()
		begun := time.Now()
		n := 0
		_, err := p.AtFixedRate(0, 10*ms, func(context.Context) error {
			if n++; n == 3 {
				time.Sleep(35 * ms)
				return errors.New("three")
			}
			time.Sleep(ms)
			return nil
		}, executor.Name("t"), executor.CatchUp(executor.Skip), executor.MaxRuns(5))
		require.NoError(t, err)
		at(p, 25*ms, "", 2*ms)
		time.Sleep(time.Second)
		synctest.Wait()

		m := p.Insight().Measurements()
		require.Len(t, m.Tasks, 1)
		of := m.Tasks[0]
		assert.Equal(t, "t", of.Name)
		assert.EqualValues(t, 5, of.Took.Count())
		assert.Equal(t, 39*ms, of.Took.Sum)
		assert.Equal(t, 35*ms, of.Took.Max)
		assert.EqualValues(t, 1, of.Failures)
		assert.EqualValues(t, 3, of.Missed)
		assert.Equal(t, 71*ms, of.LastSuccess.Sub(begun))
		assert.EqualValues(t, 6, m.Late.Count())
		assert.Equal(t, 30*ms, m.Late.Max, "the unnamed one")
		assert.Zero(t, of.Late.Max)

		s := p.Stats()
		assert.EqualValues(t, 6, s.Took.Count)
		assert.Equal(t, 41*ms/6, s.Took.Mean)
		assert.Equal(t, 35*ms, s.Took.P99)
		text, err := json.Marshal(s)
		require.NoError(t, err)
		var back executor.Stats
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, s, back)
	})
}

func TestTheReasonsAreSummedUp(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, _ *book) {
		for range 3 {
			at(p, 0, "x", 10*ms)
		}
		time.Sleep(time.Second)
		m := p.Insight().Measurements()
		assert.Equal(t, 30*ms, m.Reasons.Total)
		assert.Equal(t, 30*ms, m.Reasons.Queue+m.Reasons.Busy)
	})
}

func TestNamesThatAreMeasuredAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}))
		defer p.Close()
		for i := range 1000 {
			at(p, 0, fmt.Sprint(i), 0)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		m := p.Insight().Measurements()
		require.Len(t, m.Tasks, 201)
		assert.Equal(t, "other", m.Tasks[200].Name)
		assert.EqualValues(t, 800, m.Tasks[200].Took.Count())
	})
}

func TestNothingIsMeasuredUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		at(p, 0, "x", ms)
		time.Sleep(time.Second)
		assert.Equal(t, insight.Measurements{}, p.Insight().Measurements())
		assert.Nil(t, p.Stats().Late)
	})
}

func TestTooManyLateRunsAreCountedOnly(t *testing.T) {
	late(t, 1, func(p *executor.ScheduledPool, b *book) {
		at(p, 0, "hog", ms)
		for range 150 {
			at(p, 0, "x", 0)
		}
		time.Sleep(time.Second)
		assert.Len(t, b.read(), 100)
		assert.EqualValues(t, 50, p.Insight().Measurements().Unexplained)
		at(p, 0, "hog", ms)
		at(p, 0, "x", 0)
		time.Sleep(time.Second)
		assert.Len(t, b.read(), 1)
	})
}

func TestStatsTellWhatIsOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, pooltest.Quiet())
		defer p.Close()
		_, err := p.Schedule(0, lasts(20*ms), executor.Timeout(5*ms))
		require.NoError(t, err)
		at(p, 10*ms, "x", 0)
		time.Sleep(4 * ms)
		s := p.Stats()
		assert.Zero(t, s.Overdue)
		assert.Zero(t, s.Overrunning)
		time.Sleep(11 * ms)
		s = p.Stats()
		assert.Equal(t, 5*ms, s.Overdue)
		assert.Equal(t, 1, s.Overrunning)
		assert.EqualValues(t, 1, s.TimedOut)
		time.Sleep(time.Second)
		s = p.Stats()
		assert.Zero(t, s.Overrunning)
		assert.EqualValues(t, 1, s.TimedOut)
	})
}

func TestALoopMeasuresToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(executor.Watch(insight.Config{}))
		defer l.Close()
		_, err := l.Schedule(0, lasts(3*ms), executor.Name("x"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 3*ms, l.Stats().Took.Max)
		assert.EqualValues(t, 1, l.Stats().Late.Count)
		m := l.Insight().Measurements()
		assert.Equal(t, 3*ms, m.Took.Max)
		require.Len(t, m.Tasks, 1)
		assert.Equal(t, "x", m.Tasks[0].Name)

		plain := eventloop.New()
		defer plain.Close()
		assert.Zero(t, plain.Insight().Measurements())
	})
}

func TestAnAttemptThatAnotherFollowsIsNoSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}))
		defer p.Close()
		attempts := 0
		_, err := p.Submit(func(context.Context) error {
			if attempts++; attempts < 3 {
				return errBad
			}
			return nil
		}, executor.Name("x"), executor.Retry(3, retry.Backoff{Base: time.Hour, Spread: retry.NoSpread}))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Zero(t, p.Insight().Measurements().LastSuccess)
		assert.Zero(t, p.Insight().Measurements().Tasks[0].LastSuccess)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.Equal(t, 3, attempts)
		assert.NotZero(t, p.Insight().Measurements().LastSuccess)
	})
}

// What nobody is called for takes no time, so a timeout that is over at once prevents no body.
func TestMeasuringPreventsNoBody(t *testing.T) {
	for _, opt := range []executor.Option{executor.Watch(insight.Config{}),
		executor.AfterRun(func(context.Context, executor.Run, error) {})} {
		synctest.Test(t, func(t *testing.T) {
			defer delay.Set(func(at delay.Point) {
				if at == delay.RunEntered {
					time.Sleep(time.Second)
				}
			})()
			p := executor.NewPool(1, opt, pooltest.Quiet())
			ran := false
			f, err := p.Submit(func(context.Context) error { ran = true; return nil },
				executor.Timeout(time.Millisecond))
			require.NoError(t, err)
			<-f.Stopped()
			assert.True(t, ran)
			require.NoError(t, p.Close())
		})
	}
}

// A run that exceeds its timeout has failed at once. Stats say so while its body is still running,
// and so do the measurements of all runs: they are the same counter. Those of a name come with the
// end of the run.
func TestMeasurementsCountTheFailuresThatStatsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}), pooltest.Quiet())
		defer p.Close()
		l := eventloop.New(executor.Watch(insight.Config{}), pooltest.Quiet().(executor.CommonOption))
		defer l.Close()
		options := []executor.TaskOption{executor.Name("slow"), executor.Timeout(ms),
			executor.MaxRuns(1)}
		_, err := p.AtFixedRate(0, time.Second, pooltest.Sleep(10*ms), options...)
		require.NoError(t, err)
		_, err = l.AtFixedRate(0, time.Second, pooltest.Sleep(10*ms), options...)
		require.NoError(t, err)

		check := func(ofName uint64) {
			t.Helper()
			synctest.Wait()
			for _, m := range []insight.Measurements{p.Insight().Measurements(), l.Insight().Measurements()} {
				assert.EqualValues(t, 1, m.Failures)
				assert.Equal(t, ofName, m.Tasks[0].Failures)
			}
			assert.EqualValues(t, 1, p.Stats().Failures)
			assert.EqualValues(t, 1, l.Stats().Failures)
		}
		time.Sleep(5 * ms)
		check(0)
		time.Sleep(time.Second)
		check(1)
	})
}
