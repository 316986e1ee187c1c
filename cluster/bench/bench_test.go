package main

import (
	"context"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	becomeChild()
	os.Exit(m.Run())
}

// Each workload checks its results itself, so figures without an error say that none is missing.
func TestFiguresOfEachSystemArePositive(t *testing.T) {
	for _, name := range []string{"embedded", "1 server", "River", "asynq"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // those that poll do little else
			some, err := choose(systems(), name, func(s system) string { return s.name })
			require.NoError(t, err)
			if why := some[0].missing(); why != "" {
				t.Skip(why)
			}
			dir, err := openDir("") // other users cannot pass through t.TempDir
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
			b := &bench{rounds: 1, sizes: tiny(), progress: io.Discard, systems: some, dir: dir}
			for _, w := range workloads(b.sizes) {
				t.Run(w.name, func(t *testing.T) { measureOnce(t, b, w) })
			}
		})
	}
}

func measureOnce(t *testing.T, b *bench, w workload) {
	t.Helper()
	if w.needs != nil && w.needs() != "" {
		t.Skip(w.needs())
	}
	if !w.fits(b.systems[0]) {
		return
	}
	got, err := b.measure(t.Context(), w)
	require.NoError(t, err)
	for _, system := range got.systems {
		values := got.medians(system)
		require.Len(t, values, len(w.columns), system)
		for i, v := range values {
			c := w.columns[i]
			switch {
			case c.title == early:
				if system != "asynq" { // which cuts seconds
					require.Zero(t, v, "tasks before their time")
				}
			case c.some && math.IsNaN(v):
			case c.ratio:
				require.Positive(t, v, c.title)
			default:
				require.GreaterOrEqual(t, v, 0.0, c.title)
			}
		}
	}
}

// tiny is less than quick: enough to see that it works.
func tiny() sizes {
	s := quick()
	s.spell, s.short, s.late = 100*time.Millisecond, 50*time.Millisecond, 50
	return s
}

// forgetful is a system that gives wrong results.
type forgetful struct{}

func (forgetful) Store(context.Context, job) error         { return nil }
func (forgetful) StoreOnce(context.Context, job) error     { return nil }
func (forgetful) Do(_ context.Context, n int) (int, error) { return n, nil }
func (forgetful) Servers() []*process                      { return nil }
func (forgetful) Close()                                   {}

func TestAWrongResultIsFound(t *testing.T) {
	tr := &trial{sizes: quick(), site: &site{}}
	tr.system.start = func(context.Context, *site) (session, error) { return forgetful{}, nil }
	_, err := measureLatency(t.Context(), tr)
	require.ErrorContains(t, err, "the result of task 1 is 1")
}

func TestATableHasRatiosToItsFirstRow(t *testing.T) {
	w := workload{title: "T", note: "N."}
	w.columns = []column{{title: "ms", ratio: true}, {title: "samples"}}
	w.documented = []row{{"c", []string{"an hour", ""}}}
	tb := table{workload: w, systems: []string{"a", "b", "none"}, rounds: map[string][][]float64{
		"a": {{1, 10}, {3, 10}, {2, 10}},
		"b": {{5000, 7}},
	}}
	var text strings.Builder
	tb.write(&text)
	require.Equal(t, `### T

N.

|  | ms | samples |
| --- | ---: | ---: |
| a | 2 | 10 |
| b | 5,000 (2,500 ×) | 7 |
| none | – | – |
| c | an hour |  |

`, text.String())
}

func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.0012345: "0.00123", 1: "1", 12.345: "12.3", 999.6: "1,000", 1234567: "1,230,000",
	} {
		require.Equal(t, want, figure(v))
	}
	require.Equal(t, 2.0, quantile([]float64{3, 1, 2}, 0.5))
	require.Equal(t, 3.0, quantile([]float64{3, 1, 2}, 0.99))
	require.Equal(t, 2.5, median([]float64{1, 2, 3, 4}))
}

func TestAWorkloadThatLacksSomethingSaysSo(t *testing.T) {
	w := workload{name: "w", title: "W", needs: func() string { return "a thing is missing" }}
	w.fits = everyone
	b := &bench{rounds: 1, progress: io.Discard, workloads: []workload{w}, systems: systems()[:1]}
	var text strings.Builder
	require.NoError(t, b.run(t.Context(), &text))
	require.Contains(t, text.String(), "### W\n\nLEFT OUT: a thing is missing\n")
}

func TestProcessorTimeIsThatOfAllBelow(t *testing.T) {
	parsed := func(text string) processEntry {
		e, ok := parseStat(text)
		require.True(t, ok)
		return e
	}
	table := processes{
		10: parsed("10 (a) b) (c) S 1 10 10 0 -1 4194560 1 2 3 4 100 20 3 4 20 0 1 0"),
		11: parsed("11 (worker) S 10 10 10 0 -1 4194560 1 2 3 4 5 0 0 0 20 0 1 0"),
		12: parsed("12 (other) S 1 10 10 0 -1 4194560 1 2 3 4 1000 0 0 0 20 0 1 0"),
	}
	require.Equal(t, 1320*time.Millisecond, table.spent(10))
	_, ok := parseStat("10 (a) S 1")
	require.False(t, ok)
}

func TestTheIdealIsNotBelowItsLongestTask(t *testing.T) {
	s := sizes{hands: 2}
	require.Equal(t, 10*time.Second, s.ideal([]time.Duration{10 * time.Second, time.Second}))
	require.Equal(t, 10*time.Second, s.inOrder([]time.Duration{10 * time.Second, time.Second}))
	mixed := append(slices.Repeat([]time.Duration{time.Second}, 8), 8*time.Second)
	require.Equal(t, 8*time.Second, s.ideal(mixed))
	require.Equal(t, 9*time.Second, s.inOrder(mixed))
	require.Equal(t, 2*time.Second, s.ideal(slices.Repeat([]time.Duration{time.Second}, 16)))
}
