package simulate

import (
	"context"
	"fmt"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/trust/watchdog"
)

// program simulates tasks that submit other tasks and wait for them: by every method, with contexts
// of all origins, and from every call site. It never hangs by a fault of its own: a wait that no
// executor can see is limited; see limitUnsafe.
//
// What is common to its parts is here: the hosts and the jobs. The generator draws calls, the player
// makes them, the threads are the model of who runs what, and the judge checks it.
//
// The invariants: no more bodies are active (they run and do not wait) than the size of the host;
// every wait ends, and in time; ErrSelfWait is returned exactly when a task waits for itself, and
// at once; and the context of a run ends with the run.
type program struct {
	*simulation
	generator *generator
	player    *player
	judge     *judge
	threads   *threads
	callbacks *callbacks

	hosts       []*host
	resizable   bool
	queuePanics bool // the queue panics
	abruptEnd   bool // the hosts are ended while tasks run

	jobs   []*job
	byName map[string]*job
}

// newProgram returns a program without hosts.
func newProgram(sim *simulation) *program {
	p := &program{simulation: sim, byName: map[string]*job{}}
	p.generator = &generator{program: p}
	p.player = &player{program: p}
	p.judge = &judge{program: p}
	p.threads = &threads{program: p, goroutines: map[uint64]*goroutine{}}
	p.callbacks = &callbacks{program: p}
	return p
}

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

// withLock calls do with the lock held. A mistake of the simulation must not pass for a failure of
// a task, which recovers panics.
func (p *program) withLock(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			p.faultLocked(&p.report.Stuck, "the program itself: %v\n%s", v, debug.Stack())
		}
	}()
	do()
}

// advanceLocked shadows that of the timeline, as the judge has to see all time that passes; the
// lock is held.
func (p *program) advanceLocked() time.Duration { return p.judge.advanceLocked() }

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
