package faults

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// Many series are declared at once, and two processes share their runs: each goes through its
// numbers one by one, and never has two runs at a time.
func TestManySeriesAtOnceEachGoThroughTheirNumbers(t *testing.T) {
	t.Parallel()
	n, period := long(100, 1000), time.Duration(long(1, 5))*time.Second
	l := startOutside(t)
	ctx := testContext(t, 2*time.Minute)
	var mu sync.Mutex
	numbers, running := map[string]uint64{}, map[string]bool{}
	task := cluster.Define("many", func(ctx context.Context, _ int) (int, error) {
		run, _ := cluster.RunFrom(ctx)
		mu.Lock()
		if running[run.Series] {
			t.Errorf("%s: number %d overlaps the one before", run.Series, run.Number)
		}
		if numbers[run.Series]+1 != run.Number {
			t.Errorf("%s: number %d after %d", run.Series, run.Number, numbers[run.Series])
		}
		numbers[run.Series], running[run.Series] = run.Number, true
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		running[run.Series] = false
		mu.Unlock()
		return 0, nil
	})
	require.NoError(t, atOnce(n, func(i int) error {
		_, err := cluster.AtFixedRate(ctx, l.pool, fmt.Sprint("s", i), 0, period, task, 0)
		return err
	}))
	for range 2 {
		l.start(t, []cluster.Runnable{task}, cluster.Workers(16))
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, number := range numbers {
			if number < 3 {
				return false
			}
		}
		return len(numbers) == n
	}, 2*time.Minute, 50*time.Millisecond)
}
