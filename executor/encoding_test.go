package executor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// theReport is that of a pool with a task that waits, a series that is in a run, and one without a
// time.
func theReport(t *testing.T) executor.Report {
	p := pooltest.NewScheduledPool(t, 2)
	pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("later"))
	pooltest.AtFixedRate(t, p, 0, time.Minute, pooltest.Sleep(time.Second), executor.Name("rate"))
	pooltest.WithFixedDelay(t, p, 0, time.Minute, pooltest.Sleep(2*time.Second))
	time.Sleep(500 * time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := p.CloseContext(ctx)
	require.ErrorIs(t, err, context.Canceled)
	return report
}

const jsonReport = `{
	"dropped": [
		{"name": "rate", "scheduled": "2000-01-01T00:01:00Z", "periodic": true, "runs": 1},
		{"name": "later", "scheduled": "2000-01-01T01:00:00Z"},
		{"periodic": true, "runs": 1}
	],
	"running": [
		{"name": "rate", "number": 1,
			"scheduled": "2000-01-01T00:00:00Z", "started": "2000-01-01T00:00:00Z", "for": "500ms",
			"periodic": true},
		{"number": 1,
			"scheduled": "2000-01-01T00:00:00Z", "started": "2000-01-01T00:00:00Z", "for": "500ms",
			"periodic": true}
	]
}`

// inOneOrder puts the two that have run for as long in the order of jsonReport.
func inOneOrder(r executor.Report) executor.Report {
	if r.Running[0].Name == "" {
		r.Running[0], r.Running[1] = r.Running[1], r.Running[0]
	}
	return r
}

func TestAReportIsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report := inOneOrder(theReport(t))
		text, err := json.Marshal(report)
		require.NoError(t, err)
		assert.JSONEq(t, jsonReport, string(text))

		var back executor.Report
		require.NoError(t, json.Unmarshal(text, &back))
		again, err := json.Marshal(back)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(again))
		assert.Equal(t, 500*time.Millisecond, back.Running[0].For)
		assert.True(t, back.Running[0].Started.Equal(report.Running[0].Started))
	})
}

func TestAReportCanBeLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report := inOneOrder(theReport(t))
		var text bytes.Buffer
		slog.New(slog.NewJSONHandler(&text, nil)).Info("closed", "report", report)
		var record struct{ Report json.RawMessage }
		require.NoError(t, json.Unmarshal(text.Bytes(), &record))
		assert.JSONEq(t, jsonReport, string(record.Report))

		text.Reset()
		slog.New(slog.NewTextHandler(&text, nil)).Info("closed", "report", report)
		assert.Contains(t, text.String(),
			"name=rate scheduled=2000-01-01 00:01:00 +0000 UTC periodic=true runs=1")
		assert.NotContains(t, text.String(), "0x", "no address of a function")
	})
}

func TestWhatAReportIsMadeOfCanBeLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report := inOneOrder(theReport(t))
		for name, c := range map[string]struct {
			value      any
			json, text string
		}{
			"pending": {report.Dropped[0],
				`{"name": "rate", "scheduled": "2000-01-01T00:01:00Z",
				"periodic": true, "runs": 1}`,
				"x.name=rate x.scheduled=2000-01-01T00:01:00.000Z x.periodic=true x.runs=1"},
			"a pending without a time": {report.Dropped[2],
				`{"periodic": true, "runs": 1}`, "x.periodic=true x.runs=1"},
			"run": {executor.Run{Name: "rate", Number: 3, Missed: 2},
				`{"name": "rate", "number": 3, "missed": 2}`, "x.name=rate x.number=3 x.missed=2"},
			"running": {report.Running[1],
				`{"number": 1, "scheduled": "2000-01-01T00:00:00Z",
				"started": "2000-01-01T00:00:00Z", "for": "500ms", "periodic": true}`,
				"x.started=2000-01-01T00:00:00.000Z x.periodic=true x.for=500ms"},
			"stats": {
				executor.Stats{Name: "jobs", State: "running", Core: 2, KeepAlive: time.Minute, Runs: 7},
				`{"name": "jobs", "state": "running", "core": 2, "keep_alive": "1m0s",
				"core_timeout": false, "workers": 0, "largest": 0, "busy": 0, "queued": 0, "blocked": 0, "accepted": 0,
				"rejected": 0, "completed": 0, "cancelled": 0, "returned": 0, "runs": 7, "failures": 0, "skipped": 0, "retries": 0, "expired": 0,
				"wakeups": 0}`,
				"x.name=jobs x.state=running x.core=2 x.keep_alive=1m0s"},
		} {
			var text bytes.Buffer
			slog.New(slog.NewJSONHandler(&text, nil)).Info("", "x", c.value)
			var record struct{ X json.RawMessage }
			require.NoError(t, json.Unmarshal(text.Bytes(), &record))
			assert.JSONEq(t, c.json, string(record.X), name)
			marshalled, err := json.Marshal(c.value)
			require.NoError(t, err)
			assert.JSONEq(t, c.json, string(marshalled), "%s, marshalled", name)

			text.Reset()
			slog.New(slog.NewTextHandler(&text, nil)).Info("", "x", c.value)
			assert.Contains(t, text.String(), c.text)
		}
	})
}

func TestStatsSurviveJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Name("jobs"),
			executor.MaximumSize(5), executor.KeepAlive(1500*time.Millisecond))
		require.NoError(t, p.Execute(pooltest.Nothing))
		require.NoError(t, p.Close())
		s := p.Stats()
		text, err := json.Marshal(s)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"maximum":5`)
		assert.Contains(t, string(text), `"keep_alive":"1.5s"`)
		var back executor.Stats
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, s, back)
		assert.Error(t, json.Unmarshal([]byte(`{"keep_alive": "soon"}`), &back))
	})
}

func TestAMaximumWithoutBoundIsZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cached := pooltest.NewCached()
		defer cached.Close()
		assert.Zero(t, cached.Stats().Maximum)
		assert.Zero(t, pooltest.NewScheduledPool(t, 3).Stats().Maximum)
		assert.Zero(t, pooltest.NewScheduledPool(t, 3, executor.MaximumSize(math.MaxInt)).Stats().Maximum)
		assert.Equal(t, 7, pooltest.NewScheduledPool(t, 3, executor.MaximumSize(7)).Stats().Maximum)
		fixed := executor.NewPool(4)
		defer fixed.Close()
		assert.Equal(t, 4, fixed.Stats().Maximum)
	})
}
