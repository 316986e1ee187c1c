package executor_test

import (
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
)

const madeOutside = "the pool is used in a testing/synctest bubble and was made outside of it"

func TestAPoolFromOutsideOfABubbleRefusesATaskForLater(t *testing.T) {
	p := executor.NewScheduledPool(1)
	defer p.Close()
	synctest.Test(t, func(t *testing.T) {
		_, err := p.Schedule(time.Millisecond, pooltest.Nothing)
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.ErrorContains(t, err, madeOutside)
		_, err = p.AtFixedRate(0, time.Second, pooltest.Nothing)
		assert.ErrorContains(t, err, madeOutside)
	})
	f, err := p.Schedule(time.Millisecond, pooltest.Nothing)
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	assert.NoError(t, err)
}

// The process ends, so this is tried in another one.
func TestAPoolFromOutsideOfABubbleStartsNoWorkerInside(t *testing.T) {
	const variable = "EXECUTOR_TEST_OUTSIDE"
	pools := map[string]func() *executor.Pool{
		"plain":     func() *executor.Pool { return executor.NewPool(1) },
		"bounded":   func() *executor.Pool { return executor.NewPool(1, executor.Queue(queue.Bounded(1))) },
		"scheduled": func() *executor.Pool { return &executor.NewScheduledPool(1).Pool },
	}
	if name := os.Getenv(variable); name != "" {
		p := pools[name]()
		synctest.Test(t, func(t *testing.T) {
			f, err := p.Submit(pooltest.Nothing)
			require.NoError(t, err)
			_, _ = f.GetTimeout(time.Hour)
			select {}
		})
	}
	for name := range pools {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), variable+"="+name)
		out, err := cmd.CombinedOutput()
		assert.Error(t, err, name)
		assert.Contains(t, string(out), madeOutside, name)
	}
}
