package observe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

func TestWhoWaitsForWhom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		_, err := p.Submit(func(ctx context.Context) error {
			time.Sleep(time.Second)
			f, err := p.Submit(lasts(time.Minute), executor.Name("inner"))
			require.NoError(t, err)
			_, err = f.Get(ctx)
			return err
		}, executor.Name("outer"))
		require.NoError(t, err)
		time.Sleep(time.Millisecond)
		assert.False(t, p.Running()[0].Waits)
		time.Sleep(2 * time.Second)
		running := p.Running()
		require.Len(t, running, 2)
		assert.Equal(t, "outer", running[0].Name)
		assert.True(t, running[0].Waits)
		assert.Equal(t, "inner", running[0].WaitsFor)
		assert.Contains(t, running[0].String(), "waits_for=inner")
		assert.False(t, running[1].Waits)
		time.Sleep(time.Minute)
		assert.Empty(t, p.Running())
	})
}
