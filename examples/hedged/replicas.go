package main

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/future"
)

// Replica answers a question. It gives up when ctx ends.
type Replica interface {
	Ask(ctx context.Context, question string) (answer string, err error)
}

// Replicas asks several replicas of one service. The first is asked at once; if it has not answered
// after a delay, or has failed, the next is asked as well, and so on. The first answer counts, and
// the other questions are cancelled.
//
// The delay should be about the 95th percentile of the replicas' latency: then one request in
// twenty is made twice, and the slowest ones are gone. See Dean and Barroso, "The Tail at Scale"
// (2013).
type Replicas struct {
	all   []Replica
	delay time.Duration
	pool  *executor.Pool
}

// NewReplicas makes a client of replicas with so many questions at a time.
func NewReplicas(delay time.Duration, workers int, all ...Replica) *Replicas {
	return &Replicas{all: all, delay: delay, pool: executor.NewPool(workers, executor.Name("replicas"))}
}

// Ask returns the first answer, or the errors of all replicas.
func (r *Replicas) Ask(ctx context.Context, question string) (string, error) {
	ask := make([]future.Func[string], len(r.all))
	for i, replica := range r.all {
		ask[i] = func(ctx context.Context) (string, error) { return replica.Ask(ctx, question) }
	}
	return bulk.InvokeAnyHedged(ctx, r.pool, r.delay, ask...)
}

// Close waits for the questions under way.
func (r *Replicas) Close() { r.pool.Close() }
