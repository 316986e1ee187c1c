package engine

import (
	"iter"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// executionsLocked yields all workers, and then all extra runs.
func (cr *Crew) executionsLocked() iter.Seq[*execution] {
	return func(yield func(*execution) bool) {
		for w := range cr.workers {
			if !yield(&w.execution) {
				return
			}
		}
		for g := range cr.pool.loans.extraRuns {
			if !yield(&g.execution) {
				return
			}
		}
	}
}

// runsLocked is executionsLocked as package run sees them, without what is set aside.
func (p *Pool) runsLocked() iter.Seq[*run.Execution] {
	return func(yield func(*run.Execution) bool) {
		for x := range p.Crew.executionsLocked() {
			if !x.IsAside() && !yield(&x.Execution) {
				return
			}
		}
	}
}
