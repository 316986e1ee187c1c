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

// futureLoad is what the clients of some futures share. They come to one after another, all at the same time.
type futureLoad struct {
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
	l := &futureLoad{recorder: newRecorder(), kind: kind}
	for i := range objects {
		l.objects = append(l.objects, l.newObject(i))
	}
	all := l.clients(futureClients, seed)
	l.run(all, objects*operations, func(c *client, i int) {
		o := l.objects[i/operations]
		if i%operations == 0 {
			o.meet()
		}
		l.act(c, o)
	})
	last := all[0]
	var notes []Note
	for _, o := range l.objects {
		l.cancel(last, o, FutureCancel, o.future.Cancel)
		l.poll(last, o)
		l.state(last, o)
		notes = append(notes, o.notes...)
	}
	return History{Kind: kind, Seed: seed, Faults: l.faults, Notes: append(notesOf(all), notes...)}
}

func (l *futureLoad) newObject(i int) *futureObject {
	o := &futureObject{number: i}
	if l.kind == Promise {
		o.promise = future.NewPromise[int]()
		o.future = o.promise.Future()
		return o
	}
	o.task = future.NewTask(func(ctx context.Context) (int, error) { return l.body(ctx, o) })
	o.future = o.task.Future()
	return o
}

// meet returns when all clients have come, but does not wait long for one that the system has stopped.
func (o *futureObject) meet() {
	const patience = 50
	o.arrived.Add(1)
	for i := 0; i < patience && o.arrived.Load() < futureClients; i++ {
		runtime.Gosched()
	}
}

func (o *futureObject) call() int { return int(o.calls.Add(1)) }

func (l *futureLoad) act(c *client, o *futureObject) {
	switch k := c.rng.IntN(12); {
	case k < 4 && l.kind == Promise:
		l.complete(c, o)
	case k < 5 && l.kind == Promise:
		in := FutureInput{FutureFail, o.number, o.call()}
		do(c, in, func() FutureOutput { return FutureOutput{OK: o.promise.Fail(attempt(in.Call))} })
	case k < 5:
		l.runTask(c, o)
	case k < 6:
		cancel := o.future.Cancel
		if c.rng.IntN(2) == 0 {
			cancel = o.future.Stop
		}
		l.cancel(c, o, FutureCancel, cancel)
	case k < 7:
		call := o.call()
		l.cancelFor(c, o, call)
	case k < 9:
		l.get(c, o)
	case k < 11:
		l.poll(c, o)
	default:
		l.state(c, o)
	}
}

func (l *futureLoad) complete(c *client, o *futureObject) {
	in := FutureInput{FutureComplete, o.number, o.call()}
	do(c, in, func() FutureOutput { return FutureOutput{OK: o.promise.Complete(in.Call)} })
}

func (l *futureLoad) runTask(c *client, o *futureObject) {
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
func (l *futureLoad) body(ctx context.Context, o *futureObject) (int, error) {
	run := ctx.Value(runKey{}).(*futureRun)
	begin := l.stamp.Add(1)
	yield(run.yields)
	var err error
	if run.fails {
		err = attempt(run.call)
	}
	end := l.stamp.Add(1)
	note := func(op FutureOp, stamp int64, out FutureOutput) Note {
		return Note{
			Client: futureClients + run.client, Call: stamp, Return: stamp,
			Input: FutureInput{op, o.number, run.call}, Output: out,
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, note(FutureBegin, begin, FutureOutput{}), note(FutureEnd, end, FutureOutput{Failed: run.fails}))
	return run.call, err
}

// cancel is for those that give no reason, whose number is 0.
func (l *futureLoad) cancel(c *client, o *futureObject, op FutureOp, cancel func() bool) {
	do(c, FutureInput{Op: op, Object: o.number}, func() FutureOutput { return FutureOutput{OK: cancel()} })
}

func (l *futureLoad) cancelFor(c *client, o *futureObject, call int) {
	in := FutureInput{FutureCancelCause, o.number, call}
	do(c, in, func() FutureOutput { return FutureOutput{OK: o.future.CancelCause(attempt(call))} })
}

func (l *futureLoad) get(c *client, o *futureObject) {
	ctx := l.patience(c.rng.IntN(30))
	do(c, FutureInput{Op: FutureGet, Object: o.number}, func() FutureOutput {
		v, err := o.future.Get(ctx)
		if err == context.Canceled {
			return FutureOutput{}
		}
		return FutureOutput{Told: l.told(v, err)}
	})
}

func (l *futureLoad) poll(c *client, o *futureObject) {
	do(c, FutureInput{Op: FuturePoll, Object: o.number}, func() FutureOutput {
		if r, ok := o.future.Poll(); ok {
			return FutureOutput{Told: l.told(r.Value, r.Err)}
		}
		return FutureOutput{}
	})
}

func (l *futureLoad) state(c *client, o *futureObject) {
	do(c, FutureInput{Op: FutureState, Object: o.number}, func() FutureOutput {
		return FutureOutput{Told: o.future.State().String()}
	})
}

// told puts an outcome in the words of the model.
func (l *futureLoad) told(v int, err error) string {
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
			l.fault("a cancelled future has the value %d", v)
		}
		return cancelOf(number)
	case number == 0:
		l.fault("unexpected outcome: %v", err)
	}
	if v != 0 {
		return valueOf(v) + ", " + errorOf(number)
	}
	return errorOf(number)
}
