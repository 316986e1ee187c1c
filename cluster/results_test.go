package cluster

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process that submits and does not wait keeps nothing of what is pending.
func TestFuturesThatNobodyHasAreForgotten(t *testing.T) {
	r := newResults(nil)
	kept := r.expect("kept", place{})
	for i := range 10_000 {
		r.expect(strconv.Itoa(i), place{})
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.open) == 1
	}, 30*time.Second, time.Millisecond)
	require.Same(t, kept, r.expect("kept", place{}))
	r.settle("kept", outcome{kind: succeeded}, nil)
	<-kept.done
	assert.EqualValues(t, succeeded, kept.outcome.kind)
	assert.Empty(t, r.open)
}
