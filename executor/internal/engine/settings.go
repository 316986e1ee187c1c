package engine

import (
	"context"
	"math"
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
	AtEnd        run.Hooks[func()]
	Decorate     []func(Task) Task

	// The queue of a plain pool; if the user has supplied it, it is a [Custom]. Simple tells that
	// it is first in, first out, and unbounded, so that an inbox can take its place.
	MakeQueue func() runqueue.Queue
	Capacity  int
	Simple    bool
}

// settings are the Settings of a pool in use, with what may change while it runs, except its sizes,
// which the lock guards. That can be read without the lock. All but the policy is written with it,
// because some settings are checked against each other, and idle workers are then called to look at
// them. KeepAlive comes first, so that it is aligned on a processor of 32 bits.
type settings struct {
	keepAlive   atomic.Duration
	coreTimeout atomic.Bool
	policy      atomic.Pointer[Policy]

	// What Shutdown does to queued tasks.
	executeDelayed   atomic.Bool
	continuePeriodic atomic.Bool

	Settings
}

func (s *settings) init(from Settings) {
	s.Settings = from
	s.keepAlive.Store(from.KeepAlive)
	s.coreTimeout.Store(from.CoreTimeout)
	s.policy.Store(&from.Policy)
	s.executeDelayed.Store(true)
}

// Policy decides what becomes of a task for which a pool has no room. It is user code.
type Policy = func(r *Rejection) error

// Unbounded is the capacity of a queue without a limit.
const Unbounded = math.MaxInt
