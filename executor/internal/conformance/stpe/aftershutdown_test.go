package stpe_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
)

// shutDowns are the ways to have a pool refuse tasks.
var shutDowns = map[string]func(p *executor.Pool){
	"Shutdown":    (*executor.Pool).Shutdown,
	"ShutdownNow": func(p *executor.Pool) { p.ShutdownNow() },
	"Close":       func(p *executor.Pool) { _ = p.Close() },
}

func TestAfterShutdownIsCalledOnceThePoolRefusesTasks(t *testing.T) {
	for name, shutDown := range shutDowns {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewPool(1)
				d := startDiary()
				require.NoError(t, p.Execute(func(context.Context) error { time.Sleep(time.Minute); return nil }))
				p.AfterShutdown(func() {
					assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrShutdown, "the pool may be called")
					d.write("told")
					assert.NoError(t, p.Close(), "and waited for")
				})
				time.Sleep(time.Second)
				shutDown(p)
				shutDown(p)
				<-p.Terminated()
				synctest.Wait()
				assert.Equal(t, theSeconds(1), d.theTimes(), "at once, and once")
				p.AfterShutdown(func() { d.write("told late") })
				synctest.Wait()
				assert.Equal(t, []string{"told", "told late"}, d.theNames())
			})
		})
	}
}

func TestAfterShutdownCanBeWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		s := serial.New(p)
		stop := s.AfterShutdown(func() { t.Error("called") })
		assert.True(t, stop())
		assert.False(t, stop())
		told := false
		stop = s.AfterShutdown(func() { told = true })
		require.NoError(t, p.Close())
		synctest.Wait()
		assert.True(t, told)
		assert.False(t, stop())
	})
}

func TestAfterShutdownThatFailsHarmsNobodyAndIsReported(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("boom") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reported []error
				p := executor.NewPool(1, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
					reported = append(reported, err)
				}))
				p.AfterShutdown(fail)
				require.NoError(t, p.Close())
				synctest.Wait()
				require.Len(t, reported, 1)
				assert.ErrorContains(t, reported[0], "after-shutdown hook")
			})
		})
	}
}

func TestAfterShutdownOfNothingPanics(t *testing.T) {
	p := executor.NewPool(1)
	defer p.Close()
	assert.Panics(t, func() { p.AfterShutdown(nil) })
}
