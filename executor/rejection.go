package executor

import (
	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/rejection"
)

// OnRejection sets the rejection policy of a pool; the default is [rejection.Abort]. It panics if
// policy is nil.
func OnRejection(policy rejection.Policy) Option {
	if policy == nil {
		panic("executor: nil rejection policy")
	}
	return option(func(s *settings) { s.Policy = asking(policy) })
}

// SetRejectionPolicy changes the policy, from the next rejection on. It fails with [ErrInvalid] if
// policy is nil.
func (p *Pool) SetRejectionPolicy(policy rejection.Policy) error {
	if policy == nil {
		return invalid("nil rejection policy")
	}
	p.engine().Door.SetPolicy(asking(policy))
	return nil
}

// asking returns the policy as the engine calls it.
func asking(policy rejection.Policy) engine.Policy {
	return func(r *engine.Rejection) error { return policy((*rejection.Task)(r)) }
}
