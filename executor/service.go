package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/future"
)

// Run keeps the pool open until ctx ends, or the pool is shut down in another way. It then closes
// the pool as [Pool.CloseContext] does, with grace as the time that the tasks get to end, and
// returns. So a pool becomes a service among others, as errgroup, oklog/run and
// signal.NotifyContext know them. A nil ctx never ends. A grace of zero or less is none.
//
// Run returns nil if every task that was due at the end of ctx has ended within the grace. If not,
// it interrupts those that are running, drops those that have not begun, and returns an error that
// says how many there are of each, and matches context.DeadlineExceeded. It does not wait for them
// after that; [Pool.Terminated] tells when the last has ended.
//
// A task of the pool, which would wait for itself, gets [future.ErrSelfWait] at once; the pool then
// stays as it is.
func (p *Pool) Run(ctx context.Context, grace time.Duration) error {
	// Not asked of ctx: to close the pool when one of its tasks has ended is sound.
	if p.engine().Life.Outlives(context.Background()) {
		return future.ErrSelfWait
	}
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-ctx.Done():
	case <-p.engine().Life.Closing().Done():
	}
	limit, release := context.WithTimeout(context.Background(), grace)
	defer release()
	_, rest, err := p.engine().Life.CloseContext(limit)
	running, dropped := len(rest.Running), len(rest.Dropped)
	if err == nil || running+dropped == 0 { // the workers alone are still on their way out
		return nil
	}
	subject := p.engine().Runs().Subject("").String()
	if subject != "" {
		subject += ": "
	}
	return fmt.Errorf("executor: %stasks have not ended within %v: %d running, %d not begun: %w",
		subject, max(grace, 0), running, dropped, err)
}
