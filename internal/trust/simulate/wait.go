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
func (p *player) submit(j *job, s scope) bool {
	ctx := s.ctx
	p.withLock(func() {
		if _, perhaps := s.helpedLocked(j.on); perhaps && j.waitsForRoom {
			j.on.base.uncertain = true // somebody may be helped to have room
			s.noteHelpLocked(j.on)
		}
	})
	return p.submitBy(j, func() (*future.Future[int], error) { return j.on.submit(j, ctx) })
}

func (p *player) submitBy(j *job, submit func() (*future.Future[int], error)) bool {
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
func (p *player) enterSubmit(js []*job) (done func()) {
	i := js[0].on.base.index
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.threads.goroutineLocked()
	g.submits[i]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		g.submits[i]--
		p.threads.forgetLocked(g)
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

// live reports whether the context has not ended.
func (s scope) live() bool { return s.ctx == nil || s.ctx.Err() == nil }

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

// expectSelfWait has a run by hand wait for its own future.
func (p *player) expectSelfWait(f *future.Future[int], ctx context.Context) {
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
