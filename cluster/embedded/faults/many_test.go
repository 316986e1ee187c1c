package faults

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// Many series, each by the minute, spread over it, on three servers: none is skipped. The log has
// how late they are.
func TestManySeriesByTheMinute(t *testing.T) {
	n, period := long(100, 10_000), time.Duration(long(3, 60))*time.Second
	t.Parallel()
	ns := startNodes(t, 3)
	ctx := testContext(t, 20*time.Minute)
	p := ns.join(ctx, cluster.Workers(64))
	m := minute{last: map[string]uint64{}}
	task := cluster.Define("minute", m.run)
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- p.Serve(serving, task) }()

	begun := time.Now()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				initial := time.Until(begun.Add(period + time.Duration(i)*period/time.Duration(n)))
				_, err := cluster.AtFixedRate(ctx, p, fmt.Sprint("s", i), max(initial, 0), period, task,
					int(i))
				noError(t, err)
			}
		})
	}
	all.Wait()
	t.Logf("%d series are declared after %v", n, time.Since(begun).Round(time.Millisecond))
	require.Eventually(t, func() bool { return m.least(n) >= 3 }, 15*time.Minute, 100*time.Millisecond)
	stop()
	require.NoError(t, <-served)
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.Sort(m.late)
	t.Logf("%d runs, late p50 %v, p99 %v, at most %v; %d by a whole period", len(m.late),
		m.late[len(m.late)/2], m.late[len(m.late)*99/100], m.late[len(m.late)-1], m.missed)
	require.Zero(t, m.wrong, "numbers that do not follow the last")
}

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

// minute is what the runs of many series have told.
type minute struct {
	mu     sync.Mutex
	last   map[string]uint64
	late   []time.Duration
	missed uint64
	wrong  int
}

func (m *minute) run(ctx context.Context, _ int) (int, error) {
	run, _ := cluster.RunFrom(ctx)
	late := time.Since(run.Scheduled)
	m.mu.Lock()
	defer m.mu.Unlock()
	if run.Number != m.last[run.Series]+1 {
		m.wrong++
	}
	m.last[run.Series] = run.Number
	m.late = append(m.late, late)
	m.missed += run.Missed
	return 0, nil
}

// least is how many runs each series has had at least.
func (m *minute) least(n int) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.last) < n {
		return 0
	}
	least := uint64(1 << 62)
	for _, number := range m.last {
		least = min(least, number)
	}
	return least
}
