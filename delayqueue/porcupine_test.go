package delayqueue_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/internal/trust/history"
)

// What the clients of a queue are told at the same time, a sequential queue might have told them,
// by the clock. Package history has the model, and knows when one is wrong.
func TestConcurrentHistoriesAreLinearizableInTime(t *testing.T) {
	defer goleak.VerifyNone(t)
	const histories, atOnce = 3000, 4 // several at once use the time in which takers wait
	kinds := history.Kinds()
	queue := kinds[slices.IndexFunc(kinds, func(k history.Kind) bool { return k.Name == history.DelayQueue })]
	var next atomic.Uint64
	bad := make(chan string, atOnce)
	all(atOnce, func(int) {
		for seed := next.Add(1); seed <= histories && len(bad) == 0; seed = next.Add(1) {
			h := queue.Record(seed)
			if verdict := h.Check(time.Minute); verdict != history.OK {
				bad <- fmt.Sprintf("%s\n%s", verdict, h.Describe())
				return
			}
		}
	})
	close(bad)
	for text := range bad {
		t.Error(text)
	}
}
