package contexts_test

import (
	"context"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// submission is a task on its way to a pool or a loop.
type submission struct {
	pool *executor.ScheduledPool
	loop *eventloop.Loop
	ctx  context.Context // for a way that takes one
	task executor.Task
	opts []executor.TaskOption
}

func (s *submission) typed() future.Func[int] {
	return func(ctx context.Context) (int, error) { return 0, s.task(ctx) }
}

// thrice are the options of a series.
func (s *submission) thrice() []executor.TaskOption { return append(s.opts, executor.MaxRuns(3)) }

// way is one way to have a task run.
type way func(s *submission) error

func errorOf[V any](_ V, err error) error { return err }

// byOption are the ways on which a task gets a context by an option alone.
var byOption = map[string]way{
	"Submit": func(s *submission) error { return errorOf(s.pool.Submit(s.task, s.opts...)) },
	"typed Submit": func(s *submission) error {
		return errorOf(executor.Submit(s.pool, s.typed(), s.opts...))
	},
	"Schedule": func(s *submission) error {
		return errorOf(s.pool.Schedule(time.Second, s.task, s.opts...))
	},
	"typed Schedule": func(s *submission) error {
		return errorOf(executor.Schedule(s.pool, time.Second, s.typed(), s.opts...))
	},
	"ScheduleAt": func(s *submission) error {
		return errorOf(s.pool.ScheduleAt(time.Now().Add(time.Second), s.task, s.opts...))
	},
	"AtFixedRate": func(s *submission) error {
		return errorOf(s.pool.AtFixedRate(0, time.Second, s.task, s.thrice()...))
	},
	"WithFixedDelay": func(s *submission) error {
		return errorOf(s.pool.WithFixedDelay(0, time.Second, s.task, s.thrice()...))
	},
	"CompletionService.Submit": func(s *submission) error {
		return errorOf(bulk.NewCompletionService[int](s.pool).Submit(s.typed(), s.opts...))
	},
	"Serial.Submit": func(s *submission) error {
		return errorOf(serial.New(s.pool).Submit(s.task, s.opts...))
	},
	"Keyed.Submit": func(s *submission) error {
		return errorOf(serial.NewKeyed[int](s.pool).Submit(1, s.task, s.opts...))
	},
	"Keyed.For": func(s *submission) error {
		return errorOf(serial.NewKeyed[int](s.pool).For(1).Submit(s.task, s.opts...))
	},
	"Loop.Submit": func(s *submission) error { return errorOf(s.loop.Submit(s.task, s.opts...)) },
	"typed Submit to a loop": func(s *submission) error {
		return errorOf(executor.Submit(s.loop, s.typed(), s.opts...))
	},
	"eventloop.Submit": func(s *submission) error {
		return errorOf(eventloop.Submit(s.loop, s.typed(), s.opts...))
	},
	"Loop.Schedule": func(s *submission) error {
		return errorOf(s.loop.Schedule(time.Second, s.task, s.opts...))
	},
	"eventloop.Schedule": func(s *submission) error {
		return errorOf(eventloop.Schedule(s.loop, time.Second, s.typed(), s.opts...))
	},
	"Loop.ScheduleAt": func(s *submission) error {
		return errorOf(s.loop.ScheduleAt(time.Now().Add(time.Second), s.task, s.opts...))
	},
	"Loop.AtFixedRate": func(s *submission) error {
		return errorOf(s.loop.AtFixedRate(0, time.Second, s.task, s.thrice()...))
	},
	"Loop.WithFixedDelay": func(s *submission) error {
		return errorOf(s.loop.WithFixedDelay(0, time.Second, s.task, s.thrice()...))
	},
	"Turn.Submit": func(s *submission) error {
		return s.loop.Execute(func(ctx context.Context) error {
			turn, _ := s.loop.Turn(ctx)
			return errorOf(turn.Submit(s.task, s.opts...))
		})
	},
}

// byItself are the ways on which a task gets the values of a context that is given anyway.
var byItself = map[string]way{
	"SubmitContext": func(s *submission) error {
		return errorOf(s.pool.SubmitContext(s.ctx, s.task, s.opts...))
	},
	"typed SubmitContext": func(s *submission) error {
		return errorOf(executor.SubmitContext(s.ctx, s.pool, s.typed(), s.opts...))
	},
	"SubmitContext to a loop": func(s *submission) error {
		return errorOf(executor.SubmitContext(s.ctx, s.loop, s.typed(), s.opts...))
	},
	"Serial.SubmitContext": func(s *submission) error {
		return errorOf(serial.New(s.pool).SubmitContext(s.ctx, s.task, s.opts...))
	},
	"Keyed.SubmitContext": func(s *submission) error {
		k := serial.NewKeyed[int](s.pool)
		return errorOf(k.SubmitContext(s.ctx, 1, s.task, s.opts...))
	},
	"SubmitContext to a key": func(s *submission) error {
		key := serial.NewKeyed[int](s.pool).For(1)
		return errorOf(executor.SubmitContext(s.ctx, key, s.typed(), s.opts...))
	},
	"CompletionService.SubmitContext": func(s *submission) error {
		service := bulk.NewCompletionService[int](s.pool)
		return errorOf(service.SubmitContext(s.ctx, s.typed(), s.opts...))
	},
	"CompletionService.SubmitContext to a loop": func(s *submission) error {
		service := bulk.NewCompletionService[int](s.loop)
		return errorOf(service.SubmitContext(s.ctx, s.typed(), s.opts...))
	},
	"Group.Go": func(s *submission) error {
		return bulk.NewGroup(s.ctx, s.pool).Go(s.task, s.opts...)
	},
	"Group.Go on a loop": func(s *submission) error {
		return bulk.NewGroup(s.ctx, s.loop).Go(s.task, s.opts...)
	},
}

// inBulk are ways like byItself that wait for the task, and take no options.
var inBulk = map[string]way{
	"InvokeAll": func(s *submission) error {
		return errorOf(executor.InvokeAll(s.ctx, s.pool, s.typed()))
	},
	"InvokeAll on a loop": func(s *submission) error {
		return errorOf(executor.InvokeAll(s.ctx, s.loop, s.typed()))
	},
	"InvokeAny": func(s *submission) error {
		return errorOf(executor.InvokeAny(s.ctx, s.pool, s.typed()))
	},
	"InvokeAny on a loop": func(s *submission) error {
		return errorOf(executor.InvokeAny(s.ctx, s.loop, s.typed()))
	},
}

func union(a, b map[string]way) map[string]way {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// each runs a test for each of the ways, in a bubble, with a submission that has no task yet.
func each(t *testing.T, ways map[string]way, test func(t *testing.T, by way, s *submission)) {
	for name, by := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				loop := eventloop.New(executor.Logger(nil))
				t.Cleanup(func() { _ = loop.Close() })
				test(t, by, &submission{
					pool: pooltest.NewScheduledPool(t, 2), loop: loop, ctx: t.Context(),
				})
			})
		})
	}
}

// traceKey is the key of a trace, as a library for traces has one.
type traceKey struct{}

// traced returns a context with a trace.
func traced(t *testing.T, trace string) context.Context {
	return context.WithValue(t.Context(), traceKey{}, trace)
}

func traceOf(ctx context.Context) any { return ctx.Value(traceKey{}) }

// tracesSeen has s submitted with a body that looks for the trace, and returns what it has seen in
// each run.
func tracesSeen(t *testing.T, by way, s *submission) (traces []any) {
	t.Helper()
	s.task = func(ctx context.Context) error { traces = append(traces, traceOf(ctx)); return nil }
	require.NoError(t, by(s))
	pass(time.Minute)
	require.NotEmpty(t, traces)
	return traces
}

func TestATaskKnowsTheValuesOfTheContextThatAnOptionNames(t *testing.T) {
	for name, option := range map[string]func(context.Context) executor.TaskOption{
		"values": executor.WithValues, "context": executor.WithContext,
	} {
		t.Run(name, func(t *testing.T) {
			each(t, byOption, func(t *testing.T, by way, s *submission) {
				s.opts = []executor.TaskOption{option(traced(t, "a")), executor.Name("task")}
				for _, trace := range tracesSeen(t, by, s) {
					assert.Equal(t, "a", trace)
				}
			})
		})
	}
}

func TestATaskKnowsTheValuesOfTheContextOfItsSubmission(t *testing.T) {
	each(t, union(byItself, inBulk), func(t *testing.T, by way, s *submission) {
		s.ctx = traced(t, "a")
		assert.Equal(t, []any{"a"}, tracesSeen(t, by, s))
	})
}

func TestAnOptionComesBeforeTheContextOfTheSubmission(t *testing.T) {
	each(t, byItself, func(t *testing.T, by way, s *submission) {
		s.ctx = traced(t, "a")
		s.opts = []executor.TaskOption{executor.WithValues(traced(t, "b"))}
		assert.Equal(t, []any{"b"}, tracesSeen(t, by, s))
	})
}

func TestWithValuesOfNothingLeavesTheContextOfTheSubmissionOut(t *testing.T) {
	each(t, byItself, func(t *testing.T, by way, s *submission) {
		s.ctx = traced(t, "a")
		s.opts = []executor.TaskOption{executor.WithValues(nil)}
		assert.Equal(t, []any{nil}, tracesSeen(t, by, s))
	})
}

func TestATaskWithoutAContextKnowsNothing(t *testing.T) {
	each(t, byOption, func(t *testing.T, by way, s *submission) {
		for _, trace := range tracesSeen(t, by, s) {
			assert.Nil(t, trace)
		}
	})
}

// A caller that goes away stops its task where asked.
func TestTheEndOfTheContextThatAnOptionNamesEndsTheTaskInItsRun(t *testing.T) {
	each(t, union(byOption, byItself), func(t *testing.T, by way, s *submission) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var ended error
		s.opts = []executor.TaskOption{executor.WithContext(ctx)}
		s.task = func(ctx context.Context) error {
			<-ctx.Done()
			ended = context.Cause(ctx)
			return ctx.Err()
		}
		require.NoError(t, by(s))
		pass(time.Minute)
		require.NoError(t, ended)
		cancel(errLeft)
		synctest.Wait()
		assert.ErrorIs(t, ended, errLeft)
		pass(time.Minute)
		balanced(t, s)
	})
}

// And only there.
func TestTheEndOfTheContextOfValuesEndsNothing(t *testing.T) {
	for name, with := range map[string]func(s *submission, ctx context.Context){
		"an option": func(s *submission, ctx context.Context) {
			s.opts = []executor.TaskOption{executor.WithValues(ctx)}
		},
		"the submission": func(s *submission, ctx context.Context) { s.ctx = ctx },
	} {
		t.Run(name, func(t *testing.T) {
			ways := maps.Clone(byItself)
			maps.DeleteFunc(ways, func(name string, _ way) bool { return name[:5] == "Group" })
			if name == "an option" {
				ways = union(ways, byOption)
			}
			each(t, ways, func(t *testing.T, by way, s *submission) {
				ctx, cancel := context.WithTimeout(traced(t, "a"), time.Hour)
				with(s, ctx)
				ended, hasDeadline, runs := error(nil), false, 0
				s.task = func(ctx context.Context) error {
					_, hasDeadline = ctx.Deadline()
					time.Sleep(2 * time.Minute)
					ended = ctx.Err()
					runs++
					return nil
				}
				require.NoError(t, by(s))
				pass(time.Minute)
				cancel()
				pass(time.Hour)
				assert.NoError(t, ended)
				assert.False(t, hasDeadline)
				assert.Positive(t, runs)
				balanced(t, s)
			})
		})
	}
}
