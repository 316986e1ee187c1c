package simulate

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

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

// submit submits the task of j in the way that was drawn for it.
func (h *host) submit(j *job, ctx context.Context) (f *future.Future[int], err error) {
	switch {
	case h.loop != nil && j.bare:
		err = h.loop.Execute(j.run)
	case h.loop != nil:
		f, err = eventloop.Submit(h.loop, j.body, executor.Name(j.name))
	case j.delay > 0:
		timed, err := executor.Schedule(h.scheduler, j.delay, j.body, executor.Name(j.name))
		if err != nil {
			return nil, err
		}
		return timed.Future, nil
	case j.waitsForRoom:
		f, err = executor.SubmitContext(ctx, h.submitter, j.body, executor.Name(j.name))
	case j.bare:
		err = h.execute(j.run)
	case j.unnamed:
		f, err = executor.Submit(h.submitter, j.body)
	default:
		f, err = executor.Submit(h.submitter, j.body, executor.Name(j.name))
	}
	return f, err
}

func (h *host) execute(task executor.Task) error {
	if s, ok := h.submitter.(*serial.Serial); ok {
		return s.Execute(task)
	}
	return h.pool.Execute(task)
}
