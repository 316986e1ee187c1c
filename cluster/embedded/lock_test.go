package embedded_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster/embedded"
)

func TestADirectoryIsUsedByOneServerAtATime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	first, err := embedded.Start(ctx, dir)
	require.NoError(t, err)

	brief, cancelBrief := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancelBrief()
	_, err = embedded.Start(brief, dir)
	require.ErrorContains(t, err, "another server uses the directory")
	require.ErrorContains(t, err, dir)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	next := make(chan error)
	go func() {
		second, err := embedded.Start(ctx, dir) // waits for the first to end
		if err == nil {
			second.Close()
		}
		next <- err
	}()
	select {
	case err := <-next:
		require.Fail(t, "it did not wait", "%v", err)
	case <-time.After(200 * time.Millisecond):
	}
	first.Close()
	require.NoError(t, <-next)
}
