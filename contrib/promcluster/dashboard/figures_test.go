package dashboard_test

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/metrics"
	"github.com/punctual-go/punctual/contrib/promcluster"
)

// play has a pool do one of everything, and returns once it is told: what waits, is due, runs, has
// failed, is paused, overdue, not served.
func (f *fleet) play(t *testing.T, registry prometheus.Gatherer) (mail cluster.Task[string, int], kill func()) {
	t.Helper()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	mail = mails(release)
	_, kill = f.serve(3, mail)
	submit := func(task cluster.Task[string, int], what string, delay time.Duration) {
		_, err := cluster.Schedule(f.ctx, f.pool, delay, task, what)
		require.NoError(t, err)
	}
	declare := func(task cluster.Task[string, int], name, what string) *cluster.Series[int] {
		s, err := cluster.AtFixedRate(f.ctx, f.pool, name, 0, time.Hour, task, what)
		require.NoError(t, err)
		return s
	}
	for range 4 {
		submit(mail, "fail", 0)
	}
	for range 5 {
		submit(mail, "", time.Hour)
		submit(unserved, "", time.Hour)
	}
	submit(unserved, "", 0)
	declare(mail, "brief", "")
	declare(mail, "fails", "fail")
	declare(mail, "hangs", "hang")
	declare(unserved, "nightly", "")
	require.NoError(t, declare(unserved, "paused", "").Pause(f.ctx))
	eventually(t, registry, "the failures", func(c *assert.CollectT, fs families) {
		assert.Equal(c, 4.0, fs.value("punctual_cluster_task_failed", "task", "mail"))
		assert.Equal(c, 1.0, fs.value("punctual_cluster_series_failing", "task", "mail"))
	})
	submit(mail, "hang", 0)
	submit(mail, "hang", 0)
	eventually(t, registry, "all slots are busy", func(c *assert.CollectT, fs families) {
		assert.Equal(c, 3.0, fs.value("punctual_cluster_slots", "state", "busy"))
	})
	for range 20 {
		submit(mail, "", 0)
	}
	return mail, kill
}

// What a scrape has is what the fleet does, through the death of its only worker, and the next one.
func TestTheFiguresAreThoseOfTheFleet(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	registry := f.registryOf(promcluster.Options{})
	mail, kill := f.play(t, registry)
	is := func(c *assert.CollectT, fs families, want float64, name string, labels ...string) {
		assert.Equal(c, want, fs.value(name, labels...), "%s %q", name, labels)
	}
	eventually(t, registry, "one of everything", func(c *assert.CollectT, fs families) {
		is(c, fs, 1, "punctual_cluster_up")
		assert.InDelta(c, float64(time.Now().Unix()), fs.value("punctual_cluster_last_read_timestamp_seconds"), 60)
		is(c, fs, 7, "punctual_cluster_tasks", "task", "mail", "state", "waiting")     // 5, 2 series
		is(c, fs, 5, "punctual_cluster_tasks", "task", "unserved", "state", "waiting") // its series are commands
		is(c, fs, 4, "punctual_cluster_tasks", "task", "unserved", "state", "due")     // 1, 2 series, a pause
		is(c, fs, 0, "punctual_cluster_tasks", "task", "unserved", "state", "held")
		is(c, fs, 1, "punctual_cluster_task_workers", "task", "mail")
		is(c, fs, 0, "punctual_cluster_task_workers", "task", "unserved")
		is(c, fs, 0, "punctual_cluster_task_failed", "task", "unserved")
		is(c, fs, 1, "punctual_cluster_workers", "state", "serving")
		is(c, fs, 0, "punctual_cluster_workers", "state", "stopping")
		is(c, fs, 0, "punctual_cluster_slots", "state", "idle")
		is(c, fs, 3, "punctual_cluster_series", "task", "mail", "state", "active")
		is(c, fs, 1, "punctual_cluster_series", "task", "unserved", "state", "active")
		is(c, fs, 1, "punctual_cluster_series", "task", "unserved", "state", "paused")
		is(c, fs, 0, "punctual_cluster_series_overdue", "task", "mail")
		is(c, fs, 1, "punctual_cluster_series_overdue", "task", "unserved")
		is(c, fs, 0, "punctual_cluster_healed_total")
		due := fs.value("punctual_cluster_tasks", "task", "mail", "state", "due")   // what waits at
		held := fs.value("punctual_cluster_tasks", "task", "mail", "state", "held") // a worker is held
		assert.Equal(c, 23.0, due+held)                                             // 20, 2 that hang, 1 series
		assert.Positive(c, fs.value("punctual_cluster_task_oldest_seconds", "task", "unserved"))
		delay := fs.value("punctual_cluster_series_delay_seconds", "task", "unserved", "series", "nightly")
		assert.GreaterOrEqual(c, delay, metrics.OverdueBy.Seconds())
		is(c, fs, delay, "punctual_cluster_series_most_overdue_seconds")
		// 12 waiting, 26 due or held, 2 more of the paused one.
		assert.GreaterOrEqual(c, fs.value("punctual_cluster_stored_messages"), 38.0)
		assert.Positive(c, fs.value("punctual_cluster_stored_bytes"))
		assert.Len(c, fs, len(metrics.Table()), "a row of the table has no point")
	})
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)

	there := sampledFrom(scrape(t, registry))
	t.Run("dashboard", func(t *testing.T) { checkDashboard(t, there) })
	t.Run("its variables", func(t *testing.T) { checkVariables(t, there) })
	t.Run("alerts", func(t *testing.T) { checkAlerts(t, there) })
	t.Run("queries for something else", func(t *testing.T) { checkTheCheck(t, there) })

	kill()
	eventually(t, registry, "its only worker has died", func(c *assert.CollectT, fs families) {
		is(c, fs, 0, "punctual_cluster_task_workers", "task", "mail")
		is(c, fs, 0, "punctual_cluster_slots", "state", "busy")
		is(c, fs, 1, "punctual_cluster_series_overdue", "task", "mail") // the one that hung
		is(c, fs, 1, "punctual_cluster_series_overdue", "task", "unserved")
	})
	end, _ := f.serve(30, mail)
	eventually(t, registry, "another has come", func(c *assert.CollectT, fs families) {
		is(c, fs, 1, "punctual_cluster_task_workers", "task", "mail")
		is(c, fs, 30, "punctual_cluster_slots", "state", "idle")
		is(c, fs, 0, "punctual_cluster_series_overdue", "task", "mail")
		is(c, fs, 0, "punctual_cluster_tasks", "task", "mail", "state", "due")
	})
	end()
}
