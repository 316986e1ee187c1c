package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// KeyedSerial is a [Serial] for each key: tasks with the same key run one after another, tasks with
// different keys in parallel, all on the workers of one pool. A key costs nothing while it has no
// task. A KeyedSerial is safe for concurrent use.
type KeyedSerial[K comparable] struct {
	pool  *Pool
	lanes engine.Lanes[K]
}

// NewKeyedSerial returns a serial executor for each key, over the given pool. The options are for
// each key by itself; a key that has no task is forgotten, and with it how it was paced, unless it
// is still held up. NewKeyedSerial panics if p is nil or not of this package, and if an option is
// nil.
func NewKeyedSerial[K comparable](p Submitter, opts ...SerialOption) *KeyedSerial[K] {
	pool := poolOf(p)
	return &KeyedSerial[K]{
		pool:  pool,
		lanes: engine.Lanes[K]{Pool: pool.engine(), Options: lanesOf(opts)},
	}
}

// For returns the serial executor of a key. Through it, functions such as [Submit] and [InvokeAll]
// can submit to the key.
func (k *KeyedSerial[K]) For(key K) Submitter { return k.under(key) }

func (k *KeyedSerial[K]) under(key K) *keyed[K] { return &keyed[K]{k, key} }

// Execute queues task to run after all that were given before for the key. See [Pool.Execute].
func (k *KeyedSerial[K]) Execute(key K, task Task, opts ...TaskOption) error {
	l := k.lanes.Enter(key)
	defer k.lanes.Leave(l)
	return k.pool.execute(task, l, opts)
}

// Submit is Execute with a future for the outcome. See [Pool.Submit].
func (k *KeyedSerial[K]) Submit(
	key K, task Task, opts ...TaskOption,
) (*future.Future[struct{}], error) {
	return submitTask(context.Background(), false, k.under(key), task, opts)
}

// SubmitContext is Submit that waits for room in the pool until ctx ends. See
// [Serial.SubmitContext].
func (k *KeyedSerial[K]) SubmitContext(
	ctx context.Context, key K, task Task, opts ...TaskOption,
) (*future.Future[struct{}], error) {
	return submitTask(ctx, true, k.under(key), task, opts)
}

// Schedule has task take its place in the order of the key after the delay. See [Serial.Schedule].
// The key counts as having a task until then.
func (k *KeyedSerial[K]) Schedule(
	key K, delay time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	l := k.lanes.Enter(key)
	defer k.lanes.Leave(l)
	return k.pool.scheduleIn(l, delay, task, opts)
}

// Keys returns the number of keys that have tasks waiting or running.
func (k *KeyedSerial[K]) Keys() int { return k.lanes.Len() }

// keyed is the Submitter of one key of a KeyedSerial.
type keyed[K comparable] struct {
	of  *KeyedSerial[K]
	key K
}

// Execute is [KeyedSerial.Execute].
func (k *keyed[K]) Execute(task Task, opts ...TaskOption) error {
	return k.of.Execute(k.key, task, opts...)
}

// Submit is [KeyedSerial.Submit].
func (k *keyed[K]) Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error) {
	return submitTask(context.Background(), false, k, task, opts)
}

// SubmitContext is [KeyedSerial.SubmitContext].
func (k *keyed[K]) SubmitContext(
	ctx context.Context, task Task, opts ...TaskOption,
) (*future.Future[struct{}], error) {
	return submitTask(ctx, true, k, task, opts)
}

func (k *keyed[K]) base() *Pool     { return k.of.pool }
func (k *keyed[K]) self() Submitter { return k }

func (k *keyed[K]) submit(
	ctx context.Context, wait bool, c *cell.Cell, task Task, opts []TaskOption,
) error {
	l := k.of.lanes.Enter(k.key)
	defer k.of.lanes.Leave(l)
	return k.of.pool.submitTo(ctx, wait, l, c, task, opts)
}
