package simulate

import (
	"context"
	"slices"
	"time"

	"github.com/punctual-go/punctual/future"
)

// await waits on the calling goroutine, and checks how that ends.
func (p *player) await(c *call, s scope, targets []*job, do func(js []*job) error) {
	h := targets[0].on
	if c.method == gettingFor {
		s = scope{}
	}
	before, known := selfWaits{}, true
	p.withLock(func() {
		known = c.method != onItself || c.job.future != nil
		before = p.judge.selfWaitsLocked(s, targets)
	})
	if !known {
		return
	}
	w := &wait{call: c, host: h.base, scope: s, targets: targets, helpableFrom: -1}
	w.ownRun = p.threads.suspend(h)
	p.withLock(func() {
		w.from = p.advanceLocked()
		if _, perhaps := s.helpedLocked(h); perhaps && !w.ownRun {
			h.base.uncertain = true
			s.noteHelpLocked(h)
		}
		if !c.method.bulk() {
			p.judge.waits = append(p.judge.waits, w)
		}
	})
	err := recoverPush(func() error { return do(targets) })
	p.withLock(func() {
		now := p.advanceLocked()
		if i := slices.Index(p.judge.waits, w); i >= 0 {
			p.judge.waits = slices.Delete(p.judge.waits, i, i+1)
		}
		if w.ownRun && slices.ContainsFunc(targets, func(j *job) bool { return !j.ended }) {
			h.base.uncertain = true // a helper may go on, or be about to begin
		}
		p.judge.checkWaitLocked(w, before, p.judge.selfWaitsLocked(s, targets), now, err)
	})
	if w.ownRun {
		p.threads.resume(h)
	}
}

// awaitHost waits for the termination of a host, in vain unless the program is over.
func (p *player) awaitHost(c *call, s scope) {
	h := c.host.base
	self := func() (certainly, perhaps bool) {
		g := p.threads.goroutineLocked()
		defer p.threads.forgetLocked(g)
		if g.innermost(h) != nil {
			return true, true
		}
		for _, r := range s.endsWith {
			if r.on.base == h {
				c, q := r.runLive()
				certainly, perhaps = certainly || c, perhaps || q
			}
		}
		return certainly, perhaps
	}
	p.mu.Lock()
	from := p.advanceLocked()
	certainly, perhaps := self()
	p.mu.Unlock()
	err := h.lifecycle().AwaitTermination(s.ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.advanceLocked()
	still, _ := self()
	switch told := isError(err, future.ErrSelfWait); {
	case told && !perhaps:
		p.faultLocked(&p.report.Stuck, "%v is told that it waits for itself", c)
	case told && p.exact() && now != from:
		p.faultLocked(&p.report.Late, "%v is told at %v that it waits for itself", c, from)
	case told:
	case certainly && still && s.live():
		p.faultLocked(&p.report.Stuck, "%v is not told that it waits for itself: %v", c,
			errorText(err))
	case err == nil && !h.ended:
		p.faultLocked(&p.report.Lost, "%v: the end of what has not ended", c)
	case err != nil && s.live():
		p.faultLocked(&p.report.Lost, "%v ends, though its context has not: %v", c, errorText(err))
	case err != nil && p.exact() && !p.callbacks.slow && s.deadline > 0 &&
		now > max(s.deadline, from):
		p.faultLocked(&p.report.Late, "%v from %v on goes on after %v", c, from, s.deadline)
	}
}

// pauseBeforeWait lets time pass between submission and wait, and may cancel a task.
func (p *player) pauseBeforeWait(c *call) {
	time.Sleep(c.pause)
	if !c.cancels || len(c.children) == 0 {
		return
	}
	j := c.children[0]
	p.mu.Lock()
	p.advanceLocked()
	j.interrupted = true
	f := j.future
	p.mu.Unlock()
	if f != nil {
		f.Cancel()
	}
}

// expectSelfWait has a run by hand wait for its own future.
func (p *player) expectSelfWait(f *future.Future[int], ctx context.Context) {
	if _, err := f.Get(ctx); !isError(err, future.ErrSelfWait) {
		p.fault(&p.report.Stuck, "a run by hand waits for its own future: %v", errorText(err))
	}
}
