package simulate

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/future"
)

// makeCall makes the call on the calling goroutine, in the given scope.
func (p *player) makeCall(c *call, from scope) {
	p.countOps(1)
	s, release := p.resolve(c, from)
	defer release()
	switch c.method {
	case onItself:
		p.await(c, s, []*job{c.job}, p.waitFunc(c, s.ctx))
	case terminating:
		p.awaitHost(c, s)
	case invokingAll, invokingAny, grouping:
		p.await(c, s, c.children, p.bulkFunc(c, s.ctx))
	case taking:
		p.takeCompleted(c, s)
	default:
		var there []*job
		for _, j := range c.children {
			if p.submit(j, s) {
				there = append(there, j)
			}
		}
		if p.pauseBeforeWait(c); c.method != notWaiting && len(there) > 0 {
			p.await(c, s, there, p.waitFunc(c, s.ctx))
		}
	}
}

// waitFunc returns what waits for tasks that have been submitted.
func (p *player) waitFunc(c *call, ctx context.Context) func(js []*job) error {
	return func(js []*job) error {
		fs := make([]*future.Future[int], len(js))
		p.mu.Lock()
		for i, j := range js {
			fs[i] = j.future
		}
		p.mu.Unlock()
		switch c.method {
		case gettingFor:
			return p.checkValue(js[0])(fs[0].GetTimeout(c.limit))
		case awaitingAll:
			vs, err := future.All(ctx, fs...)
			for i := range vs {
				_ = p.checkValue(js[i])(vs[i], nil)
			}
			return err
		case awaitingAny:
			_, err := future.Any(ctx, fs...)
			return err
		case completing:
			var err error
			n := 0
			for i, r := range future.Completed(ctx, fs...) {
				if n++; isError(r.Err, future.ErrSelfWait) {
					err = r.Err
				}
				_ = p.checkValue(js[i])(r.Value, r.Err)
			}
			if n < len(fs) {
				err = context.Canceled
			}
			return err
		default:
			return p.checkValue(js[0])(fs[0].Get(ctx))
		}
	}
}

// checkValue checks the value of j, and passes the error on.
func (p *player) checkValue(j *job) func(v int, err error) error {
	return func(v int, err error) error {
		if err == nil && v != j.id {
			p.fault(&p.report.Lost, "task %v has the value %d", j, v)
		}
		return err
	}
}

// bulkFunc returns what submits tasks and waits for them.
func (p *player) bulkFunc(c *call, ctx context.Context) func(js []*job) error {
	return func(js []*job) error {
		on := js[0].on.submitter
		fns := make([]future.Func[int], len(js))
		done := p.enterSubmit(js)
		defer done()
		for i, j := range js {
			fns[i] = j.body
		}
		var err error
		switch c.method {
		case invokingAll:
			_, err = executor.InvokeAll(ctx, on, fns...)
		case invokingAny:
			_, err = executor.InvokeAny(ctx, on, fns...)
		default:
			g := bulk.NewGroup(ctx, on)
			for _, j := range js {
				if err := g.Go(j.run, executor.Name(j.name)); err != nil {
					break
				}
			}
			err = g.Wait()
		}
		return err
	}
}

// takeCompleted submits tasks by a completion service, and takes as many.
func (p *player) takeCompleted(c *call, s scope) {
	service := bulk.NewCompletionService[int](c.children[0].on.submitter)
	var there []*job
	for _, j := range c.children {
		if p.submitBy(j, func() (*future.Future[int],
			error) {
			return service.Submit(j.body, executor.Name(j.name))
		}) {
			there = append(there, j)
		}
	}
	p.pauseBeforeWait(c)
	for n := len(there); n > 0; n-- {
		left := there[:0:0]
		p.mu.Lock()
		for _, j := range there {
			if !j.delivered {
				left = append(left, j)
			}
		}
		p.mu.Unlock()
		if len(left) == 0 {
			return
		}
		p.await(c, s, left, func([]*job) error {
			f, err := service.Take(s.ctx)
			if f == nil {
				n = 0
				return err
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, j := range left {
				if j.future == f {
					j.delivered = true
				}
			}
			return nil
		})
	}
}
