package state_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/state"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/timer/cron"
)

// table is a store of the user's, in memory.
type table struct {
	mu      sync.Mutex
	runs    map[string]state.Run
	records int
	err     error
	record  func() // called by Record
	last    func() // called by Last, after it has looked
}

func newTable() *table { return &table{runs: map[string]state.Run{}} }

func (s *table) Last(_ context.Context, name string) (state.Run, error) {
	s.mu.Lock()
	r, err := s.runs[name], s.err
	s.mu.Unlock()
	if last := s.hook(&s.last); last != nil {
		last()
	}
	return r, err
}

func (s *table) Record(_ context.Context, name string, r state.Run) error {
	if record := s.hook(&s.record); record != nil {
		record()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.records++
	s.runs[name] = r
	return nil
}

func (s *table) Forget(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, name)
	return s.err
}

// hook returns what is to be called.
func (s *table) hook(which *func()) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *which
}

// set changes how the store is.
func (s *table) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *table) slot(name string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[name].Slot.Sub(startOfBubbles)
}

var errBoom = errors.New("boom")

// diary is what the runs of a series were.
type diary struct {
	runs []executor.Run
	ends func(ctx context.Context, n int) error // of run n
}

func (d *diary) task(ctx context.Context) error {
	r, _ := executor.RunFrom(ctx)
	d.runs = append(d.runs, r)
	if d.ends != nil {
		return d.ends(ctx, len(d.runs))
	}
	return nil
}

// slots returns for which times the runs were, and when they began.
func (d *diary) slots() (slots []time.Duration) {
	for _, r := range d.runs {
		slots = append(slots, r.Scheduled.Sub(startOfBubbles))
	}
	return slots
}

func (d *diary) missed() (missed []uint64) {
	for _, r := range d.runs {
		missed = append(missed, r.Missed)
	}
	return missed
}

// pass lets time pass, and all come to rest that has begun by then.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func quiet() executor.CommonOption { return executor.Logger(slog.New(slog.DiscardHandler)) }

// process is a process that runs for a while.
func process(
	t *testing.T, s state.Store, c state.Config, lasts time.Duration,
	begin func(p *executor.ScheduledPool, b *state.Book),
) {
	t.Helper()
	book := state.New(s, c)
	p := executor.NewScheduledPool(2, quiet(), executor.Name("jobs"))
	begin(p, book)
	time.Sleep(lasts)
	synctest.Wait()
	p.ShutdownNow()
	require.NoError(t, p.AwaitTermination(t.Context()))
	require.NoError(t, book.Close())
}

// every runs a task every ten seconds.
func every(t *testing.T, d *diary, opts ...executor.TaskOption) func(*executor.ScheduledPool, *state.Book) {
	return func(p *executor.ScheduledPool, b *state.Book) {
		all := append([]executor.TaskOption{executor.Name("job"), b.SinceLast(time.Hour)}, opts...)
		_, err := p.Every(10*time.Second, d.task, all...)
		require.NoError(t, err)
	}
}

func spans(seconds ...float64) (spans []time.Duration) {
	for _, s := range seconds {
		spans = append(spans, time.Duration(s*float64(time.Second)))
	}
	return spans
}

func TestARateGoesOnOnItsGrid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		process(t, s, state.Config{}, 25*time.Second, every(t, d))
		pass(18 * time.Second)
		process(t, s, state.Config{}, 20*time.Second, every(t, d))
		assert.Equal(t, spans(10, 20, 40, 50, 60), d.slots())
		assert.Equal(t, []uint64{0, 0, 1, 0, 0}, d.missed())
		assert.Equal(t, startOfBubbles.Add(43*time.Second), d.runs[2].Started.UTC().Round(0))
		assert.Equal(t, 60*time.Second, s.slot("job"))
	})
}

// A fixed delay counts from the end of the last run or, if that is not known, from its begin.
func TestAFixedDelayGoesOn(t *testing.T) {
	for _, before := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s, d := newTable(), &diary{ends: func(context.Context, int) error {
				time.Sleep(4 * time.Second)
				return nil
			}}
			c := state.Config{BeforeRun: before}
			begin := func(p *executor.ScheduledPool, b *state.Book) {
				_, err := p.WithFixedDelay(5*time.Second, 10*time.Second, d.task,
					executor.Name("job"), b.SinceLast(0))
				require.NoError(t, err)
			}
			process(t, s, c, 10*time.Second, begin)
			pass(2 * time.Second)
			process(t, s, c, 20*time.Second, begin)
			pass(time.Hour)
			process(t, s, c, time.Second, begin)
			want, began := spans(5, 19, 33), 3632*time.Second
			if before {
				want, began = spans(5, 15, 29, 39), 3633*time.Second
			}
			assert.Equal(t, want, d.slots())
			assert.Equal(t, make([]uint64, len(want)), d.missed())
			assert.Equal(t, began, d.runs[len(want)-1].Started.Sub(startOfBubbles))
		})
	}
}

// Not even the first run is lost if the process is down at its time.
func TestTheFirstRunIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, begin := range []func(*diary) func(p *executor.ScheduledPool, b *state.Book){
			func(d *diary) func(p *executor.ScheduledPool, b *state.Book) { return every(t, d) },
			func(d *diary) func(p *executor.ScheduledPool, b *state.Book) {
				return func(p *executor.ScheduledPool, b *state.Book) {
					_, err := p.WithFixedDelay(10*time.Second, time.Minute, d.task,
						executor.Name("job"), b.SinceLast(time.Hour))
					require.NoError(t, err)
				}
			},
			func(d *diary) func(p *executor.ScheduledPool, b *state.Book) {
				return func(p *executor.ScheduledPool, b *state.Book) {
					_, err := p.On(cron.MustParse("@every 10s"), d.task,
						executor.Name("job"), b.SinceLast(time.Hour))
					require.NoError(t, err)
				}
			},
		} {
			s, d := newTable(), &diary{}
			begun := time.Now()
			process(t, s, state.Config{}, 9*time.Second, begin(d))
			pass(5 * time.Second)
			process(t, s, state.Config{}, time.Second, begin(d))
			require.Len(t, d.runs, 1)
			assert.Equal(t, 10*time.Second, d.runs[0].Scheduled.Sub(begun))
			assert.Equal(t, 14*time.Second, d.runs[0].Started.Sub(begun))
		}
	})
}

// What is older than the window is told by the first run, to observers and in the figures.
func TestWhatIsOlderThanTheWindowIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []uint64
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{}), executor.Observe(executor.Observer{
			Missed: func(r executor.Run) { told = append(told, r.Missed) },
		}))
		defer p.Close()
		d := &diary{}
		_, err := p.AtFixedRate(0, time.Minute, d.task, executor.Name("job"),
			state.Since(time.Now().Add(-24*time.Hour), 3*time.Minute))
		require.NoError(t, err)
		pass(time.Second)
		assert.Equal(t, spans(-180, -120, -60, 0), d.slots())
		assert.Equal(t, []uint64{1436 + 3, 2, 1, 0}, d.missed())
		assert.Equal(t, []uint64{1436 + 3, 2, 1}, told)
		assert.EqualValues(t, 1436, p.Insight().Measurements().Missed)
	})
}

func TestTheOrderOfTwoSeriesThatCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var order []string
		p.Pause()
		for _, name := range []string{"b", "a"} {
			last := time.Now().Add(-time.Minute)
			if name == "a" {
				last = last.Add(-30 * time.Second)
			}
			_, err := p.AtFixedRate(0, time.Minute, func(context.Context) error {
				order = append(order, name)
				return nil
			}, executor.Name(name), state.Since(last, time.Hour))
			require.NoError(t, err)
		}
		p.Resume()
		pass(time.Second)
		assert.Len(t, order, 2)
	})
}

// Jitter is no part of what is kept: the grid stays where it is however often the process restarts.
func TestJitterDoesNotMoveTheGrid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		for range 50 {
			process(t, s, state.Config{}, 25*time.Second, every(t, d, executor.Jitter(9*time.Second),
				executor.CatchUp(executor.Burst)))
			require.Zero(t, s.slot("job")%(10*time.Second))
		}
		for i, slot := range d.slots() {
			off := slot - time.Duration(i+1)*10*time.Second
			require.True(t, off >= 0 && off < 9*time.Second, "run %d is off by %v", i, off)
		}
	})
}

// Attempts are one run: it is recorded with the last of them. A process that ends between two has
// not ended it.
func TestAttemptsAreOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{ends: func(context.Context, int) error { return errBoom }}
		opt := executor.Retry(3, retry.Backoff{Base: 2 * time.Second, Spread: retry.NoSpread, Factor: 1})
		process(t, s, state.Config{}, 13*time.Second, every(t, d, opt)) // two attempts
		assert.Len(t, d.runs, 2)
		assert.Zero(t, s.slot("job"))
		process(t, s, state.Config{}, 6*time.Second, every(t, d, opt))
		assert.Equal(t, spans(10, 10, 10, 10, 10), d.slots())
		assert.Equal(t, 10*time.Second, s.slot("job"), "the third attempt has failed, so the run has ended")
	})
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{ends: func(context.Context, int) error { return errBoom }}
		opt := executor.Retry(3, retry.Backoff{Base: time.Second, Spread: retry.NoSpread, Factor: 1})
		process(t, s, state.Config{BeforeRun: true}, 15*time.Second, every(t, d, opt))
		assert.Len(t, d.runs, 3)
		assert.Equal(t, 2, s.records, "the begin of the series, and one run")
	})
}

// A run that is cut short by the end of its process is repeated by the next one, if it says so.
func TestARunThatIsCutShortIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{ends: func(ctx context.Context, _ int) error {
			select {
			case <-time.After(5 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		process(t, s, state.Config{}, 12*time.Second, every(t, d))
		process(t, s, state.Config{}, 7*time.Second, every(t, d))
		assert.Equal(t, spans(10, 10), d.slots())
		assert.Equal(t, 10*time.Second, s.slot("job"))
	})
}

// However a run ends that was not cut short, it has ended.
func TestARunThatFailsHasEnded(t *testing.T) {
	for name, ends := range map[string]func(context.Context, int) error{
		"error": func(context.Context, int) error { return errBoom },
		"skip":  func(context.Context, int) error { return executor.ErrSkipped },
		"panic": func(context.Context, int) error { panic("oh") },
		"goexit": func(context.Context, int) error {
			runtime.Goexit()
			return nil
		},
		"timeout": func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := newTable(), &diary{ends: ends}
				process(t, s, state.Config{}, 13*time.Second, every(t, d, executor.Timeout(2*time.Second)))
				assert.Equal(t, 10*time.Second, s.slot("job"))
			})
		})
	}
}

// An extra run has no slot, and is not recorded.
func TestAnExtraRunIsNotRecorded(t *testing.T) {
	for _, before := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s, d := newTable(), &diary{}
			process(t, s, state.Config{BeforeRun: before}, 15*time.Second,
				func(p *executor.ScheduledPool, b *state.Book) {
					every(t, d)(p, b)
					h, ok := p.Lookup("job")
					require.True(t, ok)
					pass(3 * time.Second)
					require.True(t, h.Trigger())
				})
			assert.Equal(t, spans(3, 10), d.slots())
			assert.Equal(t, 2, s.records)
			assert.Equal(t, 10*time.Second, s.slot("job"))
		})
	}
}

// A pause, and what it has dropped, is not kept.
func TestWhatWasDueInAPauseIsCaughtUpWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{ends: func(context.Context, int) error { return errBoom }}
		process(t, s, state.Config{}, time.Minute, every(t, d, executor.PauseAfter(2)))
		assert.Equal(t, spans(10, 20), d.slots())
		process(t, s, state.Config{}, time.Second, every(t, d, executor.PauseAfter(2)))
		assert.Equal(t, spans(10, 20, 60), d.slots())
		assert.Equal(t, []uint64{0, 0, 3}, d.missed())
	})
}

func TestMaxRunsCountsInTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		opts := []executor.TaskOption{executor.MaxRuns(2), executor.CatchUp(executor.Burst)}
		process(t, s, state.Config{}, time.Minute, every(t, d, opts...))
		process(t, s, state.Config{}, time.Second, every(t, d, opts...))
		assert.Equal(t, spans(10, 20, 30, 40), d.slots())
	})
}

// DelayBy is not asked about a run of another process: the period counts once.
func TestDelayByGoesOnByThePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		opt := executor.DelayBy(func(executor.LastRun) (time.Duration, bool) { return 3 * time.Second, true })
		process(t, s, state.Config{}, 14*time.Second, every(t, d, opt))
		assert.Equal(t, spans(10, 13), d.slots())
		process(t, s, state.Config{}, 10*time.Second, every(t, d, opt))
		assert.Equal(t, 20*time.Second, d.slots()[2])
		assert.Equal(t, 23*time.Second, d.slots()[3])
	})
}

// A run that comes too late expires, is told, and is not recorded.
func TestBeginWithinDropsWhatIsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		opts := []executor.TaskOption{executor.BeginWithin(15 * time.Second), executor.CatchUp(executor.Burst)}
		process(t, s, state.Config{}, 11*time.Second, every(t, d, opts...))
		pass(50 * time.Second)
		process(t, s, state.Config{}, time.Second, every(t, d, opts...))
		assert.Equal(t, spans(10, 50, 60), d.slots())
		assert.Equal(t, []uint64{0, 4, 0}, d.missed())
	})
}

// The last run lies in the future, as the clock has been set back since.
func TestAClockThatWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		first := func(submit func(task executor.Task, opts ...executor.TaskOption) error) (at time.Duration) {
			begun := time.Now()
			done := make(chan struct{})
			require.NoError(t, submit(func(context.Context) error {
				at = time.Since(begun)
				close(done)
				return nil
			}, executor.MaxRuns(1)))
			<-done
			return at
		}
		rate := func(last time.Duration) time.Duration {
			return first(func(task executor.Task, opts ...executor.TaskOption) error {
				_, err := p.AtFixedRate(0, time.Hour, task, append(opts, state.Since(time.Now().Add(last), time.Hour))...)
				return err
			})
		}
		assert.Equal(t, 30*time.Minute, rate(30*time.Minute))
		assert.Equal(t, 30*time.Minute, rate(150*time.Minute))
		assert.Equal(t, 30*time.Minute, rate(1000*time.Hour+30*time.Minute))
		daily := func(last time.Duration) time.Duration {
			pass(time.Until(time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)))
			return first(func(task executor.Task, opts ...executor.TaskOption) error {
				_, err := p.On(cron.MustParse("0 1,2,3 * * *"), task, append(opts, state.Since(time.Now().Add(last), time.Hour))...)
				return err
			})
		}
		assert.Equal(t, 3*time.Hour, daily(2*time.Hour), "the runs until then have been")
		assert.Equal(t, time.Hour, daily(4*time.Hour), "it was wrong before")
		delayed := first(func(task executor.Task, opts ...executor.TaskOption) error {
			_, err := p.WithFixedDelay(0, time.Minute, task, append(opts, state.Since(time.Now().Add(time.Hour), time.Hour))...)
			return err
		})
		assert.Equal(t, time.Minute, delayed)
	})
}

// A calendar is asked in the zone that it has now: what was due is what it says now.
func TestAnotherZone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		last := time.Date(1999, 12, 31, 3, 0, 0, 0, time.UTC) // 03:00 in UTC, 04:00 in Berlin
		d := &diary{}
		_, err := p.On(cron.MustParse("0 3,12 * * *", cron.Zone(berlin)), d.task, state.Since(last, 48*time.Hour),
			executor.CatchUp(executor.Burst))
		require.NoError(t, err)
		pass(time.Second)
		assert.Equal(t, []time.Duration{-13 * time.Hour}, d.slots())
	})
}

// Under "after" the task runs on while the store fails, and its owner is told of each.
func TestAStoreThatFailsAfterRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		var told []error
		p := executor.NewScheduledPool(1, executor.ErrorHandler(func(_ context.Context, r executor.Run, err error) {
			assert.Equal(t, "job", r.Name)
			told = append(told, err)
		}))
		defer p.Close()
		every(t, d)(p, state.New(s, state.Config{}))
		s.set(func() { s.err = errBoom })
		pass(35 * time.Second)
		assert.Equal(t, spans(10, 20, 30), d.slots())
		require.Len(t, told, 3)
		for _, err := range told {
			assert.EqualError(t, err, "state: a run is not recorded: boom")
			assert.ErrorIs(t, err, errBoom)
		}
		assert.Zero(t, p.Stats().Failures)
		assert.Zero(t, s.slot("job"))
	})
}

// Under "before" a run does not begin that is not recorded; it fails, and says why.
func TestAStoreThatFailsBeforeRuns(t *testing.T) {
	for name, fails := range map[string]func(s *table){
		"error":  func(s *table) { s.err = errBoom },
		"panic":  func(s *table) { s.record = func() { panic(errBoom) } },
		"goexit": func(s *table) { s.record = runtime.Goexit },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, d := newTable(), &diary{}
				book := state.New(s, state.Config{BeforeRun: true})
				var told []error
				p := executor.NewScheduledPool(1, executor.ErrorHandler(func(_ context.Context, r executor.Run, err error) {
					assert.Equal(t, "job", r.Name)
					told = append(told, err)
				}))
				defer p.Close()
				every(t, d, executor.FailurePolicy(executor.Continue))(p, book)
				s.set(func() { fails(s) })
				pass(25 * time.Second)
				require.Len(t, told, 2)
				if name == "goexit" {
					require.ErrorIs(t, told[0], future.ErrGoexit)
				} else {
					require.ErrorIs(t, told[0], errBoom)
				}
				assert.Empty(t, d.runs)
				s.set(func() { s.err, s.record = nil, nil })
				pass(10 * time.Second)
				assert.Equal(t, spans(30), d.slots())
			})
		})
	}
}

// A store that panics after a run is reported, and the task runs on.
func TestAStoreThatPanicsAfterRuns(t *testing.T) {
	for _, oh := range []func(){func() { panic(errBoom) }, runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			s, d := newTable(), &diary{}
			reported := 0
			book := state.New(s, state.Config{})
			p := executor.NewScheduledPool(1, executor.ErrorHandler(func(context.Context, executor.Run, error) {
				reported++
			}))
			defer p.Close()
			every(t, d)(p, book)
			s.set(func() { s.record = oh })
			pass(25 * time.Second)
			assert.Equal(t, spans(10, 20), d.slots())
			assert.Equal(t, 2, reported)
		})
	}
}

func TestWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Name("jobs"))
		defer p.Close()
		s, d := newTable(), &diary{}
		book := state.New(s, state.Config{})
		_, err := p.Every(time.Second, d.task, book.SinceLast(time.Hour))
		require.EqualError(t, err, `executor: pool "jobs": invalid argument: a task whose last run is kept needs a name`)
		_, err = p.Every(time.Second, d.task, executor.Name("job"), book.SinceLast(-1))
		require.ErrorIs(t, err, executor.ErrInvalid)
		require.ErrorContains(t, err, `task "job" of pool "jobs"`)
		_, err = p.Every(time.Second, d.task, executor.Name("job"), state.Since(time.Now(), -1))
		require.ErrorIs(t, err, executor.ErrInvalid)

		_, err = p.Every(time.Second, d.task, executor.Name("job"), book.SinceLast(time.Hour))
		require.NoError(t, err)
		_, err = p.Every(time.Second, d.task, executor.Name("job"), book.SinceLast(time.Hour))
		require.ErrorIs(t, err, executor.ErrDuplicate)
		require.ErrorContains(t, err, `task "job" of pool "jobs"`)

		s.err = errBoom
		_, err = p.On(cron.MustParse("* * * * *"), d.task, executor.Name("other"), book.SinceLast(time.Hour))
		require.ErrorIs(t, err, errBoom)
		require.ErrorContains(t, err, `task "other" of pool "jobs"`)
		s.err = nil

		other := executor.NewScheduledPool(1, executor.Name("others"))
		defer other.Close()
		_, err = other.Every(time.Second, d.task, executor.Name("another"), book.SinceLast(time.Hour))
		require.ErrorIs(t, err, executor.ErrInvalid)
		require.ErrorContains(t, err, `task "another" of pool "others"`)
		require.ErrorContains(t, err, "serves another pool")

		loop := eventloop.New(executor.Name("loop"))
		defer loop.Close()
		_, err = loop.Every(time.Second, d.task, executor.Name("job"), book.SinceLast(time.Hour))
		require.ErrorIs(t, err, executor.ErrInvalid)

		_, err = p.Every(time.Second, d.task, executor.Name("late"), executor.Until(time.Now().Add(-time.Hour)),
			state.Since(time.Now().Add(-time.Minute), time.Hour))
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.Panics(t, func() { state.New(nil, state.Config{}) })
	})
}

// A task that runs once ignores both.
func TestATaskThatRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		s, d := newTable(), &diary{}
		f, err := p.Schedule(time.Second, d.task, executor.Name("job"), state.New(s, state.Config{}).SinceLast(time.Hour))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		_, err = p.Submit(d.task, state.Since(time.Now().Add(-time.Hour), time.Hour))
		require.NoError(t, err)
		pass(time.Second)
		assert.Len(t, d.runs, 2)
		assert.Zero(t, s.records)
	})
}

// A job that is the same is left alone, and one that has changed goes on after its last run, also
// if that is in progress.
func TestApply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{ends: func(context.Context, int) error {
			time.Sleep(4 * time.Second)
			return nil
		}}
		job := func(b *state.Book, every time.Duration, policy executor.CatchUpPolicy) executor.Job {
			return executor.Job{Name: "job", Rate: every, Initial: every, Task: d.task,
				Options: []executor.TaskOption{b.SinceLast(time.Hour), executor.CatchUp(policy)}}
		}
		process(t, s, state.Config{}, 19*time.Second, func(p *executor.ScheduledPool, b *state.Book) {
			_, err := p.Apply(job(b, 10*time.Second, executor.Burst))
			require.NoError(t, err)
			time.Sleep(12 * time.Second) // a run is in progress
			changes, err := p.Apply(job(b, 10*time.Second, executor.Burst))
			require.NoError(t, err)
			assert.Equal(t, []string{"job"}, changes.Unchanged)
			changes, err = p.Apply(job(b, 10*time.Second, executor.Coalesce))
			require.NoError(t, err)
			assert.Equal(t, []string{"job"}, changes.Changed)
		})
		assert.Equal(t, spans(10, 20, 30), d.slots())
		time.Sleep(29 * time.Second) // it is 60 s
		process(t, s, state.Config{}, time.Second, func(p *executor.ScheduledPool, b *state.Book) {
			_, err := p.Apply(job(b, 10*time.Second, executor.Coalesce))
			require.NoError(t, err)
		})
		assert.Equal(t, 60*time.Second, d.slots()[3])
	})
}

// A job that is replaced may run on while the new one asks for the last run: what it has had by
// then does not come again.
func TestApplyWhileTheJobRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		p := executor.NewScheduledPool(1)
		defer p.Close()
		book := state.New(s, state.Config{})
		job := executor.Job{Name: "job", Rate: 10 * time.Second, Task: d.task,
			Options: []executor.TaskOption{book.SinceLast(time.Hour), executor.CatchUp(executor.Burst)}}
		_, err := p.Apply(job)
		require.NoError(t, err)
		pass(15 * time.Second)
		s.set(func() { s.last = func() { time.Sleep(20 * time.Second) } })
		job.Options = append(job.Options, executor.Timeout(time.Second))
		_, err = p.Apply(job)
		require.NoError(t, err)
		pass(10 * time.Second)
		assert.Equal(t, spans(0, 10, 20, 30, 40), d.slots())
		assert.EqualValues(t, 2, p.Stats().Skipped)
		assert.Equal(t, 40*time.Second, s.slot("job"))
	})
}

// A decorator that hides the context of the run does not keep its run from being told.
func TestADecoratorThatHidesTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		p := executor.NewScheduledPool(1,
			executor.Decorate(func(task executor.Task) executor.Task {
				return func(context.Context) error { return task(context.Background()) }
			}),
			executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) { told = append(told, err) }))
		defer p.Close()
		d := &diary{}
		every(t, d)(p, state.New(newTable(), state.Config{}))
		pass(11 * time.Second)
		require.Len(t, told, 1)
		assert.ErrorContains(t, told[0], "gets the context of the run")
		assert.Empty(t, d.runs)
	})
}

// What shows of a series before its first run is its first slot.
func TestTheFirstRunIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var submitted []time.Time
		p := executor.NewScheduledPool(1, executor.Observe(executor.Observer{
			Submitted: func(r executor.Run) { submitted = append(submitted, r.Scheduled) },
		}))
		defer p.Close()
		f, err := p.AtFixedRate(time.Hour, time.Minute, func(context.Context) error { return nil },
			state.Since(time.Now().Add(-20*time.Second), time.Hour))
		require.NoError(t, err)
		next, ok := f.Next()
		require.True(t, ok)
		assert.Equal(t, 40*time.Second, time.Until(next))
		assert.Equal(t, 40*time.Second, time.Until(submitted[0]))
	})
}

func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := newTable(), &diary{}
		process(t, s, state.Config{}, 15*time.Second, every(t, d))
		book := state.New(s, state.Config{})
		r, err := book.Last(t.Context(), "job")
		require.NoError(t, err)
		assert.Equal(t, 10*time.Second, r.Ended.Sub(startOfBubbles))
		assert.Equal(t, r.Began, r.Ended)
		require.NoError(t, book.Forget(t.Context(), "job"))
		pass(time.Hour)
		process(t, s, state.Config{}, 5*time.Second, every(t, d))
		assert.Len(t, d.runs, 1)
	})
}
