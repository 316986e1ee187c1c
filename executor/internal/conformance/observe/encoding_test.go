package observe_test

import (
	"bytes"
	"encoding/json"
	"expvar"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
)

func TestALatenessCanBeEncoded(t *testing.T) {
	l := insight.Lateness{Total: 412 * ms, Clock: 1, Previous: 2, Held: 3, Busy: 398 * ms, Queue: 4,
		Slack: 5, Wake: 14 * ms, Collector: 3 * ms, Partial: true,
		Holders: []insight.Holder{{Name: "import", Number: 1, For: 9 * time.Second}}}
	text, err := json.Marshal(l)
	require.NoError(t, err)
	assert.JSONEq(t, `{"total": "412ms", "clock": "1ns", "previous": "2ns", "held": "3ns",
		"busy": "398ms", "queue": "4ns", "slack": "5ns", "wake": "14ms", "collector": "3ms",
		"holders": [{"name": "import", "number": 1, "for": "9s"}], "partial": true}`, string(text))
	var back insight.Lateness
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, l, back)

	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "late", l)
	assert.Contains(t, log.String(), `"late":{"total":"412ms","clock":"1ns"`)
	text, err = json.Marshal(insight.Lateness{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"total": "0s"}`, string(text))
}

func TestVariablesForExpvar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Name("jobs"),
			executor.Watch(insight.Config{ExplainLate: insight.Any}))
		l := eventloop.New(executor.Name("jobs"),
			executor.Watch(insight.Config{ExplainLate: insight.Any}))
		at(p, 0, "hog", time.Second)
		at(p, 100*ms, "poll", 0)
		_, err := l.Schedule(0, lasts(time.Second))
		require.NoError(t, err)
		_, err = l.Schedule(100*ms, lasts(0))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		want := `{"name": "jobs", "state": "running", "workers": 1, "busy": 0, "queued": 0,
			"overdue_ns": 0, "accepted": 2, "rejected": 0, "completed": 2, "cancelled": 0,
			"returned": 0, "runs": 2, "failures": 0, "skipped": 0, "retries": 0, "expired": 0, "timed_out": 0,
			"overrunning": 0, "wakeups": 0,
			"late": {"count": 2, "sum_ns": 900000000, "p50_ns": 1349, "p99_ns": 900000000,
				"max_ns": 900000000, "by": {"clock_ns": 0, "previous_ns": 0, "held_ns": 0,
				"busy_ns": 900000000, "queue_ns": 0, "slack_ns": 0, "wake_ns": 0}},
			"took": {"count": 2, "sum_ns": 1000000000, "p50_ns": 1349, "p99_ns": 1000000000,
				"max_ns": 1000000000}}`
		for _, v := range []expvar.Var{p.Expvar(), l.Expvar()} {
			var fields map[string]any
			require.NoError(t, json.Unmarshal([]byte(v.String()), &fields))
			fields["wakeups"] = 0
			text, err := json.Marshal(fields)
			require.NoError(t, err)
			assert.JSONEq(t, want, string(text))
		}
		require.NoError(t, p.Close())
		require.NoError(t, l.Close())
	})
	plain := executor.NewPool(1)
	defer plain.Close()
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(plain.Expvar().String()), &fields))
	assert.NotContains(t, fields, "late")
}
