package litmus_test

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

func (e *edgeTest) command() {
	x, seen := 0, make(chan int)
	look := func(context.Context) error { seen <- x; return nil }
	series, err := e.pool.AtFixedRate(time.Hour, time.Hour, look)
	e.ok(err)
	once, err := e.pool.Schedule(time.Hour, look)
	e.ok(err)
	paused := make(chan struct{})
	pausing, err := e.pool.AtFixedRate(0, time.Microsecond, func(ctx context.Context) error {
		if run, _ := executor.RunFrom(ctx); run.Number > 1 {
			return look(ctx)
		}
		h, _ := executor.HandleFrom(ctx)
		h.Pause()
		close(paused)
		return nil
	}, executor.MaxRuns(2))
	e.ok(err)
	<-paused
	for _, command := range []func() bool{
		series.Trigger,
		func() bool { return once.Reset(0) },
		pausing.Resume,
		e.pool.Resume,
	} {
		if x == 3 {
			e.pool.Pause()
			e.ok(e.pool.Execute(look))
		}
		e.pause()
		x++
		if !command() {
			e.Error("a command was of no use")
		}
		e.is(x, <-seen)
	}
	series.Cancel()
}

func (e *edgeTest) group() {
	var x [2]int
	began := make(chan struct{})
	g := bulk.NewGroup(e.Context(), e.pool)
	e.ok(g.Go(func(ctx context.Context) error {
		close(began)
		<-ctx.Done() // the other fails, and ends the group
		e.pause()
		x[0] = 1
		return nil
	}))
	e.ok(g.Go(func(context.Context) error {
		<-began
		x[1] = 1
		return errors.New("enough")
	}))
	if g.Wait() == nil {
		e.Error("the group has not failed")
	}
	e.is(2, x[0]+x[1])
	var y [3]int
	_, err := bulk.Map(e.Context(), e.pool, []int{0, 1, 2},
		func(_ context.Context, i int) (int, error) { y[i] = 1; return i, nil })
	e.ok(err)
	e.is(3, y[0]+y[1]+y[2])
}

func (e *edgeTest) unique() {
	x := 0
	e.names++
	backup := []executor.TaskOption{executor.Unique(), executor.Name(strconv.Itoa(e.names))}
	f := e.begun(func(ctx context.Context) error {
		<-ctx.Done()
		x = 1
		return nil
	}, backup...)
	f.Cancel()
	var err error
	for next := true; next; next = errors.Is(err, executor.ErrDuplicate) {
		_, err = e.pool.Submit(func(context.Context) error { return nil }, backup...)
		e.pause()
	}
	e.ok(err)
	e.is(1, x)
}
