package pooltest

import (
	"testing"
	"testing/synctest"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
)

// Target is something that takes tasks, and the pool that runs them.
type Target struct {
	executor.Submitter
	Pool *executor.Pool
}

// targets are how to make one of every kind.
var targets = map[string]func(t *testing.T) Target{
	"fixed":  func(t *testing.T) Target { return plain(Stop(t, executor.NewPool(2, Quiet()))) },
	"cached": func(t *testing.T) Target { return plain(Stop(t, NewCached(Quiet()))) },
	"single": func(t *testing.T) Target {
		return plain(Stop(t, executor.NewPool(1, executor.Confined(), Quiet())))
	},
	"priorities": func(t *testing.T) Target {
		return plain(NewPool(t, 2, executor.Queue(queue.Priority())))
	},
	"scheduled": func(t *testing.T) Target {
		p := NewScheduledPool(t, 2)
		return Target{p, &p.Pool}
	},
	"serial": func(t *testing.T) Target {
		p := NewPool(t, 2)
		return Target{serial.New(p), p}
	},
	"keyed": func(t *testing.T) Target {
		p := NewPool(t, 2)
		return Target{serial.NewKeyed[int](p).For(7), p}
	},
	"bounded, caller runs": func(t *testing.T) Target {
		opts := []executor.Option{executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.CallerRuns)}
		return plain(NewPool(t, 1, opts...))
	},
	"bounded, block": func(t *testing.T) Target {
		opts := []executor.Option{executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.Block)}
		return plain(NewPool(t, 1, opts...))
	},
}

func plain(p *executor.Pool) Target { return Target{p, p} }

// EachTarget runs a test on a target of every kind, in a bubble each.
func EachTarget(t *testing.T, test func(t *testing.T, p Target)) {
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, target(t)) })
		})
	}
}
