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

// wait is one in progress: for tasks of a host, by a goroutine that is in one of its runs, or is not.
type wait struct {
	call    *call
	host    *host
	scope   scope
	targets []*job
	certain bool // that the caller is in a run of the host, which lends its place
	from    time.Duration
	help    time.Duration // since when there could be help without certainty; below 0 if not
	told    bool
}

// tries is how long a host waits before it helps without certainty, at first.
const tries = 10 * time.Millisecond

// offer submits j with a context, and reports whether it has been accepted.
func (p *program) offer(j *job, s scope) bool {
	ctx := s.ctx
	p.holding(func() {
		if _, perhaps := s.helped(j.on); perhaps && j.patient {
			j.on.base.loose = true // somebody may be helped to have room
			s.actFor(j.on)
		}
	})
	return p.offerBy(j, func() (*future.Future[int], error) { return j.on.submit(j, ctx) })
}

func (p *program) offerBy(j *job, submit func() (*future.Future[int], error)) bool {
	p.mu.Lock()
	j.due = p.pass() + j.delay
	p.report.Ops++
	p.mu.Unlock()
	done := p.submits([]*job{j})
	var f *future.Future[int]
	err := tryPush(func() (err error) {
		f, err = submit()
		return err
	})
	done()
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pass()
	j.future = f
	switch {
	case err == nil:
		j.accepted, j.there, j.thereAt = true, true, now+j.delay
		return true
	case is(err, executor.ErrShutdown) && j.on.base.ended:
	case is(err, executor.ErrSaturated) && j.on.limited:
	case is(err, executor.ErrRejected) && j.patient: // its context has ended
	case is(err, errPush):
	default:
		p.fault(&p.report.Lost, "task %v is refused: %v", j, say(err))
	}
	if j.begun > 0 {
		p.fault(&p.report.Duplicate, "task %v runs, and is refused: %v", j, say(err))
	}
	return false
}

// submits notes that the calling goroutine submits tasks to their host, until done is called there.
func (p *program) submits(js []*job) (done func()) {
	i := js[0].on.base.index
	p.mu.Lock()
	defer p.mu.Unlock()
	th := p.thread()
	th.submits[i]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		th.submits[i]--
		p.leave(th)
	}
}

// sleep lets time pass between submission and wait, and may cancel a task.
func (p *program) sleep(c *call) {
	time.Sleep(c.pause)
	if !c.cancels || len(c.children) == 0 {
		return
	}
	j := c.children[0]
	p.mu.Lock()
	p.pass()
	j.broken = true
	f := j.future
	p.mu.Unlock()
	if f != nil {
		f.Cancel()
	}
}

// await has the calling goroutine wait, and judges how that ends.
func (p *program) await(c *call, s scope, targets []*job, do func(js []*job) error) {
	h := targets[0].on
	if c.way == gettingFor {
		s = scope{}
	}
	before, known := selfWaits{}, true
	p.holding(func() {
		known = c.way != itself || c.job.future != nil
		before = p.selfWait(s, targets)
	})
	if !known {
		return
	}
	w := &wait{call: c, host: h.base, scope: s, targets: targets, help: -1}
	w.certain = p.suspend(h)
	p.holding(func() {
		w.from = p.pass()
		if _, perhaps := s.helped(h); perhaps && !w.certain {
			h.base.loose = true
			s.actFor(h)
		}
		if !c.way.bulk() {
			p.waits = append(p.waits, w)
		}
	})
	err := tryPush(func() error { return do(targets) })
	p.holding(func() {
		now := p.pass()
		if i := slices.Index(p.waits, w); i >= 0 {
			p.waits = slices.Delete(p.waits, i, i+1)
		}
		if w.certain && slices.ContainsFunc(targets, func(j *job) bool { return !j.ended }) {
			h.base.loose = true // a helper may go on, or be about to begin
		}
		p.judgeWait(w, before, p.selfWait(s, targets), now, err)
	})
	if w.certain {
		p.resume(h)
	}
}

// selfWaits says of how many tasks that are not settled somebody would wait for himself.
type selfWaits struct{ certainly, perhaps, unsettled int }

// selfWait tells that of the caller; the lock is held.
func (p *program) selfWait(s scope, targets []*job) (n selfWaits) {
	th := p.thread()
	defer p.leave(th)
	for _, t := range targets {
		if t.future != nil && t.settled() || t.future == nil && t.ended {
			continue
		}
		n.unsettled++
		certainly, perhaps := false, false
		for _, f := range th.frames {
			if t.comesAfter(f.job) {
				certainly, perhaps = true, true
			}
		}
		for _, r := range s.ends {
			if t.comesAfter(r) {
				c, p := r.live()
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

// judgeWait judges the end of a wait; the lock is held.
func (p *program) judgeWait(w *wait, before, after selfWaits, now time.Duration, err error) {
	c := w.call
	self := is(err, future.ErrSelfWait)
	timely := p.exact() && !p.vague
	switch {
	case c.way.bulk():
		if self && before.perhaps == 0 {
			p.fault(&p.report.Stuck, "%v is told that it waits for itself", c)
		}
		return
	case self && before.perhaps == 0 && after.perhaps == 0:
		p.fault(&p.report.Stuck, "%v is told that it waits for itself", c)
	case self && timely && now != w.from:
		p.fault(&p.report.Late, "%v is told at %v that it waits for itself", c, w.from)
	case self:
	case after.unsettled == len(w.targets) && after.certainly == after.unsettled && before.certainly == before.unsettled &&
		w.scope.goesOn() && !(c.way == gettingFor && c.limit == 0):
		p.fault(&p.report.Stuck, "%v is not told that it waits for itself: %v", c, say(err))
	case after.unsettled > 0 && c.way == gettingFor:
		if !is(err, future.ErrTimeout) && !p.someSettled(w) {
			p.fault(&p.report.Lost, "%v ends: %v", c, say(err))
		}
		if now < w.from+c.limit && !p.someSettled(w) {
			p.fault(&p.report.Early, "%v gives up since %v", c, w.from)
		}
	case after.unsettled == len(w.targets) && w.scope.goesOn():
		p.fault(&p.report.Lost, "%v ends, though its context has not: %v", c, say(err))
	}
	confined := w.certain && w.host.confines // it may have to wait for its place
	if !timely || confined {
		return
	}
	switch {
	case c.way == gettingFor && now > w.from+c.limit:
		p.fault(&p.report.Late, "%v from %v on goes on", c, w.from)
	case c.way != gettingFor && w.scope.by > 0 && now > max(w.scope.by, w.from):
		p.fault(&p.report.Late, "%v from %v on goes on after %v", c, w.from, w.scope.by)
	}
}

func (p *program) someSettled(w *wait) bool {
	return slices.ContainsFunc(w.targets, func(j *job) bool { return j.settled() })
}

// goesOn reports whether the context has not ended.
func (s scope) goesOn() bool { return s.ctx == nil || s.ctx.Err() == nil }

// awaitEnd waits for the end of a host, which is not to come.
func (p *program) awaitEnd(c *call, s scope) {
	h := c.host.base
	self := func() (certainly, perhaps bool) {
		th := p.thread()
		defer p.leave(th)
		if th.innermost(h) != nil {
			return true, true
		}
		for _, r := range s.ends {
			if r.on.base == h {
				c, p := r.live()
				certainly, perhaps = certainly || c, perhaps || p
			}
		}
		return certainly, perhaps
	}
	p.mu.Lock()
	from := p.pass()
	certainly, perhaps := self()
	p.mu.Unlock()
	err := h.end().AwaitTermination(s.ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.pass()
	still, _ := self()
	switch told := is(err, future.ErrSelfWait); {
	case told && !perhaps:
		p.fault(&p.report.Stuck, "%v is told that it waits for itself", c)
	case told && p.exact() && now != from:
		p.fault(&p.report.Late, "%v is told at %v that it waits for itself", c, from)
	case told:
	case certainly && still && s.goesOn():
		p.fault(&p.report.Stuck, "%v is not told that it waits for itself: %v", c, say(err))
	case err == nil && !h.ended:
		p.fault(&p.report.Lost, "%v: the end of what has not ended", c)
	case err != nil && s.goesOn():
		p.fault(&p.report.Lost, "%v ends, though its context has not: %v", c, say(err))
	case err != nil && p.exact() && !p.vague && s.by > 0 && now > max(s.by, from):
		p.fault(&p.report.Late, "%v from %v on goes on after %v", c, from, s.by)
	}
}

// expectSelfWait waits in a run by hand for its own future.
func (p *program) expectSelfWait(f *future.Future[int], ctx context.Context) {
	if _, err := f.Get(ctx); !is(err, future.ErrSelfWait) {
		p.blame(&p.report.Stuck, "a run by hand waits for its own future: %v", say(err))
	}
}

// is is errors.Is, but that it does not ask those who do more than to compare.
func is(err, target error) bool {
	if _, cruel := err.(*bad); cruel || err == nil {
		return false
	}
	if like, ok := err.(interface{ Is(error) bool }); err == target || ok && like.Is(target) {
		return true
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return is(err.Unwrap(), target)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(err.Unwrap(), func(err error) bool { return is(err, target) })
	}
	return false
}

// say tells an error in words, unless that is one whose methods do more than that.
func say(err error) string {
	if bad := (*bad)(nil); errors.As(err, &bad) {
		return "a bad error"
	}
	return fmt.Sprint(err)
}
