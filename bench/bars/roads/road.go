package main

import (
	"context"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// A road is a call, and what makes the pool that it is made on. Walk passes it to record once.
type road struct {
	name string
	walk func(record func(call func()))
}

var roads = []road{
	{"Execute", execute},
	{"Submit", submit},
	{"Schedule", schedule},
	{"Cancel", cancel},
	{"AtFixedRate", atFixedRate},
	{"run", run},
	{"ShutdownNow", shutdownNow},
}

func nop(context.Context) error { return nil }

func execute(record func(call func())) {
	p, free := busy()
	defer free()
	must(p.Execute(nop))
	record(func() { must(p.Execute(nop)) })
}

func submit(record func(call func())) {
	p, free := busy()
	defer free()
	call := func() {
		_, err := p.Submit(nop)
		must(err)
	}
	call()
	record(call)
}

func schedule(record func(call func())) {
	p := asleep()
	defer p.ShutdownNow()
	record(func() { later(p) })
}

func cancel(record func(call func())) {
	p := asleep()
	defer p.ShutdownNow()
	later(p).Cancel()
	f := later(p)
	record(func() { f.Cancel() })
}

func atFixedRate(record func(call func())) {
	p := asleep()
	defer p.ShutdownNow()
	call := func() {
		_, err := p.AtFixedRate(2*time.Hour, time.Hour, nop)
		must(err)
	}
	call()
	record(call)
}

// run records one run of a plain series on the worker that leads: that wakes up, takes the task,
// runs it, queues its next run, and parks again.
func run(record func(call func())) {
	p := executor.NewScheduledPool(1)
	defer p.ShutdownNow()
	const period = 4 * settling // the second run comes when the counters are clear
	runs := make(chan struct{}, 100)
	_, err := p.AtFixedRate(0, period, func(context.Context) error {
		runs <- struct{}{}
		return nil
	})
	must(err)
	<-runs
	<-runs
	record(func() {
		<-runs
		time.Sleep(settling)
	})
}

func shutdownNow(record func(call func())) {
	p := asleep()
	later(p)
	_, err := p.AtFixedRate(2*time.Hour, time.Hour, nop)
	must(err)
	record(func() {
		p.ShutdownNow()
		<-p.Terminated()
	})
}

// busy returns a pool of one worker, which runs a task until free is called.
func busy() (p *executor.ScheduledPool, free func()) {
	p = executor.NewScheduledPool(1)
	begun, over := make(chan struct{}), make(chan struct{})
	must(p.Execute(func(context.Context) error {
		close(begun)
		<-over
		return nil
	}))
	<-begun
	return p, func() {
		close(over)
		must(p.Close())
	}
}

// asleep returns a pool with a worker that sleeps until its task is due, in an hour. There are tasks
// in all shards, so that the next is behind another one wherever it comes: a pool keeps to a shard
// until the memory is collected.
func asleep() *executor.ScheduledPool {
	p := executor.NewScheduledPool(2)
	_, err := p.Schedule(time.Hour, nop)
	must(err)
	for range shards {
		later(p)
		runtime.GC()
		runtime.GC()
	}
	return p
}

// shards is the most that a pool has.
const shards = 64

// later schedules a task behind the one for which the worker sleeps.
func later(p *executor.ScheduledPool) *executor.ScheduledFuture[struct{}] {
	f, err := p.Schedule(2*time.Hour, nop)
	must(err)
	return f
}
