package eventloop

import (
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// Option configures a loop at its construction. A loop takes some of the options of a pool, with
// the same meaning: each [executor.LoopOption], such as [executor.Slack], [executor.Defaults] and
// [executor.OnHealth]; and [executor.Name], [executor.Logger] and [executor.ErrorHandler].
type Option interface{ anyOption }

type anyOption = run.Option

// The option type of package executor must satisfy Option.
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
