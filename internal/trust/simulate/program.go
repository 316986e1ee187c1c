package simulate

import (
	"context"
	"fmt"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/future"
)

// program is a world in which tasks submit other tasks and wait for them: in all ways, with the contexts of others, and
// from all places. It never hangs by a fault of its own: whoever waits where no executor could know that a place is free
// does so for a limited time; see bound.
//
// The oracles: no more bodies are active, that is, run and do not wait, than there are places; every wait ends, and in
// time; somebody is told that he waits for himself if and only if that is so, and at once; and a context ends with its
// run.
type program struct {
	*world
	hosts     []*host
	resizable bool
	hooked    bool // there are hooks
	wild      bool // that do more than they should
	vague     bool // that may take their time
	picky     bool // the queue panics
	rough     bool // the hosts are ended while tasks run

	jobs   []*job
	enough int // so many there are to be in all, after this batch
	byName map[string]*job

	handRun context.Context // of a task run by hand as long as there is the program

	// The lock guards these.
	ran     []*job // in the order in which they began
	threads map[uint64]*thread
	waits   []*wait
	going   int // functions that nobody waits for but the program
	checked int // so many jobs are over, and all is known to be right with them
}

// hangs is how long a program may take in real time.
const hangs = 2 * time.Minute

func playPrograms(t *testing.T, seed uint64, ops int) Report {
	dog := time.AfterFunc(hangs, func() { // a mutex that is never free is no standstill of a bubble
		debug.SetTraceback("all")
		panic(fmt.Sprintf("simulate: the program of seed %d hangs", seed))
	})
	defer dog.Stop()
	return play(t, seed, ops, func(w *world) {
		p := &program{world: w, byName: map[string]*job{}, threads: map[uint64]*thread{}}
		p.open()
		p.drive()
	})
}

// holding calls do with the lock held. A mistake in the program itself is not to look like a failure of a task.
func (p *program) holding(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			p.fault(&p.report.Stuck, "the program itself: %v\n%s", v, debug.Stack())
		}
	}()
	do()
}

// drive has batch after batch of tasks run, and then ends the hosts.
func (p *program) drive() {
	over := make(chan struct{})
	hand := future.NewTask(func(ctx context.Context) (int, error) {
		p.handRun = ctx
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
		p.rough = true
		p.start()
	}
	p.close()
	p.rest()
	for _, h := range p.hosts {
		p.balance(h)
	}
	over <- struct{}{}
}

// batch has some tasks run to their end, and reports whether they have come to it.
func (p *program) batch() bool {
	p.start()
	for range p.rng.IntN(4) {
		time.Sleep(p.steps(8))
		if p.resizable {
			p.resize(1 + p.rng.IntN(4))
		}
		p.probe()
		p.meddle(p.hosts[p.rng.IntN(4)], p.rng.IntN(100))
	}
	return p.rest()
}

// start has some calls made.
func (p *program) start() {
	for _, h := range p.hosts {
		h.unsure = 2*h.base.size - 1
		if p.resizable {
			h.unsure = 1
		}
	}
	p.enough = len(p.jobs) + 1 + p.rng.IntN(40)
	var calls []*call
	for range 1 + p.rng.IntN(4) {
		if c := p.drawCall(nil); c != nil {
			calls = append(calls, c)
		}
	}
	for _, c := range calls {
		c.place = letGo
		p.perform(c, scope{ctx: context.Background()})
		time.Sleep(p.steps(4))
	}
}

// rest waits until all have come to their end, and looks whether all is right.
func (p *program) rest() bool {
	limit := p.now() + time.Hour
	for {
		synctest.Wait()
		p.mu.Lock()
		p.pass()
		quiet := p.going == 0 && len(p.threads) == 0 && p.asleep == 0
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
			p.fault(&p.report.Stuck, "%s", p.picture())
			return false
		}
		time.Sleep(5 * grid)
	}
	p.mu.Lock()
	for _, h := range p.hosts {
		h.loose, h.most = false, h.size
	}
	done := p.jobs[p.checked:]
	p.checked = len(p.jobs)
	p.mu.Unlock()
	for _, j := range done {
		p.audit(j)
	}
	return true
}

// audit looks at a task that is over.
func (p *program) audit(j *job) {
	switch {
	case j.inBody:
		p.blame(&p.report.Stuck, "task %v has not returned", j)
	case !j.there:
	case j.future == nil && j.begun == 0 && !p.hooked && !j.on.base.ended:
		p.blame(&p.report.Lost, "task %v never ran", j)
	case j.future == nil:
	case !j.future.State().Settled():
		p.blame(&p.report.Lost, "the future of task %v is not settled", j)
	case j.begun == 0 && j.future.State() != future.Cancelled && !p.hooked:
		p.blame(&p.report.Lost, "task %v has ended without a run: %v", j, j.future.State())
	}
	if j.ctx != nil && j.id%2 == 0 { // the others have been asked before, or never are
		p.expectEnded(j)
	}
}

// expectEnded asks the context of a run that is over.
func (p *program) expectEnded(j *job) {
	select {
	case <-j.ctx.Done():
	default:
		p.blame(&p.report.Lost, "the context of task %v has not ended: Done", j)
	}
	if j.ctx.Err() == nil {
		p.blame(&p.report.Lost, "the context of task %v has not ended: Err", j)
	}
}

// probe asks the context of some run whether it has ended.
func (p *program) probe() {
	j := p.anyRun(p.rng.IntN(12))
	if j == nil {
		return
	}
	p.did(1)
	p.mu.Lock()
	now := p.pass()
	before, _ := j.live()
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
	p.pass()
	after, _ := j.live()
	switch {
	case before && after && err != nil:
		p.fault(&p.report.Early, "the context of task %v has ended during its run: %v", j, say(err))
	case over && err == nil && p.exact() && !p.vague:
		p.fault(&p.report.Lost, "the context of task %v, ended at %v, has not", j, j.endedAt)
	}
}

// picture tells who waits for what; the lock is held.
func (p *program) picture() string {
	text := fmt.Sprintf("no end: %d functions, %d threads;", p.going, len(p.threads))
	for _, th := range p.threads {
		text += fmt.Sprintf(" thread %x: %+v, submits %v;", th.id&0xffffff, th.frames, th.submits)
	}
	for _, w := range p.waits {
		text += " " + w.call.String() + ";"
	}
	for _, j := range p.ran {
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
			p.finish(h)
		}
	}
}
