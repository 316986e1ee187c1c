package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	becomeChild()
	os.Exit(m.Run())
}

// ours are those that need no server that is not ours.
func ours(t *testing.T) (list []system) {
	t.Helper()
	for _, s := range systems() {
		if s.name == "embedded" || s.name == "1 server" {
			list = append(list, s)
		}
	}
	require.Len(t, list, 2)
	return list
}

// Each workload checks its results itself, so figures without an error say that none is missing.
func TestOurFiguresArePositive(t *testing.T) {
	b := &bench{rounds: 1, sizes: quick(), progress: io.Discard, dir: t.TempDir()}
	b.systems = ours(t)
	require.NoError(t, os.Chmod(b.dir, 0o711))
	for _, w := range workloads(b.sizes) {
		got, err := b.measure(t.Context(), w)
		require.NoError(t, err, w.name)
		require.NotEmpty(t, got.systems, w.name)
		for _, system := range got.systems {
			values := got.medians(system)
			require.Len(t, values, len(w.columns), "%s, %s", w.name, system)
			for i, v := range values {
				if w.columns[i].title == early {
					require.Zero(t, v, "%s: tasks before their time", system)
					continue
				}
				require.Positive(t, v, "%s, %s: %s", w.name, system, w.columns[i].title)
			}
		}
	}
}

// forgetful is a system that gives wrong results.
type forgetful struct{}

func (forgetful) Schedule(context.Context, time.Time, int) error { return nil }
func (forgetful) Do(_ context.Context, n int) (int, error)       { return n, nil }
func (forgetful) Close()                                         {}

func TestAWrongResultIsFound(t *testing.T) {
	tr := &trial{sizes: quick(), site: &site{}}
	tr.system.start = func(context.Context, *site) (session, error) { return forgetful{}, nil }
	_, err := measureLatency(t.Context(), tr)
	require.ErrorContains(t, err, "the result of task 1 is 1")
}

func TestATableHasRatiosToItsFirstRow(t *testing.T) {
	w := workload{title: "T", note: "N.", columns: []column{{"ms", true}, {"samples", false}}}
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
