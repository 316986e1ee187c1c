package litmus_test

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

func (e *edgeTest) submission() {
	p, serial := e.pool, serial.New(e.pool)
	for _, submit := range []func(executor.Task) error{
		func(task executor.Task) error { return p.Execute(task) },
		func(task executor.Task) error { _, err := p.Submit(task); return err },
		func(task executor.Task) error { _, err := p.SubmitContext(e.Context(), task); return err },
		func(task executor.Task) error { return p.ExecuteAfter(time.Microsecond, task) },
		func(task executor.Task) error { _, err := p.Schedule(0, task); return err },
		func(task executor.Task) error {
			_, err := p.AtFixedRate(0, time.Hour, task, executor.MaxRuns(1))
			return err
		},
		func(task executor.Task) error { return serial.Execute(task) },
	} {
		x, seen := 0, make(chan int)
		x = 1
		e.ok(submit(func(context.Context) error { seen <- x; return nil }))
		e.is(1, <-seen)
	}
}

func (e *edgeTest) nextRun() {
	x := 0
	f, err := e.pool.AtFixedRate(0, time.Microsecond, func(context.Context) error {
		x++
		return nil
	}, executor.MaxRuns(4))
	e.ok(err)
	_, err = f.Get(e.Context())
	e.ok(err)
	e.is(4, x)
	attempts := 0
	again, err := e.pool.Submit(func(context.Context) error {
		if attempts++; attempts < 4 {
			return errors.New("again")
		}
		return nil
	}, executor.Retry(4, retry.Backoff{Base: time.Microsecond}))
	e.ok(err)
	_, err = again.Get(e.Context())
	e.ok(err)
	e.is(4, attempts)
}

func (e *edgeTest) nextOfSerial() {
	keyed := serial.NewKeyed[string](e.pool)
	for _, p := range []executor.Submitter{serial.New(e.pool), keyed.For("key")} {
		x := 0
		began := make(chan struct{})
		first, err := p.Submit(func(ctx context.Context) error {
			close(began)
			<-ctx.Done() // it is cancelled, and holds up the next until it returns
			e.pause()
			x++
			return nil
		})
		e.ok(err)
		<-began
		last := e.increments(p, &x)
		first.Cancel()
		_, err = last.Get(e.Context())
		e.ok(err)
		e.is(9, x)
	}
}

func (e *edgeTest) nextOfSingle() {
	for _, p := range []*executor.Pool{
		executor.NewPool(1, executor.Confined()), &executor.NewScheduledPool(1, executor.Confined()).Pool,
	} {
		x := 0
		_, err := e.increments(p, &x).Get(e.Context())
		e.ok(err)
		e.is(8, x)
		e.ok(p.Close())
	}
}

// increments submits eight tasks that increment x, and returns the future of the last.
func (e *edgeTest) increments(p executor.Submitter, x *int) (last *future.Future[struct{}]) {
	for range 8 {
		f, err := p.Submit(func(context.Context) error { *x++; return nil })
		e.ok(err)
		last = f
	}
	return last
}

func (e *edgeTest) outcome() {
	for _, wait := range []func(*future.Future[struct{}]){
		func(f *future.Future[struct{}]) { _, err := f.Get(context.Background()); e.ok(err) },
		func(f *future.Future[struct{}]) { _, err := f.GetTimeout(time.Hour); e.ok(err) },
		func(f *future.Future[struct{}]) { <-f.Done() },
		func(f *future.Future[struct{}]) { <-f.Stopped() },
		func(f *future.Future[struct{}]) {
			for _, ok := f.Poll(); !ok; _, ok = f.Poll() {
				e.pause()
			}
		},
		func(f *future.Future[struct{}]) {
			called := make(chan struct{})
			future.AfterSettled(f, func(future.Result[struct{}]) { close(called) })
			<-called
		},
	} {
		x := 0
		f, err := e.pool.Submit(func(context.Context) error { x = 1; return nil })
		e.ok(err)
		e.pause()
		wait(f)
		e.is(1, x)
	}
}
