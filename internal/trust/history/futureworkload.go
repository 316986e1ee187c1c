package history

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/future"
)

// futureWorkload is what the clients of some futures share. They come to one after another, all at
// the same time.
type futureWorkload struct {
	*recorder
	kind    string
	objects []*futureObject
}

const futureClients = 4

// futureObject is one of the futures.
type futureObject struct {
	number  int
	promise *future.Promise[int]
	task    *future.Task[int]
	future  *future.Future[int]
	arrived atomic.Int32
	calls   atomic.Int32

	mu    sync.Mutex
	notes []Note // of bodies
}

// attempt is the error of one call that settles a future; as a cause, of one that cancels it.
type attempt int

func (a attempt) Error() string { return fmt.Sprint("attempt ", int(a)) }

// runKey leads from the context of a body to its run.
type runKey struct{}

type futureRun struct {
	call, client, yields int
	fails                bool
}

func recordPromises(seed uint64) History { return recordFutures(Promise, seed) }

func recordTasks(seed uint64) History { return recordFutures(Task, seed) }

// recordFutures has some clients settle the same futures, and ask for their outcomes.
func recordFutures(kind string, seed uint64) History {
	const objects, operations = 4, 3
	w := &futureWorkload{recorder: newRecorder(), kind: kind}
	for i := range objects {
		w.objects = append(w.objects, w.newObject(i))
	}
	all := w.clients(futureClients, seed)
	w.run(all, objects*operations, func(c *client, i int) {
		o := w.objects[i/operations]
		if i%operations == 0 {
			o.awaitClients()
		}
		w.step(c, o)
	})
	last := all[0]
	var notes []Note
	for _, o := range w.objects {
		w.cancel(last, o, FutureCancel, o.future.Cancel)
		w.poll(last, o)
		w.state(last, o)
		notes = append(notes, o.notes...)
	}
	return History{Kind: kind, Seed: seed, Faults: w.faults, Notes: append(notesOf(all), notes...)}
}

func (w *futureWorkload) newObject(i int) *futureObject {
	o := &futureObject{number: i}
	if w.kind == Promise {
		o.promise = future.NewPromise[int]()
		o.future = o.promise.Future()
		return o
	}
	o.task = future.NewTask(func(ctx context.Context) (int, error) { return w.body(ctx, o) })
	o.future = o.task.Future()
	return o
}

// awaitClients returns when all clients have come, but does not wait long for one that the system
// has stopped.
func (o *futureObject) awaitClients() {
	const patience = 50
	o.arrived.Add(1)
	for i := 0; i < patience && o.arrived.Load() < futureClients; i++ {
		runtime.Gosched()
	}
}

func (o *futureObject) call() int { return int(o.calls.Add(1)) }

func (w *futureWorkload) step(c *client, o *futureObject) {
	switch k := c.rng.IntN(12); {
	case k < 4 && w.kind == Promise:
		w.complete(c, o)
	case k < 5 && w.kind == Promise:
		in := FutureInput{FutureFail, o.number, o.call()}
		do(c, in, func() FutureOutput { return FutureOutput{OK: o.promise.Fail(attempt(in.Call))} })
	case k < 5:
		w.runTask(c, o)
	case k < 6:
		cancel := o.future.Cancel
		if c.rng.IntN(2) == 0 {
			cancel = o.future.Stop
		}
		w.cancel(c, o, FutureCancel, cancel)
	case k < 7:
		call := o.call()
		w.cancelFor(c, o, call)
	case k < 9:
		w.get(c, o)
	case k < 11:
		w.poll(c, o)
	default:
		w.state(c, o)
	}
}

func (w *futureWorkload) complete(c *client, o *futureObject) {
	in := FutureInput{FutureComplete, o.number, o.call()}
	do(c, in, func() FutureOutput { return FutureOutput{OK: o.promise.Complete(in.Call)} })
}

func (w *futureWorkload) runTask(c *client, o *futureObject) {
	in := FutureInput{FutureRun, o.number, o.call()}
	if c.rng.IntN(2) == 0 {
		in.Op = FutureRunAndReset
	}
	run := &futureRun{in.Call, c.id, c.rng.IntN(20), c.rng.IntN(4) == 0}
	ctx := context.WithValue(context.Background(), runKey{}, run)
	do(c, in, func() FutureOutput {
		if in.Op == FutureRunAndReset {
			return FutureOutput{OK: o.task.RunAndReset(ctx)}
		}
		o.task.Run(ctx)
		return FutureOutput{}
	})
}

// body is that of every task. It returns the number of its run.
func (w *futureWorkload) body(ctx context.Context, o *futureObject) (int, error) {
	run := ctx.Value(runKey{}).(*futureRun)
	begin := w.stamp.Add(1)
	yield(run.yields)
	var err error
	if run.fails {
		err = attempt(run.call)
	}
	end := w.stamp.Add(1)
	note := func(op FutureOp, stamp int64, out FutureOutput) Note {
		return Note{
			Client: futureClients + run.client, Call: stamp, Return: stamp,
			Input: FutureInput{op, o.number, run.call}, Output: out,
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, note(FutureBegin, begin, FutureOutput{}),
		note(FutureEnd, end, FutureOutput{Failed: run.fails}))
	return run.call, err
}

// cancel is for those that give no reason, whose number is 0.
func (w *futureWorkload) cancel(c *client, o *futureObject, op FutureOp, cancel func() bool) {
	do(c, FutureInput{Op: op, Object: o.number},
		func() FutureOutput { return FutureOutput{OK: cancel()} })
}

func (w *futureWorkload) cancelFor(c *client, o *futureObject, call int) {
	in := FutureInput{FutureCancelCause, o.number, call}
	do(c, in, func() FutureOutput { return FutureOutput{OK: o.future.CancelCause(attempt(call))} })
}

func (w *futureWorkload) get(c *client, o *futureObject) {
	ctx := w.contextFor(c.rng.IntN(30))
	do(c, FutureInput{Op: FutureGet, Object: o.number}, func() FutureOutput {
		v, err := o.future.Get(ctx)
		if err == context.Canceled {
			return FutureOutput{}
		}
		return FutureOutput{Told: w.outcome(v, err)}
	})
}

func (w *futureWorkload) poll(c *client, o *futureObject) {
	do(c, FutureInput{Op: FuturePoll, Object: o.number}, func() FutureOutput {
		if r, ok := o.future.Poll(); ok {
			return FutureOutput{Told: w.outcome(r.Value, r.Err)}
		}
		return FutureOutput{}
	})
}

func (w *futureWorkload) state(c *client, o *futureObject) {
	do(c, FutureInput{Op: FutureState, Object: o.number}, func() FutureOutput {
		return FutureOutput{Told: o.future.State().String()}
	})
}

// outcome puts an outcome in the words of the model.
func (w *futureWorkload) outcome(v int, err error) string {
	var a attempt
	number := 0
	if errors.As(err, &a) {
		number = int(a)
	}
	switch {
	case err == nil:
		return valueOf(v)
	case errors.Is(err, future.ErrCancelled):
		if v != 0 {
			w.fault("a cancelled future has the value %d", v)
		}
		return cancelOf(number)
	case number == 0:
		w.fault("unexpected outcome: %v", err)
	}
	if v != 0 {
		return valueOf(v) + ", " + errorOf(number)
	}
	return errorOf(number)
}
