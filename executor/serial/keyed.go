package serial

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
)

// Keyed is a [Serial] for each key: tasks with the same key run one after another, tasks with
// different keys in parallel, all on the workers of one pool. A key costs nothing while it has no
// task. A Keyed is safe for concurrent use.
type Keyed[K comparable] struct{ lanes engine.Lanes[K] }

// NewKeyed returns a serial executor for each key, over the given pool. The options are for each
// key by itself; a key that has no task is forgotten, and with it how it was paced, unless it is
// still held up. NewKeyed panics if p is nil or not of this module, and if an option is nil.
func NewKeyed[K comparable](p executor.Submitter, opts ...Option) *Keyed[K] {
	return &Keyed[K]{engine.Lanes[K]{Pool: poolOf(p), Options: lanesOf(opts)}}
}

// For returns the serial executor of a key. Through it, functions such as [executor.Submit] and
// [executor.InvokeAll] can submit to the key.
func (k *Keyed[K]) For(key K) executor.Submitter { return k.of(key) }

func (k *Keyed[K]) of(key K) *Serial {
	o := &order[K]{lanes: &k.lanes, key: key}
	o.way = submitter.Way{Self: &o.Serial, Pool: k.lanes.Pool, Key: o}
	return &o.Serial
}

// Execute queues task to run after all that were given before for the key. See
// [executor.Pool.Execute].
func (k *Keyed[K]) Execute(key K, task executor.Task, opts ...executor.TaskOption) error {
	return k.of(key).Execute(task, opts...)
}

// Submit is Execute with a future for the outcome. See [executor.Pool.Submit].
func (k *Keyed[K]) Submit(
	key K, task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	return k.of(key).Submit(task, opts...)
}

// SubmitContext is Submit that waits for room in the pool until ctx ends. See
// [Serial.SubmitContext].
func (k *Keyed[K]) SubmitContext(
	ctx context.Context, key K, task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	return k.of(key).SubmitContext(ctx, task, opts...)
}

// Schedule has task take its place in the order of the key after the delay. See [Serial.Schedule].
// The key counts as having a task until then.
func (k *Keyed[K]) Schedule(
	key K, delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return k.of(key).Schedule(delay, task, opts...)
}

// Keys returns the number of keys that have tasks waiting or running.
func (k *Keyed[K]) Keys() int { return k.lanes.Len() }

// order is the serial executor of one key, whose lane is there only while it has tasks.
type order[K comparable] struct {
	Serial
	lanes *engine.Lanes[K]
	key   K
}

// Enter keeps the lane of the key until Leave.
func (o *order[K]) Enter() *engine.Lane { return o.lanes.Enter(o.key) }

// Leave ends what Enter has begun.
func (o *order[K]) Leave(l *engine.Lane) { o.lanes.Leave(l) }
