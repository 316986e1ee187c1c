package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	holder   = "hold-"         // begins the ids of tasks that occupy workers
	patience = 5 * time.Second // with a task that should run
)

// player plays a program on a system in this process.
type player struct {
	*pen
	open    func(workers, bound int) (facility, error)
	f       facility
	workers int
	gate    chan struct{} // closed by release
	tasks   map[string]*subject

	impatient bool // as something did not run within the time: what else does not is no news
}

// subject is a task of the program.
type subject struct {
	handle
	refused      bool
	begun, ended atomic.Int64
}

// unable says what a system has not.
type unable string

func (u unable) Error() string { return string(u) }

// play plays a program. forward gets each event at once; it may be nil.
func play(steps []step, s system, forward func(event)) journal {
	p := &player{
		pen: newPen(forward), open: s.open,
		gate: make(chan struct{}), tasks: map[string]*subject{},
	}
	for _, s := range steps {
		if err := p.step(s); err != nil && !s.optional {
			p.note(event{what: "unable", text: err.Error()})
			break
		}
	}
	p.note(event{what: "done"})
	p.release()
	if p.f.close != nil {
		p.f.close()
	}
	return p.journal()
}

func (p *player) step(s step) error {
	switch s.verb {
	case "open":
		return p.begin(s)
	case "execute", "soon", "after", "rate", "delay":
		return p.submit(s)
	case "cancel", "withdraw", "get":
		return p.ask(s)
	case "count", "shutdown", "now", "handback":
		return p.command(s.verb)
	case "sweep":
		return p.sweep()
	case "hold":
		return p.hold()
	case "release":
		p.release()
	case "sleep":
		time.Sleep(s.times[0])
	case "until":
		return p.until(s.id, int64(s.counts[0]))
	case "crowd":
		return p.crowd(s.counts[0])
	case "race":
		return p.race(s.counts[0])
	case "handover":
		return p.handover(s.counts[0])
	}
	return nil
}

func (p *player) begin(s step) (err error) {
	bound := 0
	if len(s.counts) > 1 {
		bound = s.counts[1]
	}
	p.workers = s.counts[0]
	p.f, err = p.open(p.workers, bound)
	return err
}

// hold occupies the workers, and returns when it has.
func (p *player) hold() error {
	var all sync.WaitGroup
	all.Add(p.workers)
	for i := range p.workers {
		verb, err := p.verb(step{verb: "soon"})
		if err != nil {
			return err
		}
		if _, err := verb(func() { all.Done(); <-p.gate }); err != nil {
			p.note(event{what: "refused", id: fmt.Sprint(holder, i), text: err.Error()})
		}
	}
	all.Wait()
	return nil
}

func (p *player) release() {
	select {
	case <-p.gate:
	default:
		close(p.gate)
	}
}

func (p *player) until(id string, runs int64) error {
	if p.tasks[id] == nil {
		return unable("no " + id)
	}
	if p.tasks[id].refused {
		return nil
	}
	end := time.Now().Add(patience)
	if p.impatient {
		end = time.Now()
	}
	for ; p.tasks[id].ended.Load() < runs; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			p.impatient = true
			p.note(event{what: "missed", id: id})
			break
		}
	}
	return nil
}

// verb returns the submission that a step asks for.
func (p *player) verb(s step) (func(task func()) (handle, error), error) {
	f := p.f
	switch {
	case (s.verb == "execute" || s.verb == "soon") && f.execute != nil:
		return f.execute, nil
	case s.verb == "soon" && f.after != nil:
		return func(t func()) (handle, error) { return f.after(0, t) }, nil
	case s.verb == "soon":
		return nil, unable(lacks["execute"])
	case s.verb == "after" && f.after != nil:
		return func(t func()) (handle, error) { return f.after(s.times[0], t) }, nil
	case s.verb == "rate" && f.rate != nil:
		return func(t func()) (handle, error) { return f.rate(s.times[0], s.times[1], t) }, nil
	case s.verb == "delay" && f.delay != nil:
		return func(t func()) (handle, error) { return f.delay(s.times[0], s.times[1], t) }, nil
	}
	return nil, unable(lacks[s.verb])
}
