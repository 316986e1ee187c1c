package faults

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// The lists of a pool with a million tasks, 10,000 series, 10,000 failed: each takes some milliseconds, which the
// log has. With less they are compared with what was stored.
func TestListsOfMany(t *testing.T) {
	tasks, series, failed := long(5_000, 1_000_000), long(200, 10_000), long(500, 10_000)
	t.Parallel()
	ctx := testContext(t, 20*time.Minute)
	o := &server.Options{ServerName: "many", Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(10*time.Second))
	nc, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	p, err := cluster.Join(ctx, nc)
	require.NoError(t, err)
	m := storeMany(ctx, t, nc, tasks, series, failed)

	for round := range 3 {
		timed := func(what string, do func()) {
			begun := time.Now()
			do()
			t.Logf("round %d: %-34s %v", round, what, time.Since(begun).Round(100*time.Microsecond))
		}
		timed("all tasks", func() {
			list, err := p.Tasks(ctx)
			require.NoError(t, err)
			require.Len(t, list, len(m.names))
			for _, s := range list {
				require.Equal(t, m.names[s.Task], int(s.Waiting), s.Task)
				require.Zero(t, s.Due+uint64(s.Held+s.Repeated+s.Workers), s.Task)
			}
		})
		var page cluster.TaskPage
		list := func(what string, q cluster.Query) {
			timed(what, func() {
				var err error
				page, err = p.List(ctx, q)
				require.NoError(t, err)
				require.Len(t, page.Rows, 100)
			})
		}
		list("a page of all", cluster.Query{})
		require.Equal(t, m.ids[:100], idsOf(page.Rows))
		list("the page behind it", cluster.Query{After: page.Next})
		require.Equal(t, m.ids[100:200], idsOf(page.Rows))
		list("a page of a twentieth", cluster.Query{Task: "job3"})
		list("one from the middle", cluster.Query{Task: "job3", After: uint64(series + tasks/2)})
		list("one near the end", cluster.Query{Task: "job3", After: uint64(series + tasks - tasks/10 - 2000)})
		list("a page of a rare one", cluster.Query{Task: "rare"})
		list("the page behind it", cluster.Query{Task: "rare", After: page.Next})
		list("a page of what waits", cluster.Query{State: cluster.StateWaiting})
		timed("what is held", func() {
			page, err := p.List(ctx, cluster.Query{State: cluster.StateHeld})
			require.NoError(t, err)
			require.Empty(t, page.Rows)
		})
		var of cluster.SeriesPage
		timed("a page of series", func() {
			of, err = p.Series(ctx, cluster.Query{})
			require.NoError(t, err)
			require.Len(t, of.Rows, 100)
		})
		timed("the page behind it", func() {
			of, err = p.Series(ctx, cluster.Query{After: of.Next})
			require.NoError(t, err)
			require.Len(t, of.Rows, 100)
		})
		for task, n := range map[string]int{"": 100, "job3": min(100, failed/20)} {
			timed("a page of what has failed "+task, func() {
				page, err := p.Failed(ctx, cluster.FailedFilter{Task: task}, 0, 100)
				require.NoError(t, err)
				require.Len(t, page.Rows, n)
			})
		}
		timed("a task by its ID", func() {
			d, err := p.Task(ctx, m.ids[len(m.ids)/2])
			require.NoError(t, err)
			require.Equal(t, cluster.StateWaiting, d.State)
		})
		timed("the detail of a series", func() {
			d, err := p.SeriesDetail(ctx, "sweep1", "series 71")
			require.NoError(t, err)
			require.Equal(t, "series 71", d.Series)
		})
	}
}

func idsOf(rows []cluster.TaskRow) (ids []string) {
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// many is what was stored.
type many struct {
	ids   []string       // of the tasks, in their order
	names map[string]int // how much waits of each
}

// storeMany stores what a pool would, at a rate that it would not reach with one message each.
func storeMany(ctx context.Context, t *testing.T, nc *nats.Conn, tasks, series, failed int) (m many) {
	t.Helper()
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(4000))
	require.NoError(t, err)
	m.names = map[string]int{}
	due := time.Now().Add(24 * time.Hour).UTC()
	arm := func(task, place string, due time.Time) *nats.Msg {
		m.names[task]++
		msg := nats.NewMsg("punctual.tasks.arm." + task + "." + place)
		msg.Header.Set("Punctual-Due", due.Format(time.RFC3339Nano))
		msg.Header.Set("Nats-Schedule", "@at "+due.Add(-600*time.Millisecond).Format(time.RFC3339Nano))
		msg.Header.Set("Nats-Schedule-Target", "punctual.tasks.run."+task+"."+place)
		msg.Data = []byte(`{"to":"ann@example.org"}`)
		return msg
	}
	publish := func(msg *nats.Msg) {
		_, err := js.PublishMsgAsync(msg, jetstream.WithStallWait(time.Minute))
		require.NoError(t, err)
	}
	for i := range series {
		msg := arm(fmt.Sprint("sweep", i%7), fmt.Sprintf("s.series=20%d", i), due)
		msg.Header.Set("Punctual-Do", "run")
		msg.Header.Set("Punctual-Series", fmt.Sprintf("series+%d", i))
		msg.Header.Set("Punctual-Number", "1")
		msg.Header.Set("Punctual-Cadence", "rate 24h0m0s skip")
		publish(msg)
	}
	for i := range tasks {
		id := fmt.Sprintf("client.%08d", i)
		m.ids = append(m.ids, id)
		task := fmt.Sprint("job", i%20)
		if i >= tasks*9/10 && i%(tasks/10/500) == 0 {
			task = "rare"
		}
		publish(arm(task, "o."+id, due.Add(time.Duration(i)*time.Millisecond)))
	}
	for i := range failed {
		msg := nats.NewMsg(fmt.Sprintf("punctual.tasks.dead.job%d.client.f%d", i%20, i))
		msg.Header.Set("Punctual-Kind", "error")
		msg.Header.Set("Punctual-Why", `"no such user"`)
		publish(msg)
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-ctx.Done():
		t.Fatal("not stored in time")
	}
	for name := range m.names {
		msg := nats.NewMsg("$KV.PUNCTUAL_tasks.task." + name)
		_, err := js.PublishMsg(ctx, msg)
		require.NoError(t, err)
	}
	return m
}
