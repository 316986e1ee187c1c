package wheel

import (
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

func TestAPanicOfNilIsToldToOnPanicWhateverRecoverSays(t *testing.T) {
	t.Setenv("GODEBUG", os.Getenv("GODEBUG")+",panicnil=1")
	for name, executor := range map[string]timer.Executor{"goroutines": nil, "inline": inline} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []any
				w, _ := plainWheel(timer.Config{Executor: executor, OnPanic: func(v any, stack []byte) {
					told = append(told, v)
					assert.Contains(t, string(stack), "panicnil_test.go")
				}})
				begun := false
				w.AfterFunc(ms, func() { panic(nil) })
				w.AfterFunc(2*ms, func() { begun = true })
				time.Sleep(2 * ms)
				synctest.Wait()
				require.Len(t, told, 1)
				assert.IsType(t, (*runtime.PanicNilError)(nil), told[0])
				assert.True(t, begun)
			})
		})
	}
}
