package eventloop

import (
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// Option configures a loop at its construction. The options are some of those of a pool:
// [executor.Name], [executor.BaseContext], [executor.Logger] and [executor.ErrorHandler]. They mean for
// a loop what they mean for a pool.
type Option interface{ anyOption }

type anyOption = run.Option

var _ Option = executor.LoopOption(nil)

func newSettings(opts []Option) (s run.Settings) {
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("eventloop: option %d is nil", i))
		}
		o.Apply(&s)
	}
	return s
}
