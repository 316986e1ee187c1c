package faults

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// fleet is the workers of a campaign. Whenever one ends another is born, so there are always as
// many.
type fleet struct {
	*nodes
	series *commander

	all sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	live   []*member
	born   int
	over   bool // none is born any more
}

// member is a worker process, and its ways to the servers.
type member struct {
	*process
	wires  []*wire
	harmed bool        // by one fault at a time
	asked  atomic.Bool // to end
}

func (f *fleet) bear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return
	}
	f.born++
	m := &member{}
	var urls []string
	for _, c := range f.configs {
		w := layWire(f.t, c.Port)
		m.wires = append(m.wires, w)
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", w.port()))
	}
	c := workerConfig{Name: fmt.Sprint("W", f.born), URL: strings.Join(urls, ","), Dir: f.dir,
		Workers: 1 + f.random.IntN(16), Lease: theLease, Tasks: []string{"work", "tick", "bomb", "push"},
		Calendars: calendars, Grace: upTo(f.random, 0, 3*time.Second)}
	if f.random.IntN(2) == 0 { // otherwise it is of the first release
		c.Generation = f.series.generation.Load()
	}
	m.process = startProcess(f.t, c.Name, asWorker, c, f.journal)
	f.live = append(f.live, m)
	f.all.Go(func() { f.attend(m) })
}

// attend has another worker born when one has ended, however that was.
func (f *fleet) attend(m *member) {
	<-m.ended
	code := m.cmd.ProcessState.ExitCode()
	if code > 0 && code != exitAsTold && !m.asked.Load() { // it may be asked before it has joined
		f.journal.write(event{Kind: "failed", Text: m.name + ": " + m.output.String()})
	}
	if code != 0 || !m.asked.Load() {
		m.kill() // which tells that it is dead
	}
	f.mu.Lock()
	for i, other := range f.live {
		if other == m {
			f.live = append(f.live[:i], f.live[i+1:]...)
			break
		}
	}
	f.mu.Unlock()
	f.bear()
}

// draw returns a worker that no fault harms, nil if most are harmed.
func (f *fleet) draw() *member {
	f.mu.Lock()
	defer f.mu.Unlock()
	var sound []*member
	for _, m := range f.live {
		if !m.harmed {
			sound = append(sound, m)
		}
	}
	if len(sound) <= len(f.live)/2 {
		return nil
	}
	m := sound[f.random.IntN(len(sound))]
	m.harmed = true
	return m
}

// workerFaults are what may happen to a worker. Each returns when it is over.
var workerFaults = map[string]func(m *member, d time.Duration){
	"worker killed": func(m *member, _ time.Duration) { m.kill() },
	"worker stopped": func(m *member, d time.Duration) {
		m.stop()
		time.Sleep(d)
		m.cont()
	},
	"worker cut off": func(m *member, d time.Duration) {
		for _, w := range m.wires {
			w.hold()
		}
		time.Sleep(d)
		for _, w := range m.wires {
			w.mend()
		}
	},
	"worker drained": func(m *member, _ time.Duration) {
		m.asked.Store(true)
		m.interrupt()
		<-m.ended
	},
}

// harm has a fault happen to a worker.
func (f *fleet) harm(kind string, d time.Duration) {
	m := f.draw()
	if m == nil {
		return
	}
	f.journal.write(event{Kind: "fault", Who: m.name, Text: kind})
	workerFaults[kind](m, d)
	f.journal.write(event{Kind: "mended", Who: m.name, Text: kind})
	f.mu.Lock()
	defer f.mu.Unlock()
	m.harmed = false
}

// close has none born any more, and returns those that live.
func (f *fleet) close() []*member {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	return append([]*member(nil), f.live...)
}

// end ends all workers in order.
func (f *fleet) end() {
	for _, m := range f.close() {
		m.asked.Store(true)
		m.interrupt()
	}
	f.all.Wait()
}
