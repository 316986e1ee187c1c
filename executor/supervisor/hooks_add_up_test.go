package supervisor_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
)

func TestCallbacksAddUpWhateverOneOfThemDoes(t *testing.T) {
	for name, way := range map[string]func(){"panic": func() { panic("bad") }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls []string
				note := func(name string, then func()) func(supervisor.Outcome) {
					return func(supervisor.Outcome) { calls = append(calls, name); then() }
				}
				ok := func() {}
				s := supervisor.New(newPool(t), hang,
					supervisor.Interval(time.Second), supervisor.Timeout(time.Second), supervisor.Factor(1),
					executor.Logger(slog.New(slog.DiscardHandler)),
					supervisor.AfterCycle(note("1", ok)), supervisor.AfterCycle(nil),
					supervisor.AfterCycle(note("bad", way)), supervisor.AfterCycle(note("3", ok)))
				s.Start()
				time.Sleep(1500 * time.Millisecond)
				synctest.Wait()
				assert.Equal(t, []string{"1", "bad", "3"}, calls)
				require.NoError(t, s.StopContext(nil))
			})
		})
	}
}

func TestAnErrorHandlerIsToldOfACallbackThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var told []string
		s := supervisor.New(newPool(t), pooltest.Nothing, executor.Name("registry"),
			executor.Logger(slog.New(slog.NewTextHandler(&log, nil))),
			supervisor.AfterCycle(func(supervisor.Outcome) { panic("out of paper") }),
			executor.ErrorHandler(func(_ context.Context, run executor.Run, err error) {
				assert.Equal(t, "registry", run.Name)
				assert.EqualValues(t, 1, run.Number)
				told = append(told, err.Error())
			}),
			executor.ErrorHandler(func(context.Context, executor.Run, error) { panic("deaf") }))
		s.Start()
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"supervisor: AfterCycle callback: future: panic: out of paper"}, told)
		assert.Contains(t, log.String(), "deaf")
		assert.NotContains(t, log.String(), "out of paper")
		require.NoError(t, s.StopContext(nil))
	})
}
