package litmus_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

// begun submits a task and waits until its body runs.
func (e *edgeTest) begun(body executor.Task, opts ...executor.TaskOption) *future.Future[struct{}] {
	began := make(chan struct{})
	f, err := e.pool.Submit(func(ctx context.Context) error {
		close(began)
		return body(ctx)
	}, opts...)
	e.ok(err)
	<-began
	return f
}

func (e *edgeTest) cancelled() {
	x, seen := 0, make(chan int)
	f := e.begun(func(ctx context.Context) error {
		<-ctx.Done()
		seen <- x
		return nil
	})
	x = 1
	f.Cancel()
	e.is(1, <-seen)
	y := 0
	asking := e.begun(func(ctx context.Context) error {
		for ctx.Err() == nil {
			time.Sleep(0)
		}
		seen <- y
		return nil
	})
	y = 1
	asking.Cancel()
	e.is(1, <-seen)
}

func (e *edgeTest) cancelShown() {
	for _, cancel := range []func(*future.Future[struct{}]) bool{
		(*future.Future[struct{}]).Cancel, (*future.Future[struct{}]).Stop,
	} {
		x, seen := 0, make(chan int)
		f, err := e.pool.Schedule(time.Hour, func(context.Context) error { return nil })
		e.ok(err)
		go func() {
			_, err := f.Get(context.Background())
			if !errors.Is(err, future.ErrCancelled) {
				e.Error(err)
			}
			seen <- x
		}()
		e.pause()
		x = 1
		cancel(f.Future)
		e.is(1, <-seen)
	}
}

func (e *edgeTest) stopped() {
	x := 0
	f := e.begun(func(ctx context.Context) error {
		<-ctx.Done()
		e.pause()
		x = 1
		return nil
	})
	f.Cancel()
	<-f.Stopped()
	e.is(1, x)
}

func (e *edgeTest) terminated() {
	for _, wait := range []func(*executor.Pool){
		func(p *executor.Pool) { e.ok(p.Close()) },
		func(p *executor.Pool) { p.Shutdown(); e.ok(p.AwaitTermination(e.Context())) },
		func(p *executor.Pool) { p.ShutdownNow(); <-p.Terminated() },
	} {
		var bodies, hooks [4]int // by the numbers that are the names of the tasks
		p := executor.NewPool(3, executor.Queue(queue.Bounded(0)), executor.OnRejection(rejection.CallerRuns),
			executor.AfterRun(func(_ context.Context, r executor.Run, _ error) {
				e.pause()
				hooks[r.Name[0]-'0'] = 1
			}))
		var begun sync.WaitGroup
		start := func(name string, opts ...executor.TaskOption) *future.Future[struct{}] {
			begun.Add(1)
			f, err := p.Submit(func(ctx context.Context) error {
				begun.Done()
				<-ctx.Done()
				e.pause()
				bodies[name[0]-'0'] = 1
				return nil
			}, append(opts, executor.Name(name))...)
			e.ok(err)
			return f
		}
		cancelled := start("0")
		start("1", executor.Timeout(time.Microsecond))
		stopped := start("2", executor.Timeout(time.Millisecond))
		begun.Add(1)
		go func() { // the caller runs it: there is no worker left, unless one is free again
			_, err := p.Submit(func(context.Context) error {
				begun.Done()
				time.Sleep(time.Microsecond)
				bodies[3] = 1
				return nil
			}, executor.Name("3"))
			e.ok(err)
		}()
		begun.Wait()
		cancelled.Cancel()
		stopped.Stop()
		wait(p)
		e.is(4, bodies[0]+bodies[1]+bodies[2]+bodies[3])
		e.is(4, hooks[0]+hooks[1]+hooks[2]+hooks[3])
	}
}

func (e *edgeTest) afterShutdown() {
	p := executor.NewPool(1)
	x, seen := 0, make(chan int)
	p.AfterShutdown(func() { seen <- x })
	x = 1
	p.Shutdown()
	e.is(1, <-seen)
}
