package engine

import (
	"context"
	"time"

	"go.uber.org/atomic"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
)

// Settings are what the options of a pool set. Package executor has checked that they go together.
type Settings struct {
	Shared       run.Settings // with event loops and supervisors
	Maximum      int          // 0: the same as the core size
	KeepAlive    time.Duration
	CoreTimeout  bool
	GrowFirst    bool
	SizesFixed   bool
	PendingLimit int // 0: none
	Pace         *Pace
	Policy       Policy
	Before       run.Hooks[func(context.Context, run.Info)]
	After        run.Hooks[func(context.Context, run.Info, error)]
	Terminated   run.Hooks[func()]
	Decorate     []func(Task) Task
	Health       func() any // see [run.Owner]

	// The queue of a plain pool; if the user has supplied it, it is a [Custom]. Simple tells that it
	// is first in, first out, and unbounded, so that an inbox can take its place.
	MakeQueue func() runqueue.Queue
	Capacity  int
	Simple    bool
}

// Unbounded is the capacity of a queue without a limit.
const Unbounded = unbounded

// settings are the Settings of a pool in use. They do not change, except the tunables and the
// maximum size.
type settings struct {
	tunables
	maximum int // 0: the same as the core size; the pool's lock guards it

	shared       run.Settings
	pace         *Pace // nil if there is none
	growFirst    bool
	sizesFixed   bool
	makeQueue    func() runqueue.Queue
	simple       bool
	room         int // how many tasks may wait in the queue
	pendingLimit int
	before       run.Hooks[func(context.Context, run.Info)]
	after        run.Hooks[func(context.Context, run.Info, error)]
	terminated   run.Hooks[func()]
	decorate     []func(Task) Task
}

// tunables are the settings of a pool that may change while it runs, except its sizes, which the
// lock guards. They can be read without the lock. All but the policy are written with it, because
// some are checked against each other, and idle workers are then called to look at them.
type tunables struct {
	keepAlive   atomic.Duration
	coreTimeout atomic.Bool
	policy      atomic.Pointer[Policy]

	// What Shutdown does to queued tasks.
	executeDelayed   atomic.Bool
	continuePeriodic atomic.Bool
}

func (s *settings) init(from Settings) {
	s.keepAlive.Store(from.KeepAlive)
	s.coreTimeout.Store(from.CoreTimeout)
	s.policy.Store(&from.Policy)
	s.executeDelayed.Store(true)
	s.maximum, s.shared, s.pace = from.Maximum, from.Shared, from.Pace
	s.growFirst, s.sizesFixed = from.GrowFirst, from.SizesFixed
	s.makeQueue, s.simple, s.room = from.MakeQueue, from.Simple, from.Capacity
	s.pendingLimit = from.PendingLimit
	s.before, s.after, s.terminated = from.Before, from.After, from.Terminated
	s.decorate = from.Decorate
}
