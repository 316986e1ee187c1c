package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// submit hands a task to the system, and writes down when.
func (p *player) submit(s step) error {
	verb, err := p.verb(s)
	if err != nil {
		return err
	}
	t := &subject{}
	p.tasks[s.id] = t
	before := p.now()
	h, err := verb(p.task(s.id, t, s.body))
	if t.refused = err != nil; t.refused {
		p.note(event{what: "refused", id: s.id, text: err.Error()})
		return nil
	}
	var first time.Duration
	if len(s.times) > 0 {
		first = s.times[0]
	}
	t.handle = h
	p.note(event{what: "asked", id: s.id, a: int64(before), b: int64(first)})
	return nil
}

// task returns what the system is to run.
func (p *player) task(id string, t *subject, b body) func() {
	return func() {
		n := t.begun.Add(1)
		p.note(event{what: "begin", id: id, a: n})
		b.run(int(n))
		p.note(event{what: "end", id: id, a: n})
		t.ended.Add(1)
	}
}

// ask asks a task.
func (p *player) ask(s step) error {
	t := p.tasks[s.id]
	switch {
	case s.verb == "cancel" && t.cancel != nil:
		p.note(event{what: "cancelled", id: s.id, a: int64(t.cancel())})
	case s.verb == "withdraw" && t.withdraw != nil:
		p.note(event{what: "withdrawn", id: s.id, a: int64(t.withdraw())})
	case s.verb == "get" && t.get != nil:
		p.note(event{what: "got", id: s.id, text: t.get(s.times[0])})
	default:
		return unable(lacks[s.verb])
	}
	return nil
}

// sweep cancels all tasks, and gives the system no time to think before it is asked what waits.
func (p *player) sweep() error {
	var all []func() answer
	for _, t := range p.tasks {
		if t.cancel == nil {
			return unable(lacks["cancel"])
		}
		all = append(all, t.cancel)
	}
	clear(p.tasks)
	for _, cancel := range all {
		cancel()
	}
	return p.command("count")
}

// command has the system as a whole do something.
func (p *player) command(verb string) error {
	switch f := p.f; {
	case verb == "count" && f.count != nil:
		p.note(event{what: "counted", a: int64(f.count())})
	case verb == "shutdown" && f.shutdown != nil:
		f.shutdown()
		p.note(event{what: "shutdown"})
	case verb == "now" && f.now != nil:
		f.now()
		p.note(event{what: "shutdown"})
	case (verb == "now" || verb == "handback") && f.handback != nil:
		p.note(event{what: "handed", a: int64(f.handback())})
	default:
		return unable(lacks[verb])
	}
	return nil
}

// crowd has as many submissions compete as it is told, of delayed tasks if there are any. One that
// still waits after a while, as a goroutine, counts as accepted.
func (p *player) crowd(n int) error {
	submit, err := p.verb(step{verb: "after", times: []time.Duration{300 * time.Millisecond}})
	if err != nil {
		if submit, err = p.verb(step{verb: "execute"}); err != nil {
			return err
		}
	}
	var refused atomic.Int64
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			id := fmt.Sprint("crowd-", i)
			if _, err := submit(p.task(id, &subject{}, body{})); err != nil {
				refused.Add(1)
			}
		})
	}
	close(begin)
	waitFor(200*time.Millisecond, all.Wait)
	p.note(event{what: "crowded", a: int64(n) - refused.Load()})
	return nil
}

// waitFor waits until f has returned, but not longer than that.
func waitFor(limit time.Duration, f func()) (returned bool) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	select {
	case <-over:
		return true
	case <-time.After(limit):
		return false
	}
}
