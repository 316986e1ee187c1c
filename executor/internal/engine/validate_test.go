package engine_test

import (
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/engine"
)

// engineOf returns the pool behind the door.
func engineOf[P executor.Pool | executor.ScheduledPool](p *P) *engine.Pool {
	switch p := any(p).(type) {
	case *executor.Pool:
		return (*engine.Pool)(p)
	case *executor.ScheduledPool:
		return (*engine.Pool)(&p.Pool)
	}
	return nil
}

// validate checks what must hold of a pool at rest.
func validate(p any) error {
	if p, ok := p.(*executor.ScheduledPool); ok {
		return engineOf(p).Validate()
	}
	return engineOf(p.(*executor.Pool)).Validate()
}
