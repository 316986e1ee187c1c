package alerts

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Observer is for the pools of the tasks that have heartbeats: give it to executor.Observe. Without
// it they are not pinged.
func (a *Alerter) Observer() executor.Observer {
	o := executor.Observer{Ended: func(_ context.Context, run executor.Run, err error) {
		if err == nil {
			a.beat(run.Name, kindSuccess)
		}
	}}
	if a.config.Starts {
		o.Began = func(ctx context.Context, run executor.Run) context.Context {
			a.beat(run.Name, kindStart)
			return ctx
		}
	}
	return o
}

// beat has the heartbeat of a task pinged, if it has one.
func (a *Alerter) beat(name, kind string) {
	l := a.beats[name]
	if l == nil {
		return
	}
	a.mu.Lock()
	defer a.unlock()
	if kind == kindSuccess {
		l.well = time.Now()
	}
	a.pushLocked(l, message{kind: kind})
}
