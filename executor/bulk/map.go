package bulk

import (
	"cmp"
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/completion"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Map calls fn on p for each element of in, and returns the results in the order of the elements.
// At most twice as many calls as the pool may have workers are in flight at a time, running or
// waiting; 1,024 if the pool has no maximum size, or is of another package. So a long in costs
// memory for its results alone. Map waits for room in the pool, whatever the rejection policy. Map
// of nothing returns an empty slice. A nil ctx never ends. A task of the same pool may call Map,
// with its own context.
//
// The first call that fails ends the others: those that run are cancelled, and none begins any
// more. Map then waits until those that run have returned, even if they ignore their contexts, and
// returns the first error, and no results. So nothing of it is left running after Map. The same
// goes for the end of ctx, whose error is returned, and for a pool that refuses a call. A panic is
// a failure, with a [future.PanicError]. If fn is nil, Map returns [executor.ErrNilTask]; if the
// calls would come after the caller in a serial executor, [future.ErrSelfWait]. It panics if p is
// nil.
func Map[T, R any](
	ctx context.Context, p executor.Submitter, in []T, fn func(context.Context, T) (R, error),
) ([]R, error) {
	if fn == nil {
		return nil, executor.ErrNilTask
	}
	g := NewGroup(ctx, p)
	g.patient = true
	g.SetLimit(mostInFlight(p))
	out := make([]R, len(in))
	finished := false
	defer func() {
		if !finished { // a call that the caller runs itself has ended its goroutine
			g.Cancel(completion.ErrNotNeeded)
		}
	}()
	for i := range in {
		if err := g.Go(func(ctx context.Context) (err error) {
			out[i], err = fn(ctx, in[i])
			return err
		}); err != nil {
			g.Cancel(err) // does nothing if the group has failed: then err only says so
			break
		}
	}
	var err error
	if len(in) > 0 {
		err = g.Wait()
	}
	if cell.Matches(err, future.ErrSelfWait) { // what waits behind the caller, never to run
		g.Cancel(err)
		err = g.Wait()
	}
	if finished = true; err != nil {
		return nil, err
	}
	return out, nil
}

// mostInFlight returns how many calls keep all workers of p busy: each may have the next at hand.
func mostInFlight(p executor.Submitter) int {
	const unknown = 1024
	way := submitter.Of(p)
	if way.IsForeign() {
		return unknown
	}
	return cmp.Or(way.Pool.Crew.MostInFlight(), unknown)
}
