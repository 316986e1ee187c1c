package simulate

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/trust/watchdog"
)

// programTimeout is how long a program may take in real time.
const programTimeout = 2 * time.Minute

func simulatePrograms(t *testing.T, seed uint64, ops int) Report {
	// A mutex that is never free is no standstill of a bubble, so this is real time.
	timer := watchdog.Start(programTimeout, func() string {
		return fmt.Sprintf("simulate: the program of seed %d hangs", seed)
	})
	defer timer.Stop()
	return simulate(t, seed, ops, func(sim *simulation) {
		p := newProgram(sim)
		p.generator.open()
		p.drive()
	})
}

// drive runs batch after batch of tasks, and then closes the hosts.
func (p *program) drive() {
	over := make(chan struct{})
	hand := future.NewTask(func(ctx context.Context) (int, error) {
		p.player.handRunCtx = ctx
		over <- struct{}{}
		<-over
		return 0, nil
	})
	go hand.Run(context.Background())
	<-over
	for p.more() {
		if !p.batch() {
			break
		}
	}
	if p.oneIn(2) && p.report.Stuck == 0 {
		p.abruptEnd = true
		p.startCalls()
	}
	p.close()
	p.quiesce()
	for _, h := range p.hosts {
		p.judge.auditHost(h)
	}
	over <- struct{}{}
}

// batch runs some tasks, and reports whether all have come to their end.
func (p *program) batch() bool {
	p.startCalls()
	for range p.rng.IntN(4) {
		time.Sleep(p.steps(8))
		if p.resizable {
			p.resize(1 + p.rng.IntN(4))
		}
		p.probeContext()
		p.player.callHost(p.hosts[p.rng.IntN(4)], p.rng.IntN(100))
	}
	return p.quiesce()
}

// startCalls draws some calls and makes them.
func (p *program) startCalls() {
	for _, h := range p.hosts {
		h.uncertainWaits = 2*h.base.size - 1
		if p.resizable {
			h.uncertainWaits = 1
		}
	}
	p.generator.maxJobs = len(p.jobs) + 1 + p.rng.IntN(40)
	var calls []*call
	for range 1 + p.rng.IntN(4) {
		if c := p.generator.drawCall(nil); c != nil {
			calls = append(calls, c)
		}
	}
	for _, c := range calls {
		c.site = onDetached
		p.player.perform(c, scope{ctx: context.Background()})
		time.Sleep(p.steps(4))
	}
}

// quiesce waits until all tasks have ended, and audits them.
func (p *program) quiesce() bool {
	limit := p.now() + time.Hour
	for {
		synctest.Wait()
		p.mu.Lock()
		p.advanceLocked()
		quiet := p.player.detachedCalls == 0 && len(p.threads.goroutines) == 0 && p.heldUp == 0
		p.mu.Unlock()
		for _, h := range p.hosts {
			c := h.stats()
			quiet = quiet && c.busy+c.queued == 0
		}
		if quiet {
			break
		}
		if p.now() > limit {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.faultLocked(&p.report.Stuck, "%s", p.describeLocked())
			return false
		}
		time.Sleep(5 * grid)
	}
	p.mu.Lock()
	for _, h := range p.hosts {
		h.uncertain, h.maxSize = false, h.size
	}
	done := p.jobs[p.judge.audited:]
	p.judge.audited = len(p.jobs)
	p.mu.Unlock()
	for _, j := range done {
		p.judge.auditJob(j)
	}
	return true
}

// probeContext checks the context of some run, which has to end with the run and not earlier.
func (p *program) probeContext() {
	j := p.player.anyRun(p.rng.IntN(12))
	if j == nil {
		return
	}
	p.countOps(1)
	p.mu.Lock()
	now := p.advanceLocked()
	before, _ := j.runLive()
	over := j.ended && j.endedAt < now
	p.mu.Unlock()
	var err error
	switch p.rng.IntN(3) {
	case 0:
		err = j.ctx.Err()
	case 1:
		select {
		case <-j.ctx.Done():
			err = j.ctx.Err()
		default:
		}
	case 2:
		derived, cancel := context.WithCancel(j.ctx)
		err = derived.Err()
		cancel()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advanceLocked()
	after, _ := j.runLive()
	switch {
	case before && after && err != nil:
		p.faultLocked(&p.report.Early, "the context of task %v has ended during its run: %v", j,
			errorText(err))
	case over && err == nil && p.exact() && !p.callbacks.slow:
		p.faultLocked(&p.report.Lost, "the context of task %v, ended at %v, has not", j, j.endedAt)
	}
}

// describeLocked says what waits for what; the lock is held.
func (p *program) describeLocked() string {
	text := fmt.Sprintf("no end: %d functions, %d threads;", p.player.detachedCalls,
		len(p.threads.goroutines))
	for _, g := range p.threads.goroutines {
		text += fmt.Sprintf(" thread %x: %+v, submits %v;", g.id&0xffffff, g.frames, g.submits)
	}
	for _, w := range p.judge.waits {
		text += " " + w.call.String() + ";"
	}
	for _, j := range p.threads.started {
		if j.inBody {
			text += " " + j.String() + " runs;"
		}
	}
	for _, h := range p.hosts {
		text += fmt.Sprintf(" %s has %d active of %d, %+v;", h.name, h.active, h.size, h.stats())
	}
	return text
}

// close ends the hosts.
func (p *program) close() {
	for _, h := range p.hosts {
		if h.base == h {
			p.player.closeHost(h)
		}
	}
}

// resize changes the size of the first pool.
func (p *program) resize(n int) {
	h := p.hosts[0]
	p.mu.Lock()
	p.advanceLocked()
	smaller := n < h.core
	if smaller {
		h.core, h.size = n, n
	}
	h.maxSize = max(h.maxSize, n)
	p.mu.Unlock()
	err := h.pool.SetCoreSize(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advanceLocked()
	h.core, h.size = n, n
	if err != nil {
		p.faultLocked(&p.report.Lost, "core size %d: %v", n, err)
	}
}
