package bulk

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/completion"
	"github.com/punctual-go/punctual/future"
)

// InvokeAnyHedged is [executor.InvokeAny] that gives each function a head start: it starts the
// first, and the next each time when delay has passed since the last start without a success, or as
// soon as one has failed. So a slow replica costs a second request, and a usual one does not. The
// first success cancels the others. With a delay of zero or less it is InvokeAny. It panics if p is
// nil.
//
// A further call never costs the one under way. If the pool has no room for it, it is tried again
// when the delay has passed once more, or as soon as a call fails; if the pool is shut down, no
// other is started. Only if no call is under way does InvokeAnyHedged return the refusal.
//
// Functions are started by the goroutine of the caller. While all workers are busy, those that have
// been started wait in the queue, and the delay passes for them too.
func InvokeAnyHedged[V any](
	ctx context.Context, p executor.Submitter, delay time.Duration, fns ...future.Func[V],
) (V, error) {
	mustBe(p)
	return completion.InvokeAny[V, executor.TaskOption](ctx, p, delay, fns)
}
