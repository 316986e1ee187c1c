package litmus

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/punctual-go/punctual/future"
)

// cancelFixture races a worker with Cancel, CancelCause or Stop: by who has submitted the task, and
// sometimes by another, too, as otherwise the worker has the processor.
type cancelFixture struct {
	poolFixture
	rounds []cancelRound
}

type cancelRound struct {
	future atomic.Pointer[future.Future[struct{}]]
	runs   atomic.Int32
	wins   [2]bool // what each has been told
	how    [2]int
}

func (fx *cancelFixture) prepare(rounds int) {
	fx.open(1 + fx.rng.IntN(2))
	fx.rounds = make([]cancelRound, rounds)
}

func (fx *cancelFixture) acts() []act { return []act{fx.submitAndCancel, fx.cancelToo} }

func (fx *cancelFixture) submitAndCancel(a *actor, i int) {
	r := &fx.rounds[i]
	yields := yielding(a.rng)
	body := func(context.Context) error {
		fx.runBody(func() {
			r.runs.Add(1)
			if yields { // so that there is something to cancel
				runtime.Gosched()
			}
		})
		return nil
	}
	a.spinUntil(func() bool {
		f, err := fx.pool.Submit(body)
		r.future.Store(f)
		return fx.noteSubmitted(err)
	})
	if a.oneIn(2) {
		runtime.Gosched()
	}
	a.pause()
	fx.cancel(a, r, 0)
	if f := r.future.Load(); a.oneIn(4) {
		<-f.Stopped()
	}
}

func (fx *cancelFixture) cancelToo(a *actor, i int) {
	if r := &fx.rounds[i]; a.oneIn(8) {
		a.spinUntil(func() bool { return r.future.Load() != nil })
		fx.cancel(a, r, 1)
	}
}

func (fx *cancelFixture) cancel(a *actor, r *cancelRound, who int) {
	r.how[who] = a.rng.IntN(4)
	if r.wins[who] = cancelBy(r.how[who], r.future.Load()); r.wins[who] {
		fx.cancelled.Add(1)
	}
}

func (fx *cancelFixture) outcome(i int) string {
	r := &fx.rounds[i]
	f := r.future.Load()
	<-f.Stopped()
	result, settled := f.Poll()
	runs := r.runs.Load()
	switch {
	case runs > 1:
		return ranTwice
	case r.wins[0] && r.wins[1]:
		return cancelTwice
	case !settled, r.wins[0] && !isCancelled(r.how[0], result.Err), r.wins[1] &&
		!isCancelled(r.how[1], result.Err):
		return anotherOutcome
	case r.wins[0] || r.wins[1]:
		return []string{cancelledEarly, cancelledInRun}[runs]
	case runs == 0:
		return neverRan
	case result.Err != nil:
		return anotherOutcome
	}
	return ran
}

func (fx *cancelFixture) describe(i int) string {
	r := &fx.rounds[i]
	return fmt.Sprintf("%s: %d runs, told %v in ways %v; now %v", kindName(fx.kind), r.runs.Load(),
		r.wins, r.how, r.future.Load())
}
