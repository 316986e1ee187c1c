package series_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/internal/series"
)

// Whatever the last run, the window, the period and the bounds are: nothing wraps, a rate stays on its
// grid, and what waits is due after the window and before the end, or the series is over.
func TestASeriesGoesOnFromAnywhere(t *testing.T) {
	wall := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		span := func(name string, least int64) time.Duration {
			any := rapid.Int64Range(least, math.MaxInt64)
			usual := rapid.Int64Range(max(least, -1e6), 1e6)
			return time.Duration(rapid.OneOf(any, usual).Draw(t, name))
		}
		now := rapid.Int64Range(1, 1<<50).Draw(t, "now")
		m := series.Moment{Now: now, Wall: wall}
		s := &series.Series{Grid: series.Grid{Period: int64(span("period", 1))}}
		s.Past = &series.Past{}
		s.CatchUp = series.CatchUp(rapid.IntRange(0, 3).Draw(t, "policy"))
		if rapid.Bool().Draw(t, "delay") {
			s.Period = -s.Period
		}
		if rapid.Bool().Draw(t, "has Until") {
			s.Options.Until = wall.Add(span("until", -1<<62))
		}
		if rapid.Bool().Draw(t, "has From") {
			s.Options.From = wall.Add(span("from", -1<<62))
		}
		last := wall.Add(span("last", -1<<62))
		window := span("window", 0)
		s.GoOn(&series.Before{Slot: last, Ended: last, Window: window}, m)
		require.GreaterOrEqual(t, s.First(now), int64(1))
		if s.Over(now) {
			require.False(t, s.Options.Until.IsZero())
			return
		}
		slot, _ := s.Slot()
		if s.Period > 0 && s.CatchUp != series.Skip && window < 1<<60 {
			require.GreaterOrEqual(t, slot, now-int64(window))
		}
		if s.Period > 0 && s.CatchUp == series.Skip {
			require.GreaterOrEqual(t, slot, now)
		}
		s.Start(s.PlannedFor(s.Due()), max(now, s.Due()))
		require.GreaterOrEqual(t, s.Next(max(now, s.Due())), int64(1))
	})
}
