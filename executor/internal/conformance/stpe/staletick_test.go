//go:build !go1.27

package stpe_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// The channel of a timer had a buffer before Go 1.23 and, until Go 1.27 removed the setting, has
// one again under GODEBUG=asynctimerchan=1: a tick of the keep-alive that comes while the worker
// runs a task lies there when it is idle again. Virtual time does not work with that setting, so
// the test is a program of its own.
func TestAWorkerKeepsAliveThoughATickOfBeforeIsLeft(t *testing.T) {
	const child = "PUNCTUAL_TEST_OF_A_STALE_TICK"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), child+"=1", "GODEBUG="+os.Getenv("GODEBUG")+",asynctimerchan=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	const keepAlive = 50 * time.Millisecond
	p := executor.NewPool(1, executor.KeepAlive(keepAlive), executor.CoreTimeout())
	defer p.Close()
	require.NoError(t, p.Execute(pooltest.Nothing))
	time.Sleep(keepAlive / 5) // the worker is idle
	ended := make(chan time.Time, 1)
	require.NoError(t, p.Execute(func(context.Context) error {
		time.Sleep(3 * keepAlive)
		ended <- time.Now()
		return nil
	}))
	from := <-ended
	for p.Stats().Workers > 0 {
		time.Sleep(time.Millisecond)
	}
	assert.GreaterOrEqual(t, time.Since(from), keepAlive, "it has gone before its time")
}
