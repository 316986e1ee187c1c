package supervisor_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
)

var every10min = []supervisor.Option{supervisor.Interval(10 * time.Minute), supervisor.Timeout(time.Minute)}

func TestAnIdleSupervisorStopsAtOnceWithItsPool(t *testing.T) {
	pools := map[string]func() (supervisor.Runner, func()){
		"pool": func() (supervisor.Runner, func()) {
			p := executor.NewPool(1)
			return p, p.Shutdown
		},
		"scheduled pool": func() (supervisor.Runner, func()) {
			p := executor.NewScheduledPool(1)
			return p, func() { _ = p.Close() }
		},
		"serial": func() (supervisor.Runner, func()) {
			p := executor.NewPool(1)
			return serial.New(p), func() { p.ShutdownNow() }
		},
		"loop": func() (supervisor.Runner, func()) {
			l := eventloop.New()
			return l, l.Shutdown
		},
	}
	for name, make := range pools {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool, shutDown := make()
				s := supervise(t, pool, pooltest.Nothing, every10min...)
				time.Sleep(15 * time.Second)
				shutDown()
				<-s.Done()
				assert.Equal(t, 15*time.Second, time.Since(s.epoch))
				assert.Equal(t, "stopped", s.state())
				assert.Zero(t, s.Stats().Next)
				assert.Equal(t, []supervisor.Kind{supervisor.Succeeded}, s.kinds(), "in silence")
				assert.Zero(t, goroutines())
			})
		})
	}
}

func TestASuspendedSupervisorStopsAtOnceWithItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, pooltest.Nothing, every10min...)
		s.Suspend()
		synctest.Wait()
		pool.Shutdown()
		<-s.Done()
		assert.Equal(t, "stopped", s.state())
	})
}

func TestASupervisorThatIsStartedOnAClosedPoolStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := prepare(t, pool, pooltest.Nothing, supervisor.InitialDelay(time.Hour))
		pool.Shutdown()
		assert.Equal(t, "new", s.state())
		s.Start()
		<-s.Done()
		assert.Zero(t, time.Since(s.epoch))
	})
}

func TestARunInProgressHasItsOutcomeBeforeTheSupervisorStopsWithItsPool(t *testing.T) {
	for name, c := range map[string]struct {
		task    executor.Task
		outcome supervisor.Kind
		done    time.Duration
	}{
		"succeeds":       {stubborn(20 * time.Second), supervisor.Succeeded, 20 * time.Second},
		"times out":      {hang, supervisor.TimedOut, time.Minute},
		"outlives that":  {stubborn(90 * time.Second), supervisor.TimedOut, 90 * time.Second},
		"is asked again": {stubborn(20 * time.Second), supervisor.Succeeded, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := newPool(t)
				s := supervise(t, pool, c.task, every10min...)
				time.Sleep(15 * time.Second)
				pool.Shutdown()
				assert.Equal(t, "running", s.state())
				if name == "is asked again" {
					s.Trigger()
				}
				<-s.Done()
				assert.Equal(t, c.done, time.Since(s.epoch))
				assert.Equal(t, "stopped", s.state())
				assert.Equal(t, []supervisor.Kind{c.outcome}, s.kinds())
				assert.Len(t, s.begun(), 1)
			})
		})
	}
}

// silent is a pool that does not tell when it is shut down.
type silent struct{ *executor.Pool }

func (silent) AfterShutdown() {}

func TestASupervisorFindsAtItsNextCycleThatAPoolIsShutDownThatDoesNotTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, silent{pool}, pooltest.Nothing, every10min...)
		time.Sleep(15 * time.Second)
		pool.Shutdown()
		assert.Equal(t, "waiting", s.state())
		<-s.Done()
		assert.Equal(t, 10*time.Minute, time.Since(s.epoch))
	})
}

// watched is a pool that calls the supervisor from AfterShutdown, as one may that is shut down
// already.
type watched struct {
	supervisor.Runner
	calls int
}

func (w *watched) AfterShutdown(f func()) (stop func() bool) {
	f()
	return func() bool { w.calls++; return false }
}

func TestAPoolMayTellWhileItIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := &watched{Runner: newPool(t)}
		s := supervise(t, pool, pooltest.Nothing, supervisor.InitialDelay(time.Hour))
		<-s.Done()
		assert.Zero(t, time.Since(s.epoch))
		assert.Equal(t, 1, pool.calls, "it is forgotten")
	})
}

func TestAPoolKeepsNothingOfASupervisorThatHasStopped(t *testing.T) {
	pool := executor.NewPool(1)
	defer pool.Close()
	stop := func() weak.Pointer[supervisor.Supervisor] {
		s := supervisor.New(pool, pooltest.Nothing, supervisor.InitialDelay(time.Hour))
		s.Start()
		s.Stop()
		return weak.Make(s)
	}
	s := stop()
	for s.Value() != nil {
		runtime.GC()
	}
}

func TestARunMayShutItsPoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, func(context.Context) error {
			assert.ErrorIs(t, pool.Close(), future.ErrSelfWait)
			return nil
		}, every10min...)
		<-s.Done()
		assert.Zero(t, time.Since(s.epoch))
		assert.Equal(t, []supervisor.Kind{supervisor.Succeeded}, s.kinds())
	})
}
