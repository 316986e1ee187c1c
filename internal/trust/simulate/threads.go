package simulate

import (
	"context"

	"github.com/punctual-go/punctual/internal/goid"
)

// goroutineLocked returns the calling goroutine; the lock is held.
func (t *threads) goroutineLocked() *goroutine {
	id := goid.Current()
	g := t.goroutines[id]
	if g == nil {
		g = &goroutine{id: id}
		t.goroutines[id] = g
	}
	return g
}

// forgetLocked forgets a goroutine that is in no run and submits nothing; the lock is held.
func (t *threads) forgetLocked(g *goroutine) {
	if len(g.frames) == 0 && g.submits == [4]int{} {
		delete(t.goroutines, g.id)
	}
}

// recountLocked notes whether g is active on the host now, and checks that no more are than may be;
// the lock is held.
func (t *threads) recountLocked(g *goroutine, h *host) {
	h = h.base
	f := g.innermost(h)
	active := f != nil && !f.hook && f.waiting == 0
	if busy := f != nil && f.waiting == 0; busy != g.busy[h.index] {
		g.busy[h.index] = busy
		h.busy += map[bool]int{true: 1, false: -1}[busy]
	}
	switch was := g.active[h.index]; {
	case active && !was:
		h.active++
		if most := h.maxSize + h.callers; h.active > most && h.countsExactly() {
			t.faultLocked(&t.report.Duplicate, "%d bodies are active on %s, of at most %d: %v",
				h.active, h.name, most, f.job)
		}
	case !active && was:
		h.active--
	}
	g.active[h.index] = active
}

// pushLocked enters a run of j on the calling goroutine; the lock is held.
func (t *threads) pushLocked(j *job, hook bool) *goroutine {
	g, h := t.goroutineLocked(), j.on.base
	outer := g.innermost(h)
	nested := outer != nil
	if nested && outer.hook {
		h.uncertain = true // who has waited for the run of the hook goes on beside it
	}
	caller := !nested && g.submits[h.index] > 0
	g.frames = append(g.frames, frame{job: j, hook: hook, caller: caller})
	h.runs++
	if caller {
		h.callers++
	}
	t.recountLocked(g, h)
	if !nested && !hook && !j.inHook { // after its hook others may have gone on
		t.checkActiveLocked(h, j)
	}
	return g
}

// checkActiveLocked checks the number of active bodies after a start, with everything granted that
// the host cannot be certain of; the lock is held.
func (t *threads) checkActiveLocked(h *host, j *job) {
	// Each caller, and each run helped for, counts as waiting while it is helped.
	most := 2*h.maxSize + h.callers + len(h.helpedFor)
	if h.resumedAt == t.now() {
		most += h.resumed // it may have been started before these went on
	}
	if h.active > most && t.exact() && !t.callbacks.slow {
		t.faultLocked(&t.report.Duplicate,
			"%d bodies are active on %s, of at most %d with all that is uncertain: %v",
			h.active, h.name, most, j)
	}
}

// popLocked leaves the innermost run of g; the lock is held.
func (t *threads) popLocked(g *goroutine) {
	f := g.frames[len(g.frames)-1]
	g.frames = g.frames[:len(g.frames)-1]
	if h := f.job.on.base; h.runs == 1 {
		h.runs, h.helpedFor = 0, nil
	} else {
		h.runs--
	}
	t.recountLocked(g, f.job.on)
	if f.caller {
		f.job.on.base.callers--
	}
	t.forgetLocked(g)
}

// begin notes that a body begins, and checks that it may.
func (t *threads) begin(j *job, ctx context.Context) *goroutine {
	h := j.on.base
	defer t.enterExclusive(h)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.advanceLocked()
	t.report.Runs++
	if j.begun > 0 {
		t.faultLocked(&t.report.Duplicate, "task %v begins again", j)
	}
	if now < j.due {
		t.faultLocked(&t.report.Early, "task %v, due at %v, begins", j, j.due)
	}
	j.begun++
	j.inBody, j.ctx, j.accepted = true, ctx, true
	t.started = append(t.started, j)
	return t.pushLocked(j, false)
}

// end notes that a body ends.
func (t *threads) end(j *job, g *goroutine) {
	t.leaveExclusive(j.on.base)
	t.mu.Lock()
	defer t.mu.Unlock()
	j.endedAt = t.advanceLocked()
	j.inBody, j.ended = false, true
	t.popLocked(g)
}

// enterExclusive notes that the caller is active on a host that promises it to be the only one. It
// writes without a lock, so that the race detector finds a second one, even if the count does not.
func (t *threads) enterExclusive(h *host) {
	if !h.exclusive || h.callerRuns {
		return
	}
	if h.inside++; h.inside != 1 {
		t.fault(&t.report.Duplicate, "%d bodies at once on %s, which has one worker",
			h.inside, h.name)
	}
}

func (t *threads) leaveExclusive(h *host) {
	if h.exclusive && !h.callerRuns {
		h.inside--
	}
}

// suspend notes that the innermost run of the host on the calling goroutine waits, or that it goes
// on. It reports whether there is one.
func (t *threads) suspend(h *host) bool {
	var g *goroutine
	var f *frame
	t.withLock(func() {
		g = t.goroutineLocked()
		f = g.innermost(h)
		t.forgetLocked(g)
	})
	if f == nil {
		return false
	}
	if !f.hook && f.waiting == 0 {
		t.leaveExclusive(h.base)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advanceLocked()
	f.waiting++
	if f.hook { // what it was helped for, if so, goes on meanwhile
		h.base.uncertain = true
	}
	t.recountLocked(g, h)
	return true
}

func (t *threads) resume(h *host) {
	confine := false
	t.withLock(func() {
		t.advanceLocked()
		g := t.goroutineLocked()
		f := g.innermost(h)
		f.waiting--
		if h = h.base; h.resumedAt != t.now() {
			h.resumedAt, h.resumed = t.now(), 0
		}
		h.resumed++
		t.recountLocked(g, h)
		confine = !f.hook && f.waiting == 0
	})
	if confine {
		t.enterExclusive(h.base)
	}
}
