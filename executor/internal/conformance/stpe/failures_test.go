package stpe_test

import (
	"context"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// What becomes of the failures of a task: who is told of them, when, and how often, and what they
// mean for a series.

// abruptly are the ways for a body to end without returning.
var abruptly = map[string]executor.Task{
	"panic":  func(context.Context) error { panic(pooltest.ErrTask) },
	"goexit": pooltest.Goexit,
}

// logged returns what matches of each line, for a group of the pattern.
func logged(lines []string, pattern string) (found []string) {
	for _, line := range lines {
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(line, -1) {
			found = append(found, match[1])
		}
	}
	return found
}

func TestASeriesGoesOnAfterAReturnedError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		log, records := theLog()
		p := startPool(t, 1, log, executor.ErrorHandler(told.Handle))
		d := startDiary()
		body := func(context.Context) error { d.write("run"); return pooltest.ErrTask }
		f, err := p.AtFixedRate(0, 10*time.Second, body)
		require.NoError(t, err)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		assert.Equal(t, theSeconds(0, 10, 20), d.theTimes())
		assert.False(t, f.State().Settled())
		assert.Equal(t, []error{pooltest.ErrTask, pooltest.ErrTask, pooltest.ErrTask}, told.Told())
		assert.EqualValues(t, 3, p.Stats().Failures)
		assert.Empty(t, records(), "the handler was told")
	})
}

func TestASeriesEndsLoudlyByAPanicOrAGoexit(t *testing.T) {
	for name, body := range abruptly {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				log, records := theLog()
				p := startPool(t, 1, log, executor.ErrorHandler(told.Handle))
				f, err := p.WithFixedDelay(0, time.Second, pooltest.InTurn(pooltest.Fail, body))
				require.NoError(t, err)
				_, err = f.Get(t.Context())
				require.Error(t, err)
				time.Sleep(time.Minute)
				assert.EqualValues(t, 2, f.Runs())
				assert.Equal(t, []error{pooltest.ErrTask, err}, told.Told())
				require.Len(t, records(), 1)
				assert.Contains(t, records()[0], "level=ERROR")
				assert.Contains(t, records()[0], "periodic task ended by a failure")
				assert.EqualValues(t, 2, p.Stats().Failures)
				assert.EqualValues(t, 1, p.Stats().Completed)
			})
		})
	}
}

// What a body returns is an error, even if it tells of a panic: that was another's.
func TestASeriesGoesOnAfterAnErrorThatTellsOfThePanicOfAnother(t *testing.T) {
	for name, body := range abruptly {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				p := startPool(t, 2, executor.ErrorHandler(told.Handle))
				f, err := p.AtFixedRate(0, time.Second, func(ctx context.Context) error {
					child, err := p.Submit(body)
					if err == nil {
						_, err = child.Get(ctx)
					}
					return err
				}, executor.MaxRuns(3))
				require.NoError(t, err)
				_, err = f.Get(t.Context())
				require.NoError(t, err)
				synctest.Wait() // the handler of the last child may still be running
				assert.Len(t, told.Told(), 6, "each of three runs, and its child")
			})
		})
	}
}

func TestStopSeriesEndsASeriesAtAnyFailure(t *testing.T) {
	bodies := map[string]executor.Task{"error": pooltest.Fail, "timeout": pooltest.Sleep(2 * time.Second)}
	for name, body := range abruptly {
		bodies[name] = body
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				log, records := theLog()
				p := startPool(t, 1, log, executor.ErrorHandler(told.Handle))
				f, err := p.AtFixedRate(0, time.Minute, body,
					executor.Timeout(time.Second), executor.FailurePolicy(executor.StopSeries))
				require.NoError(t, err)
				_, err = f.Get(t.Context())
				require.Error(t, err)
				time.Sleep(time.Hour)
				assert.EqualValues(t, 1, f.Runs())
				assert.Equal(t, []error{err}, told.Told())
				assert.Len(t, records(), 1)
				assert.EqualValues(t, 1, p.Stats().Failures)
				assert.EqualValues(t, 1, p.Stats().Completed)
			})
		})
	}
}

func TestFailuresOfASeriesAreLoggedSparinglyAndSoIsTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		bodies := []executor.Task{pooltest.Nothing}
		for range 9 {
			bodies = append(bodies, pooltest.Fail)
		}
		bodies = append(bodies, pooltest.Nothing, pooltest.Nothing, pooltest.Fail, pooltest.Nothing)
		f, err := p.AtFixedRate(0, time.Second, pooltest.InTurn(bodies...),
			executor.MaxRuns(len(bodies)), executor.Name("poll"))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		lines := records()
		assert.Equal(t, []string{"ERROR", "ERROR", "ERROR", "ERROR", "INFO", "ERROR", "INFO"},
			logged(lines, `level=(\w+)`))
		assert.Equal(t, []string{"2", "3", "5", "9", "11", "13", "14"},
			logged(lines, `task=poll run=(\d+)`))
		assert.Equal(t, []string{"1", "2", "4", "8", "9", "1", "1"}, logged(lines, `streak=(\d+)`))
		assert.Equal(t, []string{"succeeds again", "succeeds again"}, logged(lines, `(succeeds again)`))
		assert.EqualValues(t, 10, p.Stats().Failures)
	})
}

func TestTheFirstPanicOfAStreakIsLoggedWithItsStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		bodies := []executor.Task{pooltest.Fail, pooltest.Fail, pooltest.Panic, pooltest.Fail, pooltest.Panic, pooltest.Panic}
		f, err := p.AtFixedRate(0, time.Second, pooltest.InTurn(bodies...),
			executor.MaxRuns(7), executor.FailurePolicy(executor.Continue))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		lines := records()
		// The first, second and fourth failure, and of the panics likewise.
		assert.Equal(t, []string{"1", "2", "3", "4", "5", "7"}, logged(lines, `run=(\d+)`))
		assert.Len(t, logged(lines, `stack=.*(pooltest\.Panic)`), 3)
	})
}
