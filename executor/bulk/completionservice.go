package bulk

import (
	"context"
	"iter"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/completion"
	"github.com/punctual-go/punctual/future"
)

// ErrNoneLeft is returned by [CompletionService.Take] when no task is outstanding.
var ErrNoneLeft = completion.ErrNoneLeft

// CompletionService yields the futures of its tasks in the order in which they are settled, no
// matter how: by success, failure, or cancellation, or because the pool was shut down. A task is
// outstanding from its submission until its future has been taken. What a task has done happens
// before its future is taken. A CompletionService is safe for concurrent use.
//
// It is java.util.concurrent's ExecutorCompletionService, except that it knows what is outstanding:
// to wait when nothing is outstanding is an error, and the loop over All ends.
type CompletionService[V any] completion.Service[V, executor.TaskOption]

// NewCompletionService returns a completion service for tasks on p. It panics if p is nil.
func NewCompletionService[V any](p executor.Submitter) *CompletionService[V] {
	mustBe(p)
	s := new(CompletionService[V])
	s.service().Init(p)
	return s
}

func (s *CompletionService[V]) service() *completion.Service[V, executor.TaskOption] {
	return (*completion.Service[V, executor.TaskOption])(s)
}

// Submit submits fn to the pool, as the function [executor.Submit] does. The future that it returns
// is the one that will be taken.
func (s *CompletionService[V]) Submit(
	fn future.Func[V], opts ...executor.TaskOption,
) (*future.Future[V], error) {
	return s.service().Submit(context.Background(), false, nil, fn, opts)
}

// SubmitContext is Submit that waits for room until ctx ends, as the function
// [executor.SubmitContext] does. The task knows the values of ctx, see [executor.WithValues].
func (s *CompletionService[V]) SubmitContext(
	ctx context.Context, fn future.Func[V], opts ...executor.TaskOption,
) (*future.Future[V], error) {
	return s.service().Submit(ctx, true, nil, fn, opts)
}

// SubmitTo is [CompletionService.Submit] on another pool than the service's own, so that tasks of
// several pools are taken in the one order in which they are settled. It panics if p is nil.
func (s *CompletionService[V]) SubmitTo(
	p executor.Submitter, fn future.Func[V], opts ...executor.TaskOption,
) (*future.Future[V], error) {
	mustBe(p)
	return s.service().Submit(context.Background(), false, p, fn, opts)
}

// Poll returns the next settled future, and reports whether there is one. It does not wait.
func (s *CompletionService[V]) Poll() (*future.Future[V], bool) { return s.service().Poll() }

// Take waits until a future is settled, and returns it. A nil ctx never ends. Take returns
//
//   - [ErrNoneLeft] if no task is outstanding, even if another call has taken the last one during
//     the wait;
//   - [future.ErrSelfWait] if all that is outstanding is the calling task itself, or behind it in
//     a Serial of package serial;
//   - the error of ctx if that ends first.
func (s *CompletionService[V]) Take(ctx context.Context) (*future.Future[V], error) {
	return s.service().Take(ctx)
}

// All yields the futures as they are settled, until no task is outstanding, or ctx ends: check
// ctx.Err after the loop. Tasks may be submitted in the meantime, even by the loop itself. A nil
// ctx never ends.
func (s *CompletionService[V]) All(ctx context.Context) iter.Seq[*future.Future[V]] {
	return func(yield func(*future.Future[V]) bool) {
		for {
			f, err := s.Take(ctx)
			if err != nil || !yield(f) {
				return
			}
		}
	}
}

// Outstanding returns the number of tasks that were submitted and have not been taken yet.
func (s *CompletionService[V]) Outstanding() int { return s.service().Outstanding() }
