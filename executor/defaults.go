package executor

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// Defaults gives every task of a pool or event loop these options, as if they stood before its own:
// an option that a task is given itself replaces the default. So a pool whose tasks must not hang
// says
//
//	executor.NewScheduledPool(4, executor.Defaults(executor.Timeout(time.Minute)))
//
// An option that cannot apply to a task is ignored, as ever; one that contradicts the task, such as
// a [Jitter] above its period, makes the submission fail with [ErrInvalid]. Defaults given
// twice add up. A default costs a task what the option costs it, and the short cuts for tasks
// without options.
//
// Defaults panics if an option is nil or bad, and for what belongs to one task alone: [Name],
// [Unique] and [WithValues]; the values that all tasks have are those of [BaseContext].
func Defaults(opts ...TaskOption) CommonOption {
	o, err := run.Resolve(new(run.Settings), opts)
	switch {
	case err != nil:
		panic(fmt.Sprintf("executor: defaults: %v", err))
	case o.Name != "" || o.Unique || o.Values != nil:
		panic("executor: defaults: a name, Unique and WithValues are options of one task")
	}
	return forLoops(func(s *run.Settings) {
		all := series.Options{}
		if s.Defaults != nil {
			all = *s.Defaults
		}
		for _, opt := range opts {
			_ = opt.Resolve(&all) // it has been checked
		}
		s.Defaults = &all
	})
}
