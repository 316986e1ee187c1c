package executor

import "go.uber.org/atomic"

// tunables are the settings of a pool that may change while it runs, except its sizes, which the
// lock guards. They can be read without the lock. All but the policy are written with it, because
// some are checked against each other, and idle workers are then called to look at them.
type tunables struct {
	keepAlive   atomic.Duration
	coreTimeout atomic.Bool
	policy      atomic.Pointer[RejectionPolicy]

	// What Shutdown does to queued tasks, see ScheduledPool.
	executeDelayed   atomic.Bool
	continuePeriodic atomic.Bool
}

func (t *tunables) setPolicy(policy RejectionPolicy) { t.policy.Store(&policy) }
