package delayqueue_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/delay"
)

// The tests of this file are about times that change while somebody waits for them.

func TestD4_WhereverTheRemovedOneStoodTheOthersAreTakenAtTheirTimes(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 1000} {
		for name, at := range map[string]int{"head": 0, "middle": n / 2, "last": n - 1} {
			t.Run(fmt.Sprintf("%s of %d", name, n), func(t *testing.T) {
				virtual(t, func(t *testing.T, q *queue) {
					start := time.Now()
					for i := range n {
						item := put(t, q, fmt.Sprint(i), time.Duration(n-i)*time.Second)
						if i == n-1-at {
							defer func() { require.False(t, item.Remove(), "it is gone") }()
							require.True(t, item.Remove())
						}
					}
					for i := 1; i <= n; i++ {
						if i == at+1 {
							continue
						}
						e, err := q.Take(t.Context())
						require.NoError(t, err)
						require.Equal(t, fmt.Sprint(n-i), e)
						require.Equal(t, time.Duration(i)*time.Second, time.Since(start))
					}
					require.Zero(t, q.Len())
				})
			})
		}
	}
}

func TestD10_AnElementThatIsResetIsTakenOnceAtTheTimeSetLast(t *testing.T) {
	const planned, after = 10 * time.Second, 4 * time.Second
	for name, row := range map[string]struct {
		resets []time.Duration
		taken  time.Duration // since the first Put
	}{
		"earlier":        {[]time.Duration{time.Second}, after + time.Second},
		"later":          {[]time.Duration{time.Minute}, after + time.Minute},
		"past":           {[]time.Duration{-time.Hour}, after},
		"now":            {[]time.Duration{0}, after},
		"equal":          {[]time.Duration{planned - after}, planned},
		"later, earlier": {[]time.Duration{time.Minute, time.Second}, after + time.Second},
		"earlier, later": {[]time.Duration{time.Second, time.Minute}, after + time.Minute},
	} {
		for _, takers := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s, %d takers", name, takers), func(t *testing.T) {
				virtual(t, func(t *testing.T, q *queue) {
					item := put(t, q, "a", planned)
					var all []*taking
					for range takers {
						all = append(all, take(t.Context(), q))
					}
					time.Sleep(after)
					for _, d := range row.resets {
						require.True(t, item.Reset(d))
					}
					time.Sleep(time.Hour)
					synctest.Wait()
					took := 0
					for _, k := range all {
						if k.over() {
							took++
							k.got(t, "a", row.taken)
						}
					}
					assert.Equal(t, 1, took)
					assert.False(t, item.Reset(0), "it has been taken")
				})
			})
		}
	}
}

func TestF8_AnElementThatBecomesDueWhileTheTakerPreparesToWaitIsTakenAtOnce(t *testing.T) {
	for name, at := range map[string]delay.Point{"on its way into the wait": delay.LeaderLeft, "on its way out": delay.LeaderWoken} {
		t.Run(name, func(t *testing.T) {
			held := false // there is one taker
			defer delay.Set(func(p delay.Point) {
				if p == at && !held {
					held = true
					time.Sleep(time.Minute)
				}
			})()
			virtual(t, func(t *testing.T, q *queue) {
				start := time.Now()
				put(t, q, "due", time.Second)
				put(t, q, "next", 2*time.Second)
				e, err := q.Take(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "due", e)
				want := time.Minute
				if at == delay.LeaderWoken {
					want += time.Second
				}
				assert.Equal(t, want, time.Since(start))
				e, ok := q.Poll()
				assert.True(t, ok)
				assert.Equal(t, "next", e)
			})
		})
	}
}
