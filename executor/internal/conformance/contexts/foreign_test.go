package contexts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// inline is a Submitter of another module: it runs each task at once, and knows no options.
type inline struct{ base context.Context }

func (s *inline) Execute(task executor.Task, opts ...executor.TaskOption) error {
	return errorOf(s.Submit(task, opts...))
}

func (s *inline) Submit(
	task executor.Task, _ ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	if err := task(s.base); err != nil {
		return future.Failed[struct{}](err), nil
	}
	return future.Of(struct{}{}), nil
}

// logging is a Submitter of another module that passes everything on.
type logging struct{ executor.Submitter }

func TestAForeignSubmitterNeedNotKnowOptionsForValuesOfTheSubmission(t *testing.T) {
	for name, base := range map[string]context.Context{
		"with a context": traced(t, "its own"), "with nil": nil,
	} {
		t.Run(name, func(t *testing.T) {
			for by, submit := range map[string]func(ctx context.Context, p executor.Submitter, fn future.Func[int]) error{
				"SubmitContext": func(ctx context.Context, p executor.Submitter, fn future.Func[int]) error {
					return errorOf(executor.SubmitContext(ctx, p, fn))
				},
				"InvokeAll": func(ctx context.Context, p executor.Submitter, fn future.Func[int]) error {
					return errorOf(executor.InvokeAll(ctx, p, fn))
				},
				"InvokeAny": func(ctx context.Context, p executor.Submitter, fn future.Func[int]) error {
					return errorOf(executor.InvokeAny(ctx, p, fn))
				},
				"Group": func(ctx context.Context, p executor.Submitter, fn future.Func[int]) error {
					g := bulk.NewGroup(ctx, p)
					err := g.Go(func(ctx context.Context) error { return errorOf(fn(ctx)) })
					assert.NoError(t, g.Wait())
					return err
				},
				"CompletionService": func(ctx context.Context, p executor.Submitter, fn future.Func[int]) error {
					return errorOf(bulk.NewCompletionService[int](p).SubmitContext(ctx, fn))
				},
			} {
				t.Run(by, func(t *testing.T) {
					var seen any
					err := submit(traced(t, "a"), &inline{base}, func(ctx context.Context) (int, error) {
						seen = traceOf(ctx)
						return 1, ctx.Err()
					})
					require.NoError(t, err)
					assert.Equal(t, "a", seen)
				})
			}
		})
	}
}

func TestAForeignSubmitterGetsTheOptionsAndMayPassThemOn(t *testing.T) {
	p := pooltest.NewPool(t, 1)
	f, err := executor.SubmitContext(traced(t, "a"), logging{p}, func(ctx context.Context) (any, error) {
		return traceOf(ctx), nil
	}, executor.WithValues(traced(t, "b")))
	require.NoError(t, err)
	seen, err := f.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "b", seen)
}

// A task hands its context on, and so does the next; what they know does not become a longer and
// longer list.
func TestAForeignSubmitterThatIsUsedWithinItselfAddsNothing(t *testing.T) {
	unknown := 0
	s := &inline{&counting{traced(t, "its own"), &unknown}}
	var nest func(ctx context.Context, depth int) (int, error)
	nest = func(ctx context.Context, depth int) (int, error) {
		assert.Equal(t, "a", traceOf(ctx))
		if depth > 0 {
			return 0, errorOf(executor.SubmitContext(ctx, s, func(ctx context.Context) (int, error) {
				return nest(ctx, depth-1)
			}))
		}
		unknown = 0
		assert.Nil(t, ctx.Value("unknown"))
		assert.LessOrEqual(t, unknown, 2)
		return 0, nil
	}
	require.NoError(t, errorOf(nest(traced(t, "a"), 50)))
}

// counting counts how often it is asked for a value.
type counting struct {
	context.Context
	asked *int
}

func (c *counting) Value(key any) any {
	*c.asked++
	return c.Context.Value(key)
}
