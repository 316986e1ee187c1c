package eventloop_test

import (
	"context"
	"runtime"
	"runtime/pprof"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/internal/labelstest"
)

// stainedContext has a label that belongs to one task only.
func stainedContext() context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("stain", "here"))
}

func TestLabelsThatATaskHasSetEndWithItsRun(t *testing.T) {
	loops := map[string]struct {
		opts []eventloop.Option
		want string
	}{
		"named loop":   {[]eventloop.Option{executor.Name("loop")}, `{"pool":"loop"}`},
		"unnamed loop": {nil, ""},
		"base context": {[]eventloop.Option{executor.BaseContext(stainedContext())}, `{"stain":"here"}`},
	}
	leave := map[string]func(){
		"returns":            func() {},
		"panics":             func() { panic("stained") },
		"ends its goroutine": runtime.Goexit,
	}
	for loop, c := range loops {
		for end, leave := range leave {
			for _, name := range []string{"", "task"} {
				t.Run(loop+", "+end+" "+name, func(t *testing.T) {
					withLoop(t, func(t *testing.T, l *eventloop.Loop) {
						_, err := l.Submit(func(ctx context.Context) error {
							pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels("mine", "yes")))
							leave()
							return nil
						}, executor.Name(name))
						require.NoError(t, err)
						f, err := eventloop.Submit(l, func(context.Context) (string, error) { return labelstest.Here(), nil })
						require.NoError(t, err)
						got, err := f.Get(t.Context())
						require.NoError(t, err)
						assert.Equal(t, c.want, got)
					}, c.opts...)
				})
			}
		}
	}
}
