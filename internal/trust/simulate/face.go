package simulate

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// antic is what a function of the user's does beside what it is for.
type antic uint8

const (
	behaves antic = iota
	callsBack
	throws
	leaves // by Goexit
	dawdles
)

// antic draws one, for the n-th occasion of some sort. It takes no lock.
func (p *program) antic(sort string, n int) antic {
	x := mix(p.seed ^ uint64(n+1)*0x9e3779b97f4a7c15 ^ uint64(len(sort)+int(sort[0]))<<32)
	if !p.wild || x%4 > 0 {
		return behaves
	}
	a := callsBack + antic(x>>8%4)
	if a == leaves && p.hosts[0].inline || a == dawdles && !p.vague {
		return callsBack
	}
	return a
}

// act does it.
func (p *program) act(a antic, n int) {
	switch a {
	case callsBack:
		p.meddle(p.hosts[0], n)
	case throws:
		panic(errBoom)
	case leaves:
		runtime.Goexit()
	case dawdles:
		time.Sleep(time.Duration(1+n%5) * grid)
	}
}

// faces draws what of the user's the host calls: hooks, handlers, loggers, and base contexts.
func (p *program) faces(h *host) (opts []executor.Option) {
	p.wild, p.hooked = p.oneIn(3), p.oneIn(3)
	p.hooked = p.hooked || p.wild
	p.vague = p.wild && p.oneIn(2)
	logger := silent
	if p.wild {
		logger = slog.New(handler{p})
	}
	opts = append(opts, executor.Logger(logger))
	if p.oneIn(3) {
		opts = append(opts, executor.PoolName("program"))
	}
	if !p.hooked {
		return opts
	}
	opts = append(opts, executor.BeforeRun(p.beforeRun), executor.AfterRun(p.afterRun))
	if p.oneIn(2) {
		opts = append(opts, executor.ErrorHandler(p.onError))
	}
	if p.wild && p.oneIn(2) {
		opts = append(opts, executor.BaseContext(&base{Context: context.Background(), program: p}))
	}
	if p.wild && p.oneIn(2) {
		opts = append(opts, executor.OnTerminated(func() { p.act(p.antic("terminated", 0), 0) }))
	}
	return opts
}

// find returns the task of a run, if that has its name.
func (p *program) find(run executor.Run) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byName[run.Name]
}

func (p *program) beforeRun(ctx context.Context, run executor.Run) {
	j := p.find(run)
	if j == nil {
		return
	}
	defer p.hook(j, ctx)()
	if j.early != nil {
		p.do(j.early, scope{ctx: ctx, ends: []*job{j}, of: []*job{j}})
	}
	p.act(p.antic("before", j.id), j.id)
}

func (p *program) afterRun(ctx context.Context, run executor.Run, _ error) {
	j := p.find(run)
	if j == nil {
		return
	}
	defer p.hook(j, ctx)()
	if j.late != nil {
		p.do(j.late, scope{ctx: ctx, ends: []*job{j}, of: []*job{j}})
	}
	p.act(p.antic("after", j.id), j.id)
}

func (p *program) onError(_ context.Context, run executor.Run, _ error) {
	j := p.find(run)
	if j == nil {
		return
	}
	defer p.hook(j, nil)()
	p.act(p.antic("error", j.id), j.id)
}

// hook notes that a hook of the run of j begins, and returns what notes its end.
func (p *program) hook(j *job, ctx context.Context) (over func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass()
	j.seized = true
	if j.ctx == nil {
		j.ctx = ctx
	}
	th := p.push(j, true)
	return func() { // also by Goexit
		p.mu.Lock()
		defer p.mu.Unlock()
		p.pass()
		p.pop(th)
	}
}

// meddle calls one of the methods of the host, of those that anybody may call at any time.
func (p *program) meddle(h *host, n int) {
	p.did(1)
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
			_ = tryPush(func() error { return pool.Execute(func(context.Context) error { return nil }) })
		}
	case 10:
		if h.base.ended {
			pool.Shutdown()
		}
	case 11:
		_ = pool.AwaitTermination(ended())
	}
}

// ended returns a context that has.
func ended() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}

// base is a base context whose methods call the pool.
type base struct {
	context.Context
	program *program
}

func (b *base) look() {
	if h := b.program.hosts; h != nil {
		_, _ = h[0].pool.Stats(), h[0].pool.Queued()
	}
}

func (b *base) Value(key any) any           { b.look(); return b.Context.Value(key) }
func (b *base) Err() error                  { b.look(); return b.Context.Err() }
func (b *base) Done() <-chan struct{}       { b.look(); return b.Context.Done() }
func (b *base) Deadline() (time.Time, bool) { b.look(); return b.Context.Deadline() }

// handler is that of a log that does more than to write.
type handler struct{ program *program }

func (h handler) Enabled(context.Context, slog.Level) bool { return true }
func (h handler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h handler) WithGroup(string) slog.Handler            { return h }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	n := len(r.Message) + r.NumAttrs()
	r.Attrs(func(a slog.Attr) bool { n += len(a.Value.String()); return true })
	h.program.act(h.program.antic("log", n), n)
	return errBoom
}

// failure returns the error that the body of j returns or panics with.
func (p *program) failure(j *job) error {
	if !p.wild {
		return errBoom
	}
	switch j.id % 4 {
	case 0:
		return (*bad)(nil)
	case 1:
		return &bad{p, j.id}
	}
	return errBoom
}

// bad is an error whose methods do more than they should.
type bad struct {
	program *program
	n       int
}

func (e *bad) Error() string {
	e.program.act(e.program.antic("text", e.n), e.n)
	return "bad"
}

func (e *bad) Is(error) bool {
	if a := e.program.antic("is", e.n); a != leaves {
		e.program.act(a, e.n)
	}
	return false
}
