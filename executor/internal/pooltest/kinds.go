package pooltest

import (
	"testing"
	"testing/synctest"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
)

// Maker makes a pool of one kind, with at most size workers.
type Maker func(t *testing.T, size int, opts ...executor.Option) *executor.Pool

// Plain returns [NewPool] with the extra options.
func Plain(extra ...executor.Option) Maker {
	return func(t *testing.T, size int, opts ...executor.Option) *executor.Pool {
		return NewPool(t, size, append(extra[:len(extra):len(extra)], opts...)...)
	}
}

// Scheduled is the [Maker] of scheduled pools.
func Scheduled(t *testing.T, size int, opts ...executor.Option) *executor.Pool {
	return &NewScheduledPool(t, size, opts...).Pool
}

// Kinds are the kinds of pools. None of them refuses a task given to Submit.
var Kinds = map[string]Maker{
	"plain":     NewPool,
	"bounded":   Plain(executor.Queue(queue.Bounded(2)), executor.OnRejection(rejection.CallerRuns)),
	"blocking":  Plain(executor.Queue(queue.Bounded(2)), executor.OnRejection(rejection.Block)),
	"hand-off":  Plain(executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns)),
	"priority":  Plain(executor.Queue(queue.Priority())),
	"scheduled": Scheduled,
}

// Each runs a test for each kind of pool, in a bubble.
func Each(t *testing.T, test func(t *testing.T, newPool Maker)) { EachOf(t, Kinds, test) }

// EachUnbounded is Each for the kinds whose queue is unbounded.
func EachUnbounded(t *testing.T, test func(t *testing.T, newPool Maker)) {
	EachOf(t, map[string]Maker{
		"plain": Kinds["plain"], "priority": Kinds["priority"], "scheduled": Kinds["scheduled"],
	}, test)
}

// EachOf is Each for the given kinds.
func EachOf(t *testing.T, kinds map[string]Maker, test func(t *testing.T, newPool Maker)) {
	for kind, newPool := range kinds {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newPool) })
		})
	}
}
