package eventloop

import (
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
)

// Option configures a loop at its construction. A loop takes some of the options of a pool, with
// the same meaning: each [executor.CommonOption], such as [executor.Name], [executor.Logger],
// [executor.Slack], [executor.Defaults] and [executor.Watch].
type Option interface{ anyOption }

type anyOption = run.Option

// The option type of package executor must satisfy Option.
var _ Option = executor.CommonOption(nil)

func newSettings(opts []Option) (s run.Settings) {
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("eventloop: option %d is nil", i))
		}
		o.Apply(&s)
	}
	return s
}
