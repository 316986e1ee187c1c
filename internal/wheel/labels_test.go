package wheel

import (
	"context"
	"runtime/pprof"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/labelstest"
	"github.com/punctual-go/punctual/timer"
)

func TestAFunctionHasNoLabelsOfWhoeverArmedIt(t *testing.T) {
	for name, executor := range map[string]timer.Executor{"goroutines": nil, "inline": inline} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := plainWheel(timer.Config{Executor: executor})
				got := "not run"
				pprof.Do(context.Background(), pprof.Labels("stain", "here"), func(context.Context) {
					assert.Equal(t, `{"stain":"here"}`, labelstest.Here())
					w.AfterFunc(0, func() { got = labelstest.Here() })
				})
				synctest.Wait()
				assert.Empty(t, got)
			})
		})
	}
}

func TestLabelsThatAFunctionHasSetInATurnEndWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := plainWheel(timer.Config{Executor: inline, OnPanic: func(any, []byte) {}})
		stain := func() {
			pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("stain", "here")))
		}
		var got []string
		look := func() { got = append(got, labelstest.Here()) }
		w.AfterFunc(ms, stain)
		w.AfterFunc(ms, look)
		w.AfterFunc(ms, func() { stain(); panic("stained") })
		w.AfterFunc(ms, look)
		time.Sleep(ms)
		synctest.Wait()
		assert.Equal(t, []string{"", ""}, got)
	})
}
