package simulate

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

// perform makes the call from its site. The scope is that of the run.
func (p *player) perform(c *call, s scope) {
	switch c.site {
	case onJoined:
		var done sync.WaitGroup
		done.Go(func() { p.makeCall(c, s) })
		done.Wait()
	case onDetached:
		p.goDetached(func() { p.makeCall(c, s) })
	case inPull:
		next, stop := iter.Pull(func(yield func(int) bool) {
			p.makeCall(c, s)
			yield(1)
		})
		defer stop()
		next()
	case inHandRun:
		var task *future.Task[int]
		task = future.NewTask(func(ctx context.Context) (int, error) {
			p.expectSelfWait(task.Future(), ctx)
			inner := s
			inner.ctx = ctx
			p.makeCall(c, inner)
			return 1, nil
		})
		task.Run(s.ctx)
	case afterRunEnd:
		if c.job == nil {
			p.makeCall(c, s)
			return
		}
		p.beginDetached()
		context.AfterFunc(s.ctx, func() {
			defer p.endDetached()
			p.makeCall(c, s)
		})
	case afterOtherTask:
		p.beginDetached()
		f := future.Then(future.Of(1), func(int) (int, error) {
			defer p.endDetached()
			p.makeCall(c, s)
			return 1, nil
		})
		_ = f
	default:
		p.makeCall(c, s)
	}
}

// goDetached calls do on a goroutine of its own, for which only the program waits.
func (p *player) goDetached(do func()) {
	p.beginDetached()
	go func() {
		defer p.endDetached()
		do()
	}()
}

func (p *player) beginDetached() {
	p.mu.Lock()
	p.detachedCalls++
	p.mu.Unlock()
}

func (p *player) endDetached() {
	p.mu.Lock()
	p.detachedCalls--
	p.mu.Unlock()
}

// resolve returns the context of a call that is made in the scope s.
func (p *player) resolve(c *call, s scope) (out scope, release func()) {
	release = func() {}
	switch c.origin {
	case ownContext:
		out = s
	case outerContext:
		out = p.runScope(c.above, s)
	case otherRunContext:
		out = p.runScope(p.anyRun(c.pick), s)
	case handRunContext:
		out.ctx = p.handRunCtx
	case endedContext:
		ended, end := context.WithCancel(s.ctx)
		end()
		out = scope{ctx: ended, endsWith: s.endsWith, onBehalf: s.onBehalf}
	case backgroundContext:
		out.ctx = context.Background()
	case nilContext:
		if c.limit == 0 {
			return scope{}, release
		}
		out.ctx = context.Background()
	}
	if c.detached {
		out = scope{ctx: context.WithoutCancel(out.ctx), onBehalf: out.onBehalf}
	}
	if c.wrapped {
		out = scope{ctx: foreignContext{out.ctx}, onBehalf: out.onBehalf}
	}
	if c.derived {
		out.ctx = context.WithValue(out.ctx, scopeKey{}, c)
	}
	if c.limit > 0 && (c.method.takesContext() || c.waitsForRoom()) {
		out.deadline = p.now() + c.limit
		out.ctx, release = context.WithTimeout(out.ctx, c.limit)
	}
	return out, release
}

// runScope is that of a run, or the given one if there is none.
func (p *player) runScope(j *job, otherwise scope) scope {
	if j == nil {
		return otherwise
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if j.ctx == nil {
		return otherwise
	}
	return j.scope()
}

// anyRun returns one of the tasks that began last, or nil.
func (p *player) anyRun(pick int) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.threads.started) == 0 {
		return nil
	}
	n := min(len(p.threads.started), 12)
	return p.threads.started[len(p.threads.started)-1-pick%n]
}

// callHost calls one of the methods of the host that anybody may call at any time.
func (p *player) callHost(h *host, n int) {
	p.countOps(1)
	if h.loop != nil {
		_, _, _ = h.loop.Stats(), h.loop.Running(), h.loop.String()
		return
	}
	pool := h.pool
	switch n % 12 {
	case 0:
		_ = pool.Stats()
	case 1:
		_ = pool.Queued()
	case 2:
		_ = pool.Running()
	case 3:
		_ = pool.String()
	case 4:
		pool.PrestartWorkers()
	case 5:
		_ = pool.SetKeepAlive(time.Duration(1+n%7) * grid)
	case 6:
		_ = pool.SetCoreTimeout(n%24 < 12)
	case 7:
		_ = pool.SetCoreSize(-1)
	case 8:
		_ = pool.SetRejectionPolicy(nil)
	case 9:
		if !h.base.blocks {
			nothing := func(context.Context) error { return nil }
			_ = recoverPush(func() error { return pool.Execute(nothing) })
		}
	case 10:
		if h.base.ended {
			pool.Shutdown()
		}
	case 11:
		_ = pool.AwaitTermination(endedCtx())
	}
}

// endedCtx returns a context that has ended.
func endedCtx() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}

// callThenDecide is a rejection policy that makes a call of its own before it decides.
func (p *player) callThenDecide(r *rejection.Task) error {
	p.mu.Lock()
	j := p.byName[r.Name()]
	p.mu.Unlock()
	if j == nil || j.onRejection == nil {
		return r.Run()
	}
	p.makeCall(j.onRejection, j.onRejection.job.scope())
	ctx, cancel := context.WithTimeout(context.Background(), grid)
	defer cancel()
	if j.id%2 == 0 || r.Retry() != nil && r.Wait(ctx) != nil {
		return r.Run()
	}
	return nil
}
