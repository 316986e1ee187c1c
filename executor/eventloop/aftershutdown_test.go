package eventloop_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestAfterShutdownIsCalledOnceTheLoopRefusesTasks(t *testing.T) {
	for name, c := range map[string]struct {
		shutDown func(l *eventloop.Loop)
		want     time.Duration
	}{
		"Shutdown":    {(*eventloop.Loop).Shutdown, time.Second},
		"ShutdownNow": {func(l *eventloop.Loop) { l.ShutdownNow() }, time.Second},
		"Close":       {func(l *eventloop.Loop) { _ = l.Close() }, time.Second},
		"gracefully": {func(l *eventloop.Loop) { _ = l.ShutdownGracefully(time.Minute, time.Hour) },
			61 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := eventloop.New()
				begun := time.Now()
				var told []time.Duration
				l.AfterShutdown(func() {
					assert.ErrorIs(t, l.Execute(pooltest.Nothing), executor.ErrShutdown)
					assert.NoError(t, l.Close(), "it is not the goroutine of the loop")
					told = append(told, time.Since(begun))
				})
				stop := l.AfterShutdown(func() { t.Error("called") })
				assert.True(t, stop())
				time.Sleep(time.Second)
				c.shutDown(l)
				<-l.Terminated()
				synctest.Wait()
				assert.Equal(t, []time.Duration{c.want}, told)
			})
		})
	}
}

func TestAfterShutdownOfALoopThatFailsHarmsNobodyAndIsReported(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("boom") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reported []error
				l := eventloop.New(executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
					reported = append(reported, err)
				}))
				l.AfterShutdown(fail)
				require.NoError(t, l.Close())
				synctest.Wait()
				assert.Len(t, reported, 1)
				assert.Panics(t, func() { l.AfterShutdown(nil) })
			})
		})
	}
}
