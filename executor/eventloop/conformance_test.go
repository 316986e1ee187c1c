package eventloop_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestTheLoopKeepsTheContractOfTimers(t *testing.T) {
	loop := func(s timer.Scheduler) *eventloop.Loop { return s.(pooltest.Timer).Executor.(*eventloop.Loop) }
	timertest.Run(t, timertest.Facility{
		New: func(testing.TB, timer.Config) timer.Scheduler {
			return pooltest.Timer{Executor: eventloop.New(executor.Logger(slog.New(slog.DiscardHandler)))}
		},
		Stop:    func(s timer.Scheduler) []timer.Handle { loop(s).ShutdownNow(); return nil },
		Serial:  true,
		Ordered: true,
		Panics:  timertest.Survives,
		Wakeups: func(s timer.Scheduler) uint64 { return loop(s).Stats().Wakeups },
	})
}

// The suite leaves a facility some air; a loop needs none.
func TestAFarTaskWakesTheLoopOnceAndNotBefore(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		d := newDiary()
		for days := range time.Duration(3) {
			before := l.Stats().Wakeups
			wait := (1 + 100*days) * 24 * time.Hour
			_, err := l.Schedule(wait, d.task("far"))
			require.NoError(t, err)
			time.Sleep(wait - 1)
			synctest.Wait()
			assert.Equal(t, before, l.Stats().Wakeups, "in %v", wait-1)
			time.Sleep(1)
			assert.Len(t, d.readNames(), int(days)+1)
			assert.LessOrEqual(t, l.Stats().Wakeups, before+1, "after %v", wait)
		}
	})
}
