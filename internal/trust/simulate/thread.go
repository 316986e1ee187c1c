package simulate

import (
	"context"

	"github.com/punctual-go/punctual/internal/goid"
)

// thread is a goroutine that is in runs, or submits. The lock of the world guards it.
type thread struct {
	id      uint64
	frames  []frame
	submits [4]int  // calls in progress, by the index of the host
	active  [4]bool // whether it counts as active there
	busy    [4]bool
}

// frame is a run on a goroutine; runs may be inside of others.
type frame struct {
	job     *job
	hook    bool // its body is over, or has not begun
	guest   bool // the goroutine is not one of the host's
	waiting int  // for other tasks of the host
}

// thread returns that of the caller; the lock is held.
func (p *program) thread() *thread {
	id := goid.Current()
	th := p.threads[id]
	if th == nil {
		th = &thread{id: id}
		p.threads[id] = th
	}
	return th
}

// leave forgets a thread of which there is nothing to know; the lock is held.
func (p *program) leave(th *thread) {
	if len(th.frames) == 0 && th.submits == [4]int{} {
		delete(p.threads, th.id)
	}
}

// innermost returns the innermost run of the host on th, or nil.
func (th *thread) innermost(h *host) *frame {
	for i := len(th.frames) - 1; i >= 0; i-- {
		if th.frames[i].job.on.base == h.base {
			return &th.frames[i]
		}
	}
	return nil
}

// recount notes whether th is active on the host now, and judges how many are; the lock is held.
func (p *program) recount(th *thread, h *host) {
	h = h.base
	f := th.innermost(h)
	active := f != nil && !f.hook && f.waiting == 0
	if busy := f != nil && f.waiting == 0; busy != th.busy[h.index] {
		th.busy[h.index] = busy
		h.busy += map[bool]int{true: 1, false: -1}[busy]
	}
	switch was := th.active[h.index]; {
	case active && !was:
		h.active++
		if most := h.most + h.guests; h.active > most && h.strict() {
			p.fault(&p.report.Duplicate, "%d bodies are active on %s, of at most %d: %v", h.active, h.name, most, f.job)
		}
	case !active && was:
		h.active--
	}
	th.active[h.index] = active
}

// push enters a run of j on the calling goroutine; the lock is held.
func (p *program) push(j *job, hook bool) *thread {
	th, h := p.thread(), j.on.base
	outer := th.innermost(h)
	nested := outer != nil
	if nested && outer.hook {
		h.loose = true // who has waited for the run of the hook goes on beside it
	}
	guest := !nested && th.submits[h.index] > 0
	th.frames = append(th.frames, frame{job: j, hook: hook, guest: guest})
	h.runs++
	if guest {
		h.guests++
	}
	p.recount(th, h)
	if !nested && !hook && !j.seized { // after its hook others may have gone on
		p.judgeStart(h, j)
	}
	return th
}

// judgeStart judges that there is one more; the lock is held.
func (p *program) judgeStart(h *host, j *job) {
	most := 2*h.most + h.guests + len(h.behalf) // each of these counts as waiting while it is helped
	if h.goesOn == p.now() {
		most += h.goOn // it may have been started before these went on
	}
	if h.active > most && p.exact() && !p.vague {
		p.fault(&p.report.Duplicate, "%d bodies are active on %s, of at most %d with all that is uncertain: %v",
			h.active, h.name, most, j)
	}
}

// pop leaves the innermost run of th; the lock is held.
func (p *program) pop(th *thread) {
	f := th.frames[len(th.frames)-1]
	th.frames = th.frames[:len(th.frames)-1]
	if h := f.job.on.base; h.runs == 1 {
		h.runs, h.behalf = 0, nil
	} else {
		h.runs--
	}
	p.recount(th, f.job.on)
	if f.guest {
		f.job.on.base.guests--
	}
	p.leave(th)
}

// begin is the beginning of a body.
func (p *program) begin(j *job, ctx context.Context) *thread {
	h := j.on.base
	defer p.confine(h)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pass()
	p.report.Runs++
	if j.begun > 0 {
		p.fault(&p.report.Duplicate, "task %v begins again", j)
	}
	if now < j.due {
		p.fault(&p.report.Early, "task %v, due at %v, begins", j, j.due)
	}
	j.begun++
	j.inBody, j.ctx, j.accepted = true, ctx, true
	p.ran = append(p.ran, j)
	return p.push(j, false)
}

// endRun is the end of a body.
func (p *program) endRun(j *job, th *thread) {
	p.release(j.on.base)
	p.mu.Lock()
	defer p.mu.Unlock()
	j.endedAt = p.pass()
	j.inBody, j.ended = false, true
	p.pop(th)
}

// confine notes that the caller is active on the host. There is no lock for that if the host promises that nobody else
// is: then the race detector tells of two, and so does the count.
func (p *program) confine(h *host) {
	if !h.confines || h.inline {
		return
	}
	if h.confined++; h.confined != 1 {
		p.blame(&p.report.Duplicate, "%d bodies at once on %s, which has one worker", h.confined, h.name)
	}
}

func (p *program) release(h *host) {
	if h.confines && !h.inline {
		h.confined--
	}
}

// suspend notes that the innermost run of the host on the calling goroutine waits, or that it goes on. It reports
// whether there is one.
func (p *program) suspend(h *host) bool {
	var th *thread
	var f *frame
	p.holding(func() {
		th = p.thread()
		f = th.innermost(h)
		p.leave(th)
	})
	if f == nil {
		return false
	}
	if !f.hook && f.waiting == 0 {
		p.release(h.base)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass()
	f.waiting++
	if f.hook { // what it was helped for, if so, goes on meanwhile
		h.base.loose = true
	}
	p.recount(th, h)
	return true
}

func (p *program) resume(h *host) {
	confine := false
	p.holding(func() {
		p.pass()
		th := p.thread()
		f := th.innermost(h)
		f.waiting--
		if h = h.base; h.goesOn != p.now() {
			h.goesOn, h.goOn = p.now(), 0
		}
		h.goOn++
		p.recount(th, h)
		confine = !f.hook && f.waiting == 0
	})
	if confine {
		p.confine(h.base)
	}
}
