package main

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/delayqueue"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// facility is one that is measured.
type facility struct {
	name  string
	start func(f func()) session
}

// session is a facility at work, all of whose timers call the same function.
type session struct {
	arm   func(d time.Duration) stopper
	close func()
}

type stopper interface{ Stop() bool }

// grain is the tick of the wheels: the lateness that the runtime's timers may have, too.
const grain = time.Millisecond

func facilities() []facility {
	c := timer.Config{Tick: grain}
	serial := timer.Config{Tick: grain, Executor: func(f func()) error { f(); return nil }}
	return []facility{
		{"`time.AfterFunc`", func(f func()) session { return scheduler(timer.Runtime(), f, nil) }},
		{"`delayqueue` (heap), one taker", heapQueue},
		{"`executor.ScheduledPool`, 2 workers", scheduledPool},
		{"`executor/eventloop`", eventLoop},
		{"`timer/hashedwheel`, 512 slots", func(f func()) session {
			w := hashedwheel.New(c)
			return scheduler(w, f, func() { w.Close() })
		}},
		{"the same, calling functions itself", func(f func()) session {
			w := hashedwheel.New(serial)
			return scheduler(w, f, func() { w.Close() })
		}},
		{"`timer/hierarchical`, 20 slots a level", func(f func()) session {
			w := hierarchical.New(c)
			return scheduler(w, f, func() { w.Close() })
		}},
		{"`timer/revolver`, 512 slots", func(f func()) session {
			w := revolver.New(c)
			return scheduler(w, f, func() { w.Close() })
		}},
		{"`timer.Timer` (java.util.Timer)", func(f func()) session {
			t := timer.New("measured")
			return scheduler(t, f, t.Cancel)
		}},
	}
}

func scheduler(s timer.Scheduler, f, end func()) session {
	if end == nil {
		end = func() {}
	}
	return session{func(d time.Duration) stopper { return s.AfterFunc(d, f) }, end}
}

func heapQueue(f func()) session {
	q := delayqueue.New[func()]()
	go func() {
		for {
			f, err := q.Take(context.Background())
			if err != nil {
				return
			}
			f()
		}
	}()
	return session{func(d time.Duration) stopper {
		item, err := q.Put(f, d)
		must(err)
		return (*removal)(item)
	}, q.Close}
}

// removal is an item of a delay queue as a stopper.
type removal delayqueue.Item[func()]

func (r *removal) Stop() bool { return (*delayqueue.Item[func()])(r).Remove() }

func scheduledPool(f func()) session {
	p := executor.NewScheduledPool(2)
	task := func(context.Context) error { f(); return nil }
	return session{func(d time.Duration) stopper {
		future, err := p.Schedule(d, task)
		must(err)
		return future
	}, func() { must(p.Close()) }}
}

func eventLoop(f func()) session {
	l := eventloop.New()
	task := func(context.Context) error { f(); return nil }
	return session{func(d time.Duration) stopper {
		future, err := l.Schedule(d, task)
		must(err)
		return future
	}, func() { must(l.Close()) }}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
