package pairs

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
)

type (
	opts     = []executor.Option
	taskOpts = []executor.TaskOption
)

// definition is a feature with what it does. Which of the functions are set depends on its kind.
type definition struct {
	Feature

	// shape changes a program so that the feature probably has an effect on the task.
	shape func(d *draft, t *task, u *use)

	option  func(l *life, u *use) opts              // of an executor
	lane    func(l *life, u *use) serial.Option     // of a serial executor
	task    func(l *life, t *task, u *use) taskOpts // of a task
	submit  func(l *life, r *record, opts taskOpts)
	body    func(l *life, r *record, b *bodyRun, ctx context.Context) error
	command func(l *life, r *record, u *use) // r is nil if it is for the executor
	behave  func(l *life, r *record)         // how a callback behaves
	policy  func(l *life, f *Feature) rejection.Policy
	end     func(l *life)

	observed func(l *life, u *use) // marks effects that only the whole record shows
}

// definitions are in the order of the features.
var definitions []*definition

func definitionOf(f *Feature) *definition { return definitions[f.index] }
