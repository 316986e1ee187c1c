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
func (b *callbacks) drawMisbehaviour(sort string, n int) misbehaviour {
	x := mix(b.seed ^ uint64(n+1)*0x9e3779b97f4a7c15 ^ uint64(len(sort)+int(sort[0]))<<32)
	if !b.misbehaves || x%4 > 0 {
		return noMisbehaviour
	}
	a := reenters + misbehaviour(x>>8%4)
	if a == exitsGoroutine && b.hosts[0].callerRuns || a == takesTime && !b.slow {
		return reenters
	}
	return a
}

// misbehave does what was drawn.
func (b *callbacks) misbehave(a misbehaviour, n int) {
	switch a {
	case reenters:
		b.player.callHost(b.hosts[0], n)
	case panicsInCallback:
		panic(errBoom)
	case exitsGoroutine:
		runtime.Goexit()
	case takesTime:
		time.Sleep(time.Duration(1+n%5) * grid)
	}
}

// drawCallbacks draws the callbacks of the host: hooks, handlers, loggers, and base contexts.
func (b *callbacks) drawCallbacks(h *host) (opts []executor.Option) {
	b.misbehaves, b.hooked = b.oneIn(3), b.oneIn(3)
	b.hooked = b.hooked || b.misbehaves
	b.slow = b.misbehaves && b.oneIn(2)
	logger := silent
	if b.misbehaves {
		logger = slog.New(reentrantHandler{b})
	}
	opts = append(opts, executor.Logger(logger))
	if b.oneIn(3) {
		opts = append(opts, executor.Name("program"))
	}
	if !b.hooked {
		return opts
	}
	opts = append(opts, executor.BeforeRun(b.beforeRun), executor.AfterRun(b.afterRun))
	if b.oneIn(2) {
		opts = append(opts, executor.ErrorHandler(b.onError))
	}
	if b.misbehaves && b.oneIn(2) {
		opts = append(opts, executor.BaseContext(&reentrantContext{Context: context.Background(),
			callbacks: b}))
	}
	if b.misbehaves && b.oneIn(2) {
		opts = append(opts, executor.AfterTermination(func() {
			b.misbehave(b.drawMisbehaviour("terminated", 0), 0)
		}))
	}
	return opts
}

// jobOf returns the task of a run, if that has its name.
func (b *callbacks) jobOf(run executor.Run) *job {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.byName[run.Name]
}

func (b *callbacks) beforeRun(ctx context.Context, run executor.Run) {
	j := b.jobOf(run)
	if j == nil {
		return
	}
	defer b.enterHook(j, ctx)()
	if j.beforeRun != nil {
		b.player.makeCall(j.beforeRun, scope{ctx: ctx, endsWith: []*job{j}, onBehalf: []*job{j}})
	}
	b.misbehave(b.drawMisbehaviour("before", j.id), j.id)
}

func (b *callbacks) afterRun(ctx context.Context, run executor.Run, _ error) {
	j := b.jobOf(run)
	if j == nil {
		return
	}
	defer b.enterHook(j, ctx)()
	if j.afterRun != nil {
		b.player.makeCall(j.afterRun, scope{ctx: ctx, endsWith: []*job{j}, onBehalf: []*job{j}})
	}
	b.misbehave(b.drawMisbehaviour("after", j.id), j.id)
}

func (b *callbacks) onError(_ context.Context, run executor.Run, _ error) {
	j := b.jobOf(run)
	if j == nil {
		return
	}
	defer b.enterHook(j, nil)()
	b.misbehave(b.drawMisbehaviour("error", j.id), j.id)
}

// enterHook notes that a hook of the run of j begins. The function returned notes its end.
func (b *callbacks) enterHook(j *job, ctx context.Context) (over func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advanceLocked()
	j.inHook = true
	if j.ctx == nil {
		j.ctx = ctx
	}
	g := b.threads.pushLocked(j, true)
	return func() { // also by Goexit
		b.mu.Lock()
		defer b.mu.Unlock()
		b.advanceLocked()
		b.threads.popLocked(g)
	}
}

// failure returns the error that the body of j returns or panics with.
func (b *callbacks) failure(j *job) error {
	if !b.misbehaves {
		return errBoom
	}
	switch j.id % 4 {
	case 0:
		return (*reentrantError)(nil)
	case 1:
		return &reentrantError{b, j.id}
	}
	return errBoom
}
