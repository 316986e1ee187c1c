package cluster

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
)

// Whatever a function of the user's does beside its job, who has called it goes on.
func TestAFunctionOfTheUsersThatDoesNotReturn(t *testing.T) {
	for what, fn := range map[string]func(){"panics": func() { panic("bad") }, "exits": runtime.Goexit} {
		t.Run(what, func(t *testing.T) {
			require.Error(t, callUser(fn))
			task := Define("work", func(context.Context, string) (int, error) { return 0, nil },
				Rate(1, time.Second, func(string) string { fn(); return "key" }))
			require.NoError(t, task.fault)
			_, err := task.rateKey([]byte(`"payload"`))
			require.ErrorContains(t, err, `the key of Rate of task "work"`)
			p := &Pool{settings: settings{redact: func(string, Part, string) string { fn(); return "secret" }}}
			require.Equal(t, hidden, p.shown("work", PartError, "secret"))
		})
	}
	require.ErrorIs(t, callUser(runtime.Goexit), future.ErrGoexit)
	require.NoError(t, callUser(func() {}))
	p := &Pool{settings: settings{redact: func(task string, part Part, text string) string {
		return strings.Join([]string{task, string(part), text}, " ")
	}}}
	require.Equal(t, "work error bad", p.shown("work", PartError, "bad"))
}
