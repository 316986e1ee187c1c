package simulate

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// misbehaviour is what a callback of the user's does beside its job: hooks, handlers, loggers,
// contexts and errors run inside of the library, and must not break it whatever they do.
type misbehaviour uint8

const (
	noMisbehaviour misbehaviour = iota
	reenters
	panicsInCallback
	exitsGoroutine // by Goexit
	takesTime
)

// drawMisbehaviour draws one for the n-th occasion of some sort. It takes no lock, as callbacks run
// anywhere, so it hashes what a random source would need one for.
func (p *program) drawMisbehaviour(sort string, n int) misbehaviour {
	x := mix(p.seed ^ uint64(n+1)*0x9e3779b97f4a7c15 ^ uint64(len(sort)+int(sort[0]))<<32)
	if !p.misbehaves || x%4 > 0 {
		return noMisbehaviour
	}
	a := reenters + misbehaviour(x>>8%4)
	if a == exitsGoroutine && p.hosts[0].callerRuns || a == takesTime && !p.slowCallbacks {
		return reenters
	}
	return a
}

// misbehave does what was drawn.
func (p *program) misbehave(a misbehaviour, n int) {
	switch a {
	case reenters:
		p.callHost(p.hosts[0], n)
	case panicsInCallback:
		panic(errBoom)
	case exitsGoroutine:
		runtime.Goexit()
	case takesTime:
		time.Sleep(time.Duration(1+n%5) * grid)
	}
}

// drawCallbacks draws the callbacks of the host: hooks, handlers, loggers, and base contexts.
func (p *program) drawCallbacks(h *host) (opts []executor.Option) {
	p.misbehaves, p.hooked = p.oneIn(3), p.oneIn(3)
	p.hooked = p.hooked || p.misbehaves
	p.slowCallbacks = p.misbehaves && p.oneIn(2)
	logger := silent
	if p.misbehaves {
		logger = slog.New(reentrantHandler{p})
	}
	opts = append(opts, executor.Logger(logger))
	if p.oneIn(3) {
		opts = append(opts, executor.Name("program"))
	}
	if !p.hooked {
		return opts
	}
	opts = append(opts, executor.BeforeRun(p.beforeRun), executor.AfterRun(p.afterRun))
	if p.oneIn(2) {
		opts = append(opts, executor.ErrorHandler(p.onError))
	}
	if p.misbehaves && p.oneIn(2) {
		opts = append(opts, executor.BaseContext(&reentrantContext{Context: context.Background(),
			program: p}))
	}
	if p.misbehaves && p.oneIn(2) {
		opts = append(opts, executor.AfterTermination(func() {
			p.misbehave(p.drawMisbehaviour("terminated", 0), 0)
		}))
	}
	return opts
}

// jobOf returns the task of a run, if that has its name.
func (p *program) jobOf(run executor.Run) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byName[run.Name]
}

func (p *program) beforeRun(ctx context.Context, run executor.Run) {
	j := p.jobOf(run)
	if j == nil {
		return
	}
	defer p.enterHook(j, ctx)()
	if j.beforeRun != nil {
		p.makeCall(j.beforeRun, scope{ctx: ctx, endsWith: []*job{j}, onBehalf: []*job{j}})
	}
	p.misbehave(p.drawMisbehaviour("before", j.id), j.id)
}

func (p *program) afterRun(ctx context.Context, run executor.Run, _ error) {
	j := p.jobOf(run)
	if j == nil {
		return
	}
	defer p.enterHook(j, ctx)()
	if j.afterRun != nil {
		p.makeCall(j.afterRun, scope{ctx: ctx, endsWith: []*job{j}, onBehalf: []*job{j}})
	}
	p.misbehave(p.drawMisbehaviour("after", j.id), j.id)
}

func (p *program) onError(_ context.Context, run executor.Run, _ error) {
	j := p.jobOf(run)
	if j == nil {
		return
	}
	defer p.enterHook(j, nil)()
	p.misbehave(p.drawMisbehaviour("error", j.id), j.id)
}

// enterHook notes that a hook of the run of j begins. The function returned notes its end.
func (p *program) enterHook(j *job, ctx context.Context) (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advanceLocked()
	j.inHook = true
	if j.ctx == nil {
		j.ctx = ctx
	}
	g := p.pushLocked(j, true)
	return func() { // also by Goexit
		p.mu.Lock()
		defer p.mu.Unlock()
		p.advanceLocked()
		p.popLocked(g)
	}
}

// callHost calls one of the methods of the host that anybody may call at any time.
func (p *program) callHost(h *host, n int) {
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

// reentrantContext is a base context whose methods call the pool.
type reentrantContext struct {
	context.Context
	program *program
}

func (b *reentrantContext) reenter() {
	if h := b.program.hosts; h != nil {
		_, _ = h[0].pool.Stats(), h[0].pool.Queued()
	}
}

func (b *reentrantContext) Value(key any) any           { b.reenter(); return b.Context.Value(key) }
func (b *reentrantContext) Err() error                  { b.reenter(); return b.Context.Err() }
func (b *reentrantContext) Done() <-chan struct{}       { b.reenter(); return b.Context.Done() }
func (b *reentrantContext) Deadline() (time.Time, bool) { b.reenter(); return b.Context.Deadline() }

// reentrantHandler is a log handler that may misbehave.
type reentrantHandler struct{ program *program }

func (h reentrantHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h reentrantHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h reentrantHandler) WithGroup(string) slog.Handler            { return h }

func (h reentrantHandler) Handle(_ context.Context, r slog.Record) error {
	n := len(r.Message) + r.NumAttrs()
	r.Attrs(func(a slog.Attr) bool { n += len(a.Value.String()); return true })
	h.program.misbehave(h.program.drawMisbehaviour("log", n), n)
	return errBoom
}

// failure returns the error that the body of j returns or panics with.
func (p *program) failure(j *job) error {
	if !p.misbehaves {
		return errBoom
	}
	switch j.id % 4 {
	case 0:
		return (*reentrantError)(nil)
	case 1:
		return &reentrantError{p, j.id}
	}
	return errBoom
}

// reentrantError is an error whose methods may misbehave.
type reentrantError struct {
	program *program
	n       int
}

func (e *reentrantError) Error() string {
	e.program.misbehave(e.program.drawMisbehaviour("text", e.n), e.n)
	return "bad"
}

func (e *reentrantError) Is(error) bool {
	if a := e.program.drawMisbehaviour("is", e.n); a != exitsGoroutine {
		e.program.misbehave(a, e.n)
	}
	return false
}
