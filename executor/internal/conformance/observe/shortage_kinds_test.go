package observe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
)

func TestAPlainPoolWithoutAFreeWorkerSaysSo(t *testing.T) {
	for name, submit := range map[string]func(p *executor.Pool, task executor.Task) error{
		"Execute": func(p *executor.Pool, task executor.Task) error { return p.Execute(task) },
		"Submit":  func(p *executor.Pool, task executor.Task) error { _, err := p.Submit(task); return err },
	} {
		for kind, opts := range map[string][]executor.Option{
			"unbounded": nil, "bounded": {executor.Queue(queue.Bounded(5))}, "priority": {executor.Queue(queue.Priority())},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					j := new(journal)
					p := executor.NewPool(1, append(opts, j.option())...)
					defer p.ShutdownNow()
					require.NoError(t, submit(p, hang))
					time.Sleep(time.Hour)
					assert.Empty(t, j.lines(), "nothing waits")
					assert.Equal(t, insight.HealthOK, p.Insight().Health().Status)
					require.NoError(t, submit(p, pooltest.Nothing))
					time.Sleep(2*time.Minute + time.Second)
					assert.NotEmpty(t, j.lines())
					assert.Equal(t, insight.HealthDegraded, p.Insight().Health().Status)
				})
			})
		}
	}
}

func TestAPoolThatIsPausedIsNotShort(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		for range 2 {
			require.NoError(t, p.Execute(hang))
		}
		require.NoError(t, p.Execute(pooltest.Nothing))
		p.Pause()
		time.Sleep(time.Hour)
		assert.Empty(t, j.lines())
		assert.Equal(t, insight.HealthOK, p.Insight().Health().Status)
		p.Resume()
		time.Sleep(50 * time.Second)
		assert.Empty(t, j.lines())
		time.Sleep(2 * time.Minute)
		assert.NotEmpty(t, j.lines())
	})
}

func TestWhatWaitsForItsTurnIsNoShortage(t *testing.T) {
	short(t, func(p *executor.ScheduledPool, j *journal, a *alarms) {
		require.NoError(t, p.Execute(hang)) // one of two
		s := serial.New(p, serial.Gap(time.Hour))
		for range 3 {
			require.NoError(t, s.Execute(pooltest.Nothing))
		}
		_, err := p.Submit(func(context.Context) error { return errBad },
			executor.Retry(3, retry.Backoff{Base: time.Hour, Spread: retry.NoSpread}))
		require.NoError(t, err)
		time.Sleep(30 * time.Minute)
		require.NoError(t, p.Execute(hang)) // and the other
		time.Sleep(20 * time.Minute)
		assert.Empty(t, j.lines())
		time.Sleep(15 * time.Minute)
		assert.NotEmpty(t, j.lines(), "now it is due")
	})
}

// What a task of a loop submits by its Turn takes another way than what comes from outside.
func TestWhatATaskPutsOnItsOwnLoopBeforeItHangsIsToldOf(t *testing.T) {
	shortOf(t, func(t *testing.T, p crew, size int, j *journal, a *alarms) {
		l, ok := p.(*eventloop.Loop)
		if !ok {
			return
		}
		require.NoError(t, l.Execute(func(ctx context.Context) error {
			time.Sleep(time.Hour)
			turn, _ := l.Turn(ctx)
			_ = turn.Execute(lasts(0))
			return hang(ctx)
		}))
		time.Sleep(time.Hour + 61*time.Second)
		assert.Len(t, j.lines(), 1)
	})
}
