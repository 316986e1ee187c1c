package eventloop

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// aside is a run without its body, of a task that has waited for too long, or that has nothing to
// wait for any more. It has a goroutine of its own: the loop may be busy. The loop does not end
// before it.
type aside struct {
	run.Execution
	loop *Loop
}

// SetAsideLocked is that of [run.Host].
func (h *host) SetAsideLocked(c *cell.Cell, why run.Skip) (finish func()) {
	l := (*Loop)(h)
	l.waiting.collectLocked()
	if l.life.stage >= stopping || !l.waiting.agenda.extract(c) {
		return nil
	}
	a := &aside{run.Execution{Owner: &l.runs, Aside: why, Meant: l.rest.next.Load()}, l}
	if !a.Start(c, planOf(c), l.clock.Now()) {
		l.counts.reclaimed++
		return nil
	}
	l.runs.SettleElsewhereLocked(a.finish)
	return func() {}
}

func (a *aside) finish() {
	defer a.leave() // also by Goexit
	a.Prepare()     // it calls no body
	a.complete()
}

func (a *aside) complete() {
	if a.Over {
		return
	}
	a.Over = true
	a.Conclude()
	if a.loop.runs.Watched {
		defer a.Finish()
	}
	a.Tell()
}

func (a *aside) leave() {
	l := a.loop
	defer func() { // even if a handler ends the goroutine
		l.mu.Lock()
		when, refused := l.endLocked(&a.Execution)
		l.mu.Unlock()
		if refused != nil {
			l.endSeries(refused)
		}
		l.rest.signal(when)
	}()
	a.complete()
}
