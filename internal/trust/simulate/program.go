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
// The invariants: no more bodies are active (they run and do not wait) than the size of the host;
// every wait ends, and in time; ErrSelfWait is returned exactly when a task waits for itself, and
// at once; and the context of a run ends with the run.
type program struct {
	*simulation
	hosts         []*host
	resizable     bool
	hooked        bool // there are hooks
	misbehaves    bool // that do more than they should
	slowCallbacks bool // that may take their time
	queuePanics   bool // the queue panics
	abruptEnd     bool // the hosts are ended while tasks run

	jobs    []*job
	maxJobs int // so many there are to be in all, after this batch
	byName  map[string]*job

	handRunCtx context.Context // of a task run by hand as long as there is the program

	// The lock guards these.
	started       []*job // in the order in which they began
	goroutines    map[uint64]*goroutine
	waits         []*wait
	detachedCalls int // functions that nobody waits for but the program
	audited       int // so many jobs are over, and all is known to be right with them
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
		p := &program{simulation: sim, byName: map[string]*job{},
			goroutines: map[uint64]*goroutine{}}
		p.open()
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

// drive runs batch after batch of tasks, and then closes the hosts.
func (p *program) drive() {
	over := make(chan struct{})
	hand := future.NewTask(func(ctx context.Context) (int, error) {
		p.handRunCtx = ctx
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
		p.auditHost(h)
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
		p.callHost(p.hosts[p.rng.IntN(4)], p.rng.IntN(100))
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
	p.maxJobs = len(p.jobs) + 1 + p.rng.IntN(40)
	var calls []*call
	for range 1 + p.rng.IntN(4) {
		if c := p.drawCall(nil); c != nil {
			calls = append(calls, c)
		}
	}
	for _, c := range calls {
		c.site = onDetached
		p.perform(c, scope{ctx: context.Background()})
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
		quiet := p.detachedCalls == 0 && len(p.goroutines) == 0 && p.heldUp == 0
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
	done := p.jobs[p.audited:]
	p.audited = len(p.jobs)
	p.mu.Unlock()
	for _, j := range done {
		p.auditJob(j)
	}
	return true
}

// auditJob checks a task that is over.
func (p *program) auditJob(j *job) {
	switch {
	case j.inBody:
		p.fault(&p.report.Stuck, "task %v has not returned", j)
	case !j.submitted:
	case j.future == nil && j.begun == 0 && !p.hooked && !j.on.base.ended:
		p.fault(&p.report.Lost, "task %v never ran", j)
	case j.future == nil:
	case !j.future.State().Settled():
		p.fault(&p.report.Lost, "the future of task %v is not settled", j)
	case j.begun == 0 && j.future.State() != future.Cancelled && !p.hooked:
		p.fault(&p.report.Lost, "task %v has ended without a run: %v", j, j.future.State())
	}
	if j.ctx != nil && j.id%2 == 0 { // the others have been asked before, or never are
		p.expectEnded(j)
	}
}

// expectEnded checks that the context of a run that is over has ended.
func (p *program) expectEnded(j *job) {
	select {
	case <-j.ctx.Done():
	default:
		p.fault(&p.report.Lost, "the context of task %v has not ended: Done", j)
	}
	if j.ctx.Err() == nil {
		p.fault(&p.report.Lost, "the context of task %v has not ended: Err", j)
	}
}

// probeContext checks the context of some run, which has to end with the run and not earlier.
func (p *program) probeContext() {
	j := p.anyRun(p.rng.IntN(12))
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
	case over && err == nil && p.exact() && !p.slowCallbacks:
		p.faultLocked(&p.report.Lost, "the context of task %v, ended at %v, has not", j, j.endedAt)
	}
}

// describeLocked says what waits for what; the lock is held.
func (p *program) describeLocked() string {
	text := fmt.Sprintf("no end: %d functions, %d threads;", p.detachedCalls, len(p.goroutines))
	for _, g := range p.goroutines {
		text += fmt.Sprintf(" thread %x: %+v, submits %v;", g.id&0xffffff, g.frames, g.submits)
	}
	for _, w := range p.waits {
		text += " " + w.call.String() + ";"
	}
	for _, j := range p.started {
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
			p.closeHost(h)
		}
	}
}
