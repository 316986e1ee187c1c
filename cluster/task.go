package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// Task is a function with a name. Every replica has the code, so only names and payloads travel.
// The zero Task is not usable; make one with [Define], as a rule in a package variable.
type Task[P, R any] struct{ *definition }

// Runnable is any [Task], whatever its types: what [Pool.Serve] takes.
type Runnable interface{ runnable() *definition }

func (t Task[P, R]) runnable() *definition { return t.definition }

// Name returns the name of the task.
func (t Task[P, R]) Name() string { return t.definition.name }

// definition is a task without its types.
type definition struct {
	name     string
	invoke   func(ctx context.Context, payload []byte) (result []byte, err error)
	codec    Codec
	lease    time.Duration
	attempts int
	tries    int // the attempts that may fail, see Retry
	backoff  retry.Backoff
	atOnce   int
	rate     *rate // nil for none
	local    []executor.TaskOption
	fault    error
}

// Codec writes payloads and results, and reads them. All replicas must agree on it.
type Codec interface {
	Marshal(v any) ([]byte, error)
	Unmarshal(data []byte, v any) error
}

type jsonCodec struct{}

func (jsonCodec) Marshal(v any) ([]byte, error)      { return json.Marshal(v) }
func (jsonCodec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// TaskOption is an option of [Define].
type TaskOption func(*definition)

// Lease is how long a worker may be silent before its run is given to another: 10 s unless told.
// Workers that live say so three times in a lease, so a run may take longer than its lease. All
// replicas should agree on it.
func Lease(d time.Duration) TaskOption { return func(t *definition) { t.lease = d } }

// Attempts is how often a task may be begun before it is [ErrAbandoned]: 5 unless told. Only
// attempts count whose worker died or was lost. A function that returns an error has an outcome,
// unless [Retry] has it tried again. That holds for executor.ErrSkipped too, which is not tried
// again: the local pool counts the run as skipped, a series goes on, and the future gets a
// [TaskError]. A series is not abandoned: it leaves out the run that kills its workers, and goes on
// with the next, at its time. What was abandoned is kept in the failed set, see [Pool.Failed], with
// the [Instance] that has died last.
func Attempts(n int) TaskOption { return func(t *definition) { t.attempts = n } }

// With gives options to each run on the local pool: executor.Timeout, executor.Retry,
// executor.Priority and others of tasks that run once.
func With(opts ...executor.TaskOption) TaskOption {
	return func(t *definition) { t.local = append(t.local, opts...) }
}

// Encoding makes c write the payloads and results of the task, which are JSON unless told.
func Encoding(c Codec) TaskOption { return func(t *definition) { t.codec = c } }

// Define names a function, so that any replica can run it. fn may be called more than once for one
// submission, and by different processes, see the package's promises. Its context ends with the
// cause [ErrLost] or [ErrCancelled]; see [RunFrom] for what else it tells.
//
// A bad name or option is told by whatever uses the task first: Submit and its kin, or Serve.
func Define[P, R any](
	name string, fn func(ctx context.Context, in P) (R, error), opts ...TaskOption,
) Task[P, R] {
	t := &definition{name: name, codec: jsonCodec{}, lease: 10 * time.Second, attempts: 5,
		tries: 1, atOnce: mostAtOnce}
	for _, opt := range opts {
		if opt != nil {
			opt(t)
		}
	}
	t.fault = t.check(fn == nil, reflect.TypeFor[P]())
	t.invoke = func(ctx context.Context, payload []byte) ([]byte, error) {
		var in P
		if err := t.codec.Unmarshal(payload, &in); err != nil {
			return nil, retry.Permanent(&undecodable{t.name, reflect.TypeFor[P](), err})
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		return t.codec.Marshal(out)
	}
	return Task[P, R]{t}
}

func (t *definition) check(noFunction bool, payload reflect.Type) error {
	if err := checkName(t.name); err != nil {
		return err
	}
	switch {
	case noFunction:
		return fmt.Errorf("%w: task %q has no function", ErrInvalid, t.name)
	case t.codec == nil:
		return fmt.Errorf("%w: task %q has no codec", ErrInvalid, t.name)
	case t.lease < 100*time.Millisecond:
		return fmt.Errorf("%w: task %q has a lease of %v, which is less than 100ms",
			ErrInvalid, t.name, t.lease)
	case t.attempts < 1:
		return fmt.Errorf("%w: task %q has %d attempts", ErrInvalid, t.name, t.attempts)
	case t.atOnce < 1 || t.atOnce > mostAtOnce:
		return fmt.Errorf("%w: task %q: AtOnce with %d runs, not 1 to %d",
			ErrInvalid, t.name, t.atOnce, mostAtOnce)
	}
	if t.rate != nil {
		if err := t.rate.check(t.name, payload); err != nil {
			return err
		}
	}
	return t.checkRetry()
}

// suits returns why the pool cannot have the task: it forgets too early what that counts on.
func (p *Pool) suits(t *definition) error {
	if p.keep < 10*t.lease {
		return fmt.Errorf("%w: pool %q keeps outcomes for %v, which is less than ten leases of task %q, %v",
			ErrInvalid, p.settings.name, p.keep, t.name, t.lease)
	}
	if t.rate != nil && t.rate.per > p.keep/2 {
		return fmt.Errorf("%w: pool %q keeps records for %v, which is less than two spans of the Rate of "+
			"task %q, %v", ErrInvalid, p.settings.name, p.keep, t.name, t.rate.per)
	}
	return nil
}

func checkName(task string) error {
	switch {
	case task == "":
		return fmt.Errorf("%w: a task without a name", ErrInvalid)
	case len(token(task)) > longestName:
		return fmt.Errorf("%w: the name of task %.20q… is too long", ErrInvalid, task)
	}
	return nil
}

// encode writes a payload.
func (t *definition) encode(in any) ([]byte, error) {
	payload, err := t.codec.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("%w: the payload of task %q: %w", ErrInvalid, t.name, err)
	}
	return payload, nil
}

// usable returns the definition of a task, or what is wrong with it.
func usable(t Runnable) (*definition, error) {
	if t == nil || t.runnable() == nil {
		return nil, fmt.Errorf("%w: a task that was not made by Define", ErrInvalid)
	}
	return t.runnable(), t.runnable().fault
}

// undecodable is a payload that is not of the task's type.
type undecodable struct {
	task string
	want reflect.Type
	err  error
}

func (e *undecodable) Error() string {
	return fmt.Sprintf("cluster: the payload of task %q is no %v: %v", e.task, e.want, e.err)
}

func (e *undecodable) Unwrap() error { return e.err }
