package serial_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/probe"
)

// manyKeys is how many keys have tasks at once. A map of Go keeps the room that it once had.
func manyKeys() int {
	if testing.Short() || probe.RaceEnabled {
		return 100_000
	}
	return 250_000
}

// Each key has a task that waits for its turn, too.
func TestKeysThatHaveNoTasksAnyMoreLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		k := serial.NewKeyed[int](p)
		before := int(probe.HeapInUse())
		hold := pooltest.NewGate(t)
		require.NoError(t, p.Execute(hold.Hold))
		for key := range manyKeys() {
			require.NoError(t, k.Execute(key, pooltest.Nothing))
			require.NoError(t, k.Execute(key, pooltest.Nothing))
		}
		hold.Open()
		synctest.Wait()
		assert.Zero(t, k.Keys())
		assert.Less(t, int(probe.HeapInUse())-before, 1<<18, "bytes left of %d keys", manyKeys())
		runtime.KeepAlive(k)
	})
}

func TestAKeyThatIsLeftOfManyKeepsItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waves, many = 3, 5000
		p := pooltest.NewPool(t, 3)
		k := serial.NewKeyed[int](p)
		stay := pooltest.NewGate(t)
		require.NoError(t, k.Execute(0, stay.Hold))
		var seen []int // not synchronised
		for wave := range waves {
			hold := pooltest.NewGate(t)
			require.NoError(t, p.Execute(hold.Hold))
			require.NoError(t, p.Execute(hold.Hold))
			require.NoError(t, k.Execute(0, func(context.Context) error {
				seen = append(seen, wave)
				return nil
			}))
			for key := range many {
				require.NoError(t, k.Execute(1+key, pooltest.Nothing))
			}
			hold.Open()
			synctest.Wait()
			assert.Equal(t, 1, k.Keys())
		}
		stay.Open()
		synctest.Wait()
		assert.Equal(t, pooltest.CountTo(waves), seen)
		assert.Zero(t, k.Keys())
	})
}
