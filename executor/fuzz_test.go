package executor_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

// FuzzOptions reads options of a pool and of a task from bytes. Either the constructor panics with
// a text of its own, or it makes a pool; either the submission is refused with a typed error, or
// the task runs at its times and ends; and the pool closes, with nobody left. Which of it is to
// happen the decoder notes as it goes.
func FuzzOptions(f *testing.F) {
	const two = 6 // as a size
	for kind := range byte(poolOptions) {
		for _, n := range [][]byte{{0, 0}, {1, 1}, {two, 3}, {3, 4}, {0xFF, 0xFF}, {0x80, 5}, {7, two}} {
			f.Add([]byte{0, two, 1, kind, n[0], n[1], 0, 1, 1, 0, 0})
			f.Add([]byte{1, two, 2, kind, n[0], 10, n[1], 2, 5, 0, 0, two, 0})
		}
	}
	for kind := range byte(taskOptions) {
		for _, n := range []byte{0, 1, 2, two, 0x80, 0x82, 0x84, 0xFF} {
			for form := range byte(forms) {
				f.Add([]byte{1, two, 0, form, n, 1, kind, n, two, 15, 0, 0, two, two})
			}
		}
	}
	f.Add([]byte{0, two, 4, 1, two, 8, 7, two, 7, 4, 2, 1, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 200 {
			t.Skip("long enough")
		}
		synctest.Test(t, func(t *testing.T) {
			o := &optioned{t: t, data: data, epoch: time.Now()}
			if p := o.pool(); p != nil {
				o.submit(p)
				o.end(p)
			}
		})
	})
}

// optioned is one input, and what it leads to.
type optioned struct {
	t     *testing.T
	data  []byte
	epoch time.Time

	// Of the pool.
	badPool   bool // the constructor is to panic
	scheduled bool
	core, max int
	keepAlive time.Duration
	timesOut  bool
	badQueue  bool
	hasQueue  bool
	before    [5]bool // how hooks before a run end
	handler   [5]bool // and error handlers
	noTask    bool    // a decorator gives none

	// Of the task.
	badTask bool
	failure error // what its runs end with
	jitter  time.Duration
	maxRuns int
	goesOn  bool
	starts  []time.Duration
}

// next returns the next byte, or 0 when there are no more.
func (o *optioned) next() byte {
	if len(o.data) == 0 {
		return 0
	}
	b := o.data[0]
	o.data = o.data[1:]
	return b
}

// number returns a small number, or one at the ends, or any.
func (o *optioned) number() int64 {
	switch b := o.next(); {
	case b < 0x80:
		return int64(b) - 4
	case b < 0x90:
		return []int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1, 1 << 62, 1 << 32, 1 << 31, -1}[b%8]
	case b < 0xA0:
		var n [8]byte
		for i := range n {
			n[i] = o.next()
		}
		return int64(binary.BigEndian.Uint64(n[:]))
	default:
		return int64(b) << (b % 48)
	}
}

func (o *optioned) size() int { return int(min(max(o.number(), math.MinInt), math.MaxInt)) }

// task is a body that ends as the input says, and notes when it began.
func (o *optioned) task() executor.Task {
	kind := o.next() % 4
	o.failure = []error{nil, errWanted, &future.PanicError{}, future.ErrGoexit}[kind]
	return func(context.Context) error {
		o.starts = append(o.starts, time.Since(o.epoch))
		return misbehave(kind)
	}
}

var errWanted = errors.New("wanted")

// misbehave ends in one of the four ways in which a function can.
func misbehave(kind byte) error {
	switch kind % 4 {
	case 1:
		return errWanted
	case 2:
		panic("wanted")
	case 3:
		runtime.Goexit()
	}
	return nil
}

// anyPool is what both kinds of pool have.
type anyPool interface {
	executor.Submitter
	Execute(executor.Task, ...executor.TaskOption) error
	Submit(executor.Task, ...executor.TaskOption) (*future.Future[struct{}], error)
	Close() error
	Stats() executor.Stats
	SetCoreSize(int) error
	SetMaximumSize(int) error
	SetKeepAlive(time.Duration) error
	SetCoreTimeout(bool) error
}

// pool makes a pool, or returns nil if that is to fail, and has.
func (o *optioned) pool() (p anyPool) {
	o.scheduled = o.next()%2 == 1
	o.core, o.keepAlive = o.size(), 10*time.Millisecond
	o.badPool = o.core < 0
	defer func() {
		v := recover()
		text, ok := v.(string)
		if v != nil && !(ok && strings.HasPrefix(text, "executor: ")) {
			panic(v)
		}
		bad := o.badPool || o.badQueue || o.scheduled && o.hasQueue || o.max > 0 && o.core > o.max || o.timesOut && o.keepAlive == 0
		require.Equal(o.t, bad, v != nil, "%v", v)
	}()
	opts := []executor.Option{executor.Logger(slog.New(slog.DiscardHandler))}
	for range o.next() % 8 {
		opts = append(opts, o.poolOption())
	}
	if o.scheduled {
		return executor.NewScheduledPool(o.core, opts...)
	}
	return executor.NewPool(o.core, opts...)
}

const poolOptions = 15

// poolOption returns an option, or panics as its constructor does, which is noted as to happen
// before.
func (o *optioned) poolOption() executor.Option {
	bad := func(is bool) {
		o.badPool = o.badPool || is
	}
	switch o.next() % poolOptions {
	case 0:
		return executor.Name(string(o.data[:len(o.data)/2]))
	case 1:
		n := o.size()
		bad(n < 1)
		o.max = n
		return executor.MaximumSize(n)
	case 2:
		return executor.GrowFirst()
	case 3:
		o.keepAlive = time.Duration(o.number())
		bad(o.keepAlive < 0)
		return executor.KeepAlive(o.keepAlive)
	case 4:
		o.timesOut = true
		return executor.CoreTimeout()
	case 5:
		n := o.size()
		bad(n < 1)
		return executor.PendingLimit(n)
	case 6:
		return executor.BaseContext(o.base(bad))
	case 7:
		return executor.OnRejection(o.policy(bad))
	case 8:
		return o.queue(bad)
	case 9:
		kind := o.next() % 5
		if o.handler[kind] = true; kind == 4 {
			return executor.ErrorHandler(nil)
		}
		return executor.ErrorHandler(func(context.Context, executor.Run, error) { _ = misbehave(kind) })
	case 10:
		kind := o.next() % 5
		if o.before[kind] = true; kind == 4 {
			return executor.BeforeRun(nil)
		}
		return executor.BeforeRun(func(context.Context, executor.Run) { _ = misbehave(kind) })
	case 11:
		kind := o.next() % 5
		if kind == 4 {
			return executor.AfterRun(nil)
		}
		return executor.AfterRun(func(context.Context, executor.Run, error) { _ = misbehave(kind) })
	case 12:
		kind := o.next() % 5
		if kind == 4 {
			return executor.AfterTermination(nil)
		}
		return executor.AfterTermination(func() { _ = misbehave(kind) })
	case 13:
		return o.decorator()
	default:
		bad(true)
		return nil
	}
}

func (o *optioned) base(bad func(bool)) context.Context {
	switch o.next() % 3 {
	case 0:
		bad(true)
		return nil
	case 1:
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errWanted)
		return ctx
	default:
		return context.Background()
	}
}

func (o *optioned) policy(bad func(bool)) rejection.Policy {
	policies := []rejection.Policy{
		rejection.Abort, rejection.CallerRuns, rejection.Discard, rejection.DiscardOldest, rejection.Block,
		func(r *rejection.Task) error { return r.Retry() },
		func(*rejection.Task) error { return nil },
		nil,
	}
	policy := policies[int(o.next())%len(policies)]
	bad(policy == nil)
	return policy
}

// queue returns a queue. What one of the user's own is made of, the pool finds out: the last
// counts.
func (o *optioned) queue(bad func(bool)) executor.Option {
	kind := o.next() % 8
	o.hasQueue = true
	o.badQueue = kind == 4 || kind == 6
	switch kind {
	case 0:
		return executor.Queue(queue.FIFO())
	case 1:
		return executor.Queue(queue.HandOff())
	case 2:
		return executor.Queue(queue.Priority())
	case 3:
		return executor.Queue(queue.Custom(queue.Priority().New))
	case 4:
		o.badPool = true // at once, whatever queue follows
		return executor.Queue(queue.Queue{})
	case 5:
		bad(true)
		return executor.Queue(queue.Custom(nil))
	case 6:
		return executor.Queue(queue.Custom(func() queue.WorkQueue { return nil }))
	default:
		n := o.size()
		bad(n < 0)
		return executor.Queue(queue.Bounded(n))
	}
}

func (o *optioned) decorator() executor.Option {
	kind := o.next() % 3
	o.noTask = o.noTask || kind == 1
	switch kind {
	case 0:
		return executor.Decorate(nil)
	case 1:
		return executor.Decorate(func(executor.Task) executor.Task { return nil })
	default:
		return executor.Decorate(func(task executor.Task) executor.Task { return task })
	}
}

const taskOptions = 10

// taskOption returns an option, and notes what it means, or that it is bad.
func (o *optioned) taskOption() executor.TaskOption {
	bad := func(is bool) {
		o.badTask = o.badTask || is
	}
	switch o.next() % taskOptions {
	case 0:
		return executor.Name(string(o.data))
	case 1:
		d := time.Duration(o.number())
		bad(d <= 0)
		return executor.Timeout(d)
	case 2:
		p := o.next()
		bad(p > byte(executor.Coalesce))
		return executor.CatchUp(executor.CatchUpPolicy(p))
	case 3:
		p := o.next()
		bad(p > byte(executor.Continue))
		o.goesOn = p == byte(executor.Continue)
		return executor.FailurePolicy(executor.ErrorPolicy(p))
	case 4:
		d := time.Duration(o.number())
		bad(d < 0)
		o.jitter = max(d, 0)
		return executor.Jitter(d)
	case 5, 6:
		n := o.size()
		bad(n < 1)
		o.maxRuns = n
		return executor.MaxRuns(n)
	case 7:
		return executor.Priority(o.size())
	case 8:
		return executor.CatchUp(executor.Skip)
	default:
		bad(true)
		return nil
	}
}

const (
	forms = 7 // of submission
	// lifetime is less than what the clock of a bubble has left.
	lifetime = 100 * 365 * 24 * time.Hour
)

// submit gives the pool one task, and demands that it runs as it should.
func (o *optioned) submit(p anyPool) {
	form, task := o.next()%forms, o.task()
	opts := []executor.TaskOption{}
	if form > 0 {
		for range o.next() % 8 {
			opts = append(opts, o.taskOption())
		}
	}
	plan := o.plan(p, form, task, opts)
	f, err := plan.submit()
	switch {
	case o.badTask || plan.bad:
		require.ErrorIs(o.t, err, executor.ErrInvalid)
	case o.noTask:
		require.ErrorIs(o.t, err, executor.ErrNilTask)
	default:
		require.NoError(o.t, err, "there is room for one")
		o.follow(plan, f)
	}
}

// planned is a submission, and when the runs are to be.
type planned struct {
	submit       func() (*future.Future[struct{}], error)
	bad          bool // for its own arguments
	first, every time.Duration
}

func (o *optioned) plan(p anyPool, form byte, task executor.Task, opts []executor.TaskOption) planned {
	s, scheduled := p.(*executor.ScheduledPool)
	if form == 0 {
		return planned{submit: func() (*future.Future[struct{}], error) { return nil, p.Execute(task) }}
	}
	if form == 1 || !scheduled {
		o.jitter = 0
		return planned{submit: func() (*future.Future[struct{}], error) { return p.Submit(task, opts...) }}
	}
	first := time.Duration(o.number())
	plan := planned{first: max(first, 0)}
	once := func(f *executor.ScheduledFuture[struct{}], err error) (*future.Future[struct{}], error) {
		if err != nil {
			return nil, err
		}
		return f.Future, nil
	}
	if form <= 3 {
		plan.submit = func() (*future.Future[struct{}], error) {
			if form == 3 {
				return once(s.ScheduleAt(time.Now().Add(plan.first), task, opts...))
			}
			return once(s.Schedule(first, task, opts...))
		}
		return plan
	}
	plan.every = time.Duration(o.number())
	plan.bad = plan.every <= 0 || form != 5 && o.jitter > plan.every
	if form == 6 {
		plan.first = max(plan.every, 0)
	}
	plan.submit = func() (*future.Future[struct{}], error) {
		if form == 4 {
			return once(s.AtFixedRate(first, plan.every, task, opts...))
		}
		if form == 6 {
			return once(s.Every(plan.every, task, opts...))
		}
		return once(s.WithFixedDelay(first, plan.every, task, opts...))
	}
	return plan
}

// follow lets time pass for a few runs, if they are not too far away, and compares them with the
// plan.
func (o *optioned) follow(plan planned, f *future.Future[struct{}]) {
	const most = 4
	want := []time.Duration{}
	last, over := plan.first, false
	for ; len(want) < most && last <= lifetime && !over; last += plan.every {
		want = append(want, last)
		fails := o.failure != nil
		over = plan.every == 0 || fails && !o.goesOn || o.maxRuns == len(want) || plan.every > lifetime
	}
	if len(want) == 0 {
		return
	}
	if o.jitter > 0 {
		o.followLoosely(want[0], plan)
		return
	}
	time.Sleep(want[len(want)-1] - time.Since(o.epoch))
	synctest.Wait()
	assert.Equal(o.t, fmt.Sprint(want), fmt.Sprint(o.starts))
	if f != nil && plan.every == 0 {
		_, settled := f.Poll()
		assert.True(o.t, settled)
	}
}

// followLoosely is for runs that are disturbed: the first comes in its time, and no other within a
// period.
func (o *optioned) followLoosely(first time.Duration, plan planned) {
	if o.jitter > lifetime-first {
		return
	}
	time.Sleep(first + o.jitter - time.Since(o.epoch))
	synctest.Wait()
	require.NotEmpty(o.t, o.starts)
	assert.GreaterOrEqual(o.t, o.starts[0], first)
	assert.Less(o.t, o.starts[0], first+o.jitter)
	if plan.every == 0 {
		assert.Len(o.t, o.starts, 1)
	}
}

// end changes the sizes once more, closes the pool, and looks at what it leaves.
func (o *optioned) end(p anyPool) {
	for _, err := range []error{
		p.SetKeepAlive(time.Duration(o.number())), p.SetCoreTimeout(o.next()%2 == 1),
		p.SetMaximumSize(o.size()), p.SetCoreSize(o.size()),
	} {
		if err != nil {
			require.ErrorIs(o.t, err, executor.ErrInvalid)
		}
	}
	require.NoError(o.t, p.Close())
	s := p.Stats()
	assert.Equal(o.t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	assert.Equal(o.t, "terminated", s.State)
	assert.Zero(o.t, s.Workers+s.Busy+s.Queued)
	err := p.Execute(func(context.Context) error { return nil })
	if o.noTask {
		require.ErrorIs(o.t, err, executor.ErrNilTask)
	} else {
		require.ErrorIs(o.t, err, executor.ErrShutdown)
	}
}
