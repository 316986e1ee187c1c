package simulate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// wait is a wait in progress for tasks of a host, by a goroutine that may be in one of its runs.
type wait struct {
	call         *call
	host         *host
	scope        scope
	targets      []*job
	ownRun       bool // that the caller is in a run of the host, which gives up its place meanwhile
	from         time.Duration
	helpableFrom time.Duration // since when there could be help without certainty; below 0 if not
	reported     bool
}

// helpDelay is how long a host hesitates before it first helps without certainty.
const helpDelay = 10 * time.Millisecond

// submit submits j with a context, and reports whether it has been accepted.
func (p *program) submit(j *job, s scope) bool {
	ctx := s.ctx
	p.withLock(func() {
		if _, perhaps := s.helpedLocked(j.on); perhaps && j.waitsForRoom {
			j.on.base.uncertain = true // somebody may be helped to have room
			s.noteHelpLocked(j.on)
		}
	})
	return p.submitBy(j, func() (*future.Future[int], error) { return j.on.submit(j, ctx) })
}

func (p *program) submitBy(j *job, submit func() (*future.Future[int], error)) bool {
	p.mu.Lock()
	j.due = p.advanceLocked() + j.delay
	p.report.Ops++
	p.mu.Unlock()
	done := p.enterSubmit([]*job{j})
	var f *future.Future[int]
	err := recoverPush(func() (err error) {
		f, err = submit()
		return err
	})
	done()
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.advanceLocked()
	j.future = f
	switch {
	case err == nil:
		j.accepted, j.submitted, j.readyAt = true, true, now+j.delay
		return true
	case isError(err, executor.ErrShutdown) && j.on.base.ended:
	case isError(err, executor.ErrSaturated) && j.on.bounded:
	case isError(err, executor.ErrRejected) && j.waitsForRoom: // its context has ended
	case isError(err, errPush):
	default:
		p.faultLocked(&p.report.Lost, "task %v is refused: %v", j, errorText(err))
	}
	if j.begun > 0 {
		p.faultLocked(&p.report.Duplicate, "task %v runs, and is refused: %v", j, errorText(err))
	}
	return false
}

// enterSubmit notes that the calling goroutine submits tasks to their host, until it calls done.
func (p *program) enterSubmit(js []*job) (done func()) {
	i := js[0].on.base.index
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.goroutineLocked()
	g.submits[i]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		g.submits[i]--
		p.forgetLocked(g)
	}
}

// pauseBeforeWait lets time pass between submission and wait, and may cancel a task.
func (p *program) pauseBeforeWait(c *call) {
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

// await waits on the calling goroutine, and checks how that ends.
func (p *program) await(c *call, s scope, targets []*job, do func(js []*job) error) {
	h := targets[0].on
	if c.method == gettingFor {
		s = scope{}
	}
	before, known := selfWaits{}, true
	p.withLock(func() {
		known = c.method != onItself || c.job.future != nil
		before = p.selfWaitsLocked(s, targets)
	})
	if !known {
		return
	}
	w := &wait{call: c, host: h.base, scope: s, targets: targets, helpableFrom: -1}
	w.ownRun = p.suspend(h)
	p.withLock(func() {
		w.from = p.advanceLocked()
		if _, perhaps := s.helpedLocked(h); perhaps && !w.ownRun {
			h.base.uncertain = true
			s.noteHelpLocked(h)
		}
		if !c.method.bulk() {
			p.waits = append(p.waits, w)
		}
	})
	err := recoverPush(func() error { return do(targets) })
	p.withLock(func() {
		now := p.advanceLocked()
		if i := slices.Index(p.waits, w); i >= 0 {
			p.waits = slices.Delete(p.waits, i, i+1)
		}
		if w.ownRun && slices.ContainsFunc(targets, func(j *job) bool { return !j.ended }) {
			h.base.uncertain = true // a helper may go on, or be about to begin
		}
		p.checkWaitLocked(w, before, p.selfWaitsLocked(s, targets), now, err)
	})
	if w.ownRun {
		p.resume(h)
	}
}

// selfWaits counts unsettled tasks for which a wait would be a wait for oneself.
type selfWaits struct{ certainly, perhaps, unsettled int }

// selfWaitsLocked counts them for the caller; the lock is held.
func (p *program) selfWaitsLocked(s scope, targets []*job) (n selfWaits) {
	g := p.goroutineLocked()
	defer p.forgetLocked(g)
	for _, t := range targets {
		if t.future != nil && t.settled() || t.future == nil && t.ended {
			continue
		}
		n.unsettled++
		certainly, perhaps := false, false
		for _, f := range g.frames {
			if t.comesAfter(f.job) {
				certainly, perhaps = true, true
			}
		}
		for _, r := range s.endsWith {
			if t.comesAfter(r) {
				c, p := r.runLive()
				certainly, perhaps = certainly || c, perhaps || p
			}
		}
		if certainly {
			n.certainly++
		}
		if perhaps {
			n.perhaps++
		}
	}
	return n
}

// comesAfter reports whether j cannot end before the run of another.
func (j *job) comesAfter(run *job) bool {
	return j == run || j.on == run.on && j.on.serialized
}

// checkWaitLocked checks the end of a wait; the lock is held.
func (p *program) checkWaitLocked(w *wait, before, after selfWaits, now time.Duration, err error) {
	c := w.call
	self := isError(err, future.ErrSelfWait)
	timely := p.exact() && !p.slowCallbacks
	switch {
	case c.method.bulk():
		if self && before.perhaps == 0 {
			p.faultLocked(&p.report.Stuck, "%v is told that it waits for itself", c)
		}
		return
	case self && before.perhaps == 0 && after.perhaps == 0:
		p.faultLocked(&p.report.Stuck, "%v is told that it waits for itself", c)
	case self && timely && now != w.from:
		p.faultLocked(&p.report.Late, "%v is told at %v that it waits for itself", c, w.from)
	case self:
	case after.unsettled == len(w.targets) && after.certainly == after.unsettled &&
		before.certainly == before.unsettled &&
		w.scope.live() && !(c.method == gettingFor && c.limit == 0):
		p.faultLocked(&p.report.Stuck, "%v is not told that it waits for itself: %v", c,
			errorText(err))
	case after.unsettled > 0 && c.method == gettingFor:
		if !isError(err, future.ErrTimeout) && !p.anySettled(w) {
			p.faultLocked(&p.report.Lost, "%v ends: %v", c, errorText(err))
		}
		if now < w.from+c.limit && !p.anySettled(w) {
			p.faultLocked(&p.report.Early, "%v gives up since %v", c, w.from)
		}
	case after.unsettled == len(w.targets) && w.scope.live():
		p.faultLocked(&p.report.Lost, "%v ends, though its context has not: %v", c, errorText(err))
	}
	confined := w.ownRun && w.host.exclusive // it may have to wait for its place
	if !timely || confined {
		return
	}
	switch {
	case c.method == gettingFor && now > w.from+c.limit:
		p.faultLocked(&p.report.Late, "%v from %v on goes on", c, w.from)
	case c.method != gettingFor && w.scope.deadline > 0 && now > max(w.scope.deadline, w.from):
		p.faultLocked(&p.report.Late, "%v from %v on goes on after %v", c, w.from, w.scope.deadline)
	}
}

func (p *program) anySettled(w *wait) bool {
	return slices.ContainsFunc(w.targets, func(j *job) bool { return j.settled() })
}

// live reports whether the context has not ended.
func (s scope) live() bool { return s.ctx == nil || s.ctx.Err() == nil }

// awaitHost waits for the termination of a host, in vain unless the program is over.
func (p *program) awaitHost(c *call, s scope) {
	h := c.host.base
	self := func() (certainly, perhaps bool) {
		g := p.goroutineLocked()
		defer p.forgetLocked(g)
		if g.innermost(h) != nil {
			return true, true
		}
		for _, r := range s.endsWith {
			if r.on.base == h {
				c, p := r.runLive()
				certainly, perhaps = certainly || c, perhaps || p
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
	case err != nil && p.exact() && !p.slowCallbacks && s.deadline > 0 &&
		now > max(s.deadline, from):
		p.faultLocked(&p.report.Late, "%v from %v on goes on after %v", c, from, s.deadline)
	}
}

// expectSelfWait has a run by hand wait for its own future.
func (p *program) expectSelfWait(f *future.Future[int], ctx context.Context) {
	if _, err := f.Get(ctx); !isError(err, future.ErrSelfWait) {
		p.fault(&p.report.Stuck, "a run by hand waits for its own future: %v", errorText(err))
	}
}

// isError is errors.Is without calling the methods of a reentrantError.
func isError(err, target error) bool {
	if _, cruel := err.(*reentrantError); cruel || err == nil {
		return false
	}
	if like, ok := err.(interface{ Is(error) bool }); err == target || ok && like.Is(target) {
		return true
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return isError(err.Unwrap(), target)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(),
			func(err error) bool { return isError(err, target) })
	}
	return false
}

// errorText returns the text of an error, unless it holds a reentrantError.
func errorText(err error) string {
	if bad := (*reentrantError)(nil); errors.As(err, &bad) {
		return "a bad error"
	}
	return fmt.Sprint(err)
}
