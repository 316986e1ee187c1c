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
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// everyWay are the ways to have a task run whose future somebody may hold. They do not keep it.
var everyWay = map[string]func(p *executor.ScheduledPool, task executor.Task) error{
	"Submit": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := p.Submit(task)
		return err
	},
	"SubmitContext": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := p.SubmitContext(context.Background(), task)
		return err
	},
	"Schedule": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := p.Schedule(0, task)
		return err
	},
	"ScheduleAt": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := p.ScheduleAt(time.Now(), task)
		return err
	},
	"typed Submit": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := executor.Submit(p, pooltest.Typed(task))
		return err
	},
	"typed Schedule": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := executor.Schedule(p, 0, pooltest.Typed(task))
		return err
	},
	"with options": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := p.Submit(task, executor.Timeout(time.Hour))
		return err
	},
	"Serial": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := serial.New(p).Submit(task)
		return err
	},
	"Keyed": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := executor.Submit(serial.NewKeyed[int](p).For(1), pooltest.Typed(task))
		return err
	},
	"Group": func(p *executor.ScheduledPool, task executor.Task) error {
		return bulk.NewGroup(context.Background(), p).Go(task)
	},
	"CompletionService": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := bulk.NewCompletionService[int](p).Submit(pooltest.Typed(task))
		return err
	},
	"InvokeAll": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := executor.InvokeAll(context.Background(), p, pooltest.Typed(task))
		return err
	},
	"InvokeAny": func(p *executor.ScheduledPool, task executor.Task) error {
		_, _ = executor.InvokeAny(context.Background(), p, pooltest.Typed(task)) // its error is that of the task
		return nil
	},
}

func TestAPanicIsLoggedOnceWhoeverHoldsTheFuture(t *testing.T) {
	for way, submit := range everyWay {
		for how, body := range abruptly {
			t.Run(way+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					log, records := theLog()
					p := startPool(t, 1, log, executor.Name("jobs"))
					require.NoError(t, submit(p, body))
					synctest.Wait()
					require.Len(t, records(), 1)
					assert.Contains(t, records()[0], `level=ERROR msg="executor: task failed" pool=jobs`)
					assert.Equal(t, how == "panic", len(logged(records(), `(stack=)`)) == 1)
					assert.EqualValues(t, 1, p.Stats().Failures)
				})
			})
		}
	}
}

func TestAHandlerIsToldOfAPanicInPlaceOfTheLog(t *testing.T) {
	for way, submit := range everyWay {
		for how, body := range abruptly {
			t.Run(way+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told pooltest.Errors
					log, records := theLog()
					p := startPool(t, 1, log, executor.ErrorHandler(told.Handle))
					require.NoError(t, submit(p, body))
					synctest.Wait()
					assert.Len(t, told.Told(), 1)
					assert.Empty(t, records())
				})
			})
		}
	}
}

func TestAReturnedErrorIsTheFuturesAlone(t *testing.T) {
	returned := map[string]error{
		"error":             pooltest.ErrTask,
		"panic of another":  &future.PanicError{Value: 1},
		"goexit of another": future.ErrGoexit,
	}
	for way, submit := range everyWay {
		for what, err := range returned {
			t.Run(way+", "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told pooltest.Errors
					log, records := theLog()
					p := startPool(t, 1, log, executor.ErrorHandler(told.Handle))
					require.NoError(t, submit(p, func(context.Context) error { return err }))
					synctest.Wait()
					assert.Empty(t, told.Told())
					assert.Empty(t, records())
					assert.EqualValues(t, 1, p.Stats().Failures)
				})
			})
		}
	}
}

func TestAPanicOfACancelledRunIsLoggedThoughItIsNoFailure(t *testing.T) {
	for how, body := range abruptly {
		for name, series := range map[string]bool{"once": false, "series": true} {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					log, records := theLog()
					p := startPool(t, 1, log)
					slow := func(ctx context.Context) error { <-ctx.Done(); return body(ctx) }
					var f *executor.ScheduledFuture[struct{}]
					var err error
					if series {
						f, err = p.AtFixedRate(0, time.Second, slow)
					} else {
						f, err = p.Schedule(0, slow)
					}
					require.NoError(t, err)
					synctest.Wait()
					require.True(t, f.Cancel())
					<-f.Stopped()
					synctest.Wait()
					assert.Len(t, records(), 1)
					assert.Equal(t, future.Cancelled, f.State())
					assert.Zero(t, p.Stats().Failures)
				})
			})
		}
	}
}

func TestAChainThatSchedulesItselfDoesNotDieUnheard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		runs := 0
		var link executor.Task
		link = func(context.Context) error {
			if runs++; runs == 3 {
				panic("broken link")
			}
			_, err := p.Schedule(time.Second, link, executor.Name("chain"))
			return err
		}
		_, err := p.Schedule(0, link)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, records(), 1)
		assert.Contains(t, records()[0], "task=chain")
		assert.Contains(t, records()[0], "broken link")
	})
}

func TestAPanicOfATaskThatItsCallerRunsIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns), log)
		_, err := p.Submit(pooltest.Sleep(time.Second))
		require.NoError(t, err)
		_, err = p.Submit(pooltest.Panic)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		assert.Len(t, records(), 1)
	})
}

func TestAGoexitOfABeforeRunHookIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		exits := executor.BeforeRun(func(context.Context, executor.Run) { runtime.Goexit() })
		p := startPool(t, 1, log, exits)
		f, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		synctest.Wait()
		assert.Len(t, records(), 1)
	})
}
