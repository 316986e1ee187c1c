package stpe_test

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
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

// inTurn is a body that ends as the given ones do, run by run, and in the end again and again as
// the last.
func inTurn(bodies ...executor.Task) executor.Task {
	return func(ctx context.Context) error {
		body := bodies[0]
		if len(bodies) > 1 {
			bodies = bodies[1:]
		}
		return body(ctx)
	}
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
				f, err := p.WithFixedDelay(0, time.Second, inTurn(pooltest.Fail, body))
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
					executor.Timeout(time.Second), executor.OnError(executor.StopSeries))
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
		f, err := p.AtFixedRate(0, time.Second, inTurn(bodies...),
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
		f, err := p.AtFixedRate(0, time.Second, inTurn(bodies...),
			executor.MaxRuns(7), executor.OnError(executor.Continue))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		lines := records()
		// The first, second and fourth failure, and of the panics likewise.
		assert.Equal(t, []string{"1", "2", "3", "4", "5", "7"}, logged(lines, `run=(\d+)`))
		assert.Len(t, logged(lines, `stack=.*(pooltest\.Panic)`), 3)
	})
}

func TestARunThatNeverReturnsIsToldAtItsTimeout(t *testing.T) {
	for name, policy := range map[string]executor.ErrorPolicy{"by default": 0, "continue": executor.Continue} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told pooltest.Errors
				d := startDiary()
				p := startPool(t, 1, executor.ErrorHandler(func(ctx context.Context, run executor.Run, err error) {
					d.write("told")
					told.Handle(ctx, run, err)
				}))
				release := make(chan struct{})
				defer close(release)
				stuck := func(context.Context) error { <-release; return nil }
				f, err := p.AtFixedRate(0, 10*time.Second, stuck,
					executor.Timeout(time.Second), executor.OnError(policy), executor.Name("stuck"))
				require.NoError(t, err)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				assert.Equal(t, theSeconds(1), d.theTimes())
				require.Len(t, told.Told(), 1)
				require.ErrorIs(t, told.Told()[0], future.ErrTimeout)
				assert.Equal(t, "stuck", told.Runs[0].Name)
				assert.EqualValues(t, 1, told.Runs[0].Number)
				s := p.Stats()
				assert.Equal(t, []uint64{0, 1, 0}, []uint64{s.Runs, s.Failures, s.Completed})
				assert.EqualValues(t, 1, f.Runs(), "the series waits for the body")
				assert.False(t, f.State().Settled())
			})
		})
	}
}

func TestARunThatNeverReturnsIsLoggedAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		release := make(chan struct{})
		defer close(release)
		stuck := func(context.Context) error { <-release; return nil }
		_, err := p.WithFixedDelay(0, 10*time.Second, stuck,
			executor.Timeout(time.Second), executor.Name("stuck"))
		require.NoError(t, err)
		time.Sleep(time.Second - 1)
		synctest.Wait()
		assert.Empty(t, records())
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		require.Len(t, records(), 1)
		assert.Contains(t, records()[0], "task=stuck run=1")
	})
}

func TestAnOverrunCountsOnceAndTheHookSeesWhatTheBodyReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		var seen []error
		p := startPool(t, 1, executor.ErrorHandler(told.Handle),
			executor.AfterRun(func(_ context.Context, _ executor.Run, err error) { seen = append(seen, err) }))
		d := startDiary()
		f, err := p.AtFixedRate(0, 10*time.Second, func(context.Context) error {
			d.write("run")
			time.Sleep(12 * time.Second)
			return pooltest.ErrTask
		}, executor.Timeout(time.Second), executor.MaxRuns(2))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, theSeconds(0, 12), d.theTimes(), "the series waits for the body")
		assert.Len(t, told.Told(), 2)
		for _, err := range seen {
			require.ErrorIs(t, err, future.ErrTimeout)
			require.ErrorIs(t, err, pooltest.ErrTask)
		}
		assert.Len(t, seen, 2)
		s := p.Stats()
		assert.Equal(t, []uint64{2, 2, 1}, []uint64{s.Runs, s.Failures, s.Completed})
	})
}

func TestAPanicAfterAnOverrunIsToldToo(t *testing.T) {
	for name, c := range map[string]struct {
		policy executor.ErrorPolicy
		runs   uint64
		told   int
		log    int
	}{
		"by default":  {executor.StopOnPanic, 1, 2, 1},
		"stop series": {executor.StopSeries, 1, 2, 1},
		"continue":    {executor.Continue, 2, 4, 0},
	} {
		for how, body := range abruptly {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told pooltest.Errors
					log, records := theLog()
					p := startPool(t, 1, log, executor.ErrorHandler(told.Handle))
					f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
						time.Sleep(5 * time.Second)
						return body(ctx)
					}, executor.Timeout(time.Second), executor.OnError(c.policy), executor.MaxRuns(2))
					require.NoError(t, err)
					time.Sleep(time.Hour)
					synctest.Wait()
					assert.True(t, f.State().Settled())
					assert.Equal(t, c.runs, f.Runs())
					assert.Len(t, told.Told(), c.told)
					for i, err := range told.Told() {
						require.ErrorIs(t, err, future.ErrTimeout)
						ofBody := errors.Is(err, pooltest.ErrTask) || errors.Is(err, future.ErrGoexit)
						assert.Equal(t, i%2 == 1, ofBody)
					}
					assert.Len(t, records(), c.log, "%v", records())
					s := p.Stats()
					assert.Equal(t, []uint64{c.runs, c.runs, 1}, []uint64{s.Runs, s.Failures, s.Completed})
				})
			})
		}
	}
}

func TestAPanicAfterAnOverrunIsLogged(t *testing.T) {
	for name, series := range map[string]bool{"once": false, "series": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, records := theLog()
				p := startPool(t, 1, log)
				slow := func(ctx context.Context) error { time.Sleep(time.Minute); return pooltest.Panic(ctx) }
				var err error
				if series {
					_, err = p.AtFixedRate(0, time.Hour, slow, executor.Timeout(time.Second))
				} else {
					_, err = p.Schedule(0, slow, executor.Timeout(time.Second))
				}
				require.NoError(t, err)
				time.Sleep(30 * time.Minute)
				synctest.Wait()
				assert.Len(t, logged(records(), `stack=.*(pooltest\.Panic)`), 1)
				assert.EqualValues(t, 1, p.Stats().Failures)
			})
		})
	}
}

func TestThePoolDoesNotEndBeforeAnOverrunOfASeriesThatGoesOnIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := false
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(func(context.Context, executor.Run, error) {
			time.Sleep(time.Minute)
			told = true
		}))
		_, err := p.AtFixedRate(0, time.Hour, pooltest.Sleep(2*time.Second), executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(1500 * time.Millisecond)
		began := time.Now()
		require.NoError(t, p.Close())
		assert.True(t, told)
		assert.Equal(t, time.Minute-500*time.Millisecond, time.Since(began))
		s := p.Stats()
		assert.Equal(t, []uint64{1, 0, 0, 1}, []uint64{s.Accepted, s.Completed, s.Cancelled, s.Returned})
	})
}

func TestATaskThatOutlivesItsTimeoutHasFailedAtThatMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		slow := func(context.Context) error { time.Sleep(time.Minute); return pooltest.ErrTask }
		f, err := p.Schedule(0, slow, executor.Timeout(time.Second))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []uint64{0, 1, 1}, []uint64{s.Runs, s.Failures, s.Completed})
		<-f.Stopped()
		synctest.Wait()
		s = p.Stats()
		assert.Equal(t, []uint64{1, 1, 1}, []uint64{s.Runs, s.Failures, s.Completed})
		assert.Empty(t, records(), "the future tells")
	})
}

func TestACancelledRunDoesNotOutliveItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told pooltest.Errors
		p := startPool(t, 1, executor.ErrorHandler(told.Handle))
		f, err := p.AtFixedRate(0, time.Minute, pooltest.Sleep(10*time.Second),
			executor.Timeout(2*time.Second))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.True(t, f.Stop())
		<-f.Stopped()
		synctest.Wait()
		assert.Empty(t, told.Told())
		s := p.Stats()
		assert.Equal(t, []uint64{1, 0, 0, 1}, []uint64{s.Runs, s.Failures, s.Completed, s.Cancelled})
	})
}

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
		_, err := executor.NewSerial(p).Submit(task)
		return err
	},
	"KeyedSerial": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := executor.Submit(executor.NewKeyedSerial[int](p).For(1), pooltest.Typed(task))
		return err
	},
	"Group": func(p *executor.ScheduledPool, task executor.Task) error {
		return executor.NewGroup(context.Background(), p).Go(task)
	},
	"CompletionService": func(p *executor.ScheduledPool, task executor.Task) error {
		_, err := executor.NewCompletionService[int](p).Submit(pooltest.Typed(task))
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
					p := startPool(t, 1, log, executor.PoolName("jobs"))
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
		p := executor.NewPool(1, executor.HandOff(), executor.OnRejection(executor.CallerRuns), log)
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
		require.ErrorIs(t, err, future.ErrGoexit)
		synctest.Wait()
		assert.Len(t, records(), 1)
	})
}
