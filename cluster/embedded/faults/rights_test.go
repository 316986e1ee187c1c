package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor/retry"
)

// documentedRights is the block of the document that says who may do what.
func documentedRights(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/cluster.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(text), "```text\nauthorization {")
	require.True(t, found)
	block, _, found = strings.Cut(block, "```")
	require.True(t, found)
	return "authorization {" + block
}

// startWithRights starts a server with rights that are written as in the document.
func startWithRights(t *testing.T, rights string) *server.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil,
		"listen: 127.0.0.1:-1\njetstream { store_dir: %q }\n%s", t.TempDir(), rights), 0o600))
	o, err := server.ProcessConfigFile(file)
	require.NoError(t, err)
	o.NoLog, o.NoSigs = true, true
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(10*time.Second))
	return s
}

// as connects as a user, and collects what the server refuses.
func as(t *testing.T, s *server.Server, user string) (*nats.Conn, <-chan error) {
	t.Helper()
	refused := make(chan error, 1000)
	nc := dial(t, s, nats.UserInfo(user, "change-me"), nats.CustomInboxPrefix("_INBOX_"+user),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	return nc, refused
}

// With the documented rights all verbs work, and nothing is refused but that who submits removes
// what it has cancelled itself.
func TestTheDocumentedRightsAreEnough(t *testing.T) {
	t.Parallel()
	s := startWithRights(t, documentedRights(t))
	ctx := testContext(t, time.Minute)
	admin, _ := as(t, s, "admin")
	_, err := cluster.Join(ctx, admin)
	require.NoError(t, err)

	task := cluster.Define("echo", func(ctx context.Context, in string) (string, error) {
		if in == "hangs" {
			<-ctx.Done()
		}
		if in == "fails" {
			return in, errAsTold
		}
		return in, context.Cause(ctx)
	}, cluster.Lease(brief), cluster.Retry(2, retry.Backoff{}))
	bad := cluster.Define("echo", func(context.Context, int) (string, error) { return "", nil })
	worker, refusedWorker := as(t, s, "worker")
	w, err := cluster.Join(ctx, worker)
	require.NoError(t, err)
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- w.Serve(serving, task) }()

	conn, refused := as(t, s, "submitter")
	p, err := cluster.Join(ctx, conn)
	require.NoError(t, err)
	f, err := cluster.Submit(ctx, p, task, "in", cluster.Once("key"))
	require.NoError(t, err)
	got, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, "in", got)
	dead, err := cluster.Submit(ctx, p, bad, 1)
	require.NoError(t, err)
	_, err = dead.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	page, err := w.Failed(ctx, cluster.FailedFilter{}, 0, 0)
	require.NoError(t, err)
	require.Len(t, page.Rows, 1)
	redriven, err := w.Redrive(ctx, cluster.FailedFilter{IDs: []string{dead.ID()}})
	require.NoError(t, err)
	_, err = cluster.Attach(p, bad, redriven[0].New).Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	discarded, err := w.Discard(ctx, all)
	require.NoError(t, err)
	require.Equal(t, 1, discarded)
	f, err = cluster.Submit(ctx, p, task, "fails")
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorContains(t, err, "as told")
	series, err := cluster.AtFixedRate(ctx, p, "series", 0, time.Second, task, "in")
	require.NoError(t, err)
	require.NoError(t, series.Pause(ctx))
	require.NoError(t, series.Resume(ctx))
	require.NoError(t, series.Trigger(ctx))
	require.NoError(t, series.Cancel(ctx))
	_, err = p.Stats(ctx)
	require.NoError(t, err)
	require.Empty(t, refused)
	var cancelled []*cluster.Future[string]
	for range 3 { // the first finds out that it may not remove anything
		f, err := cluster.Schedule(ctx, p, time.Hour, task, "later")
		require.NoError(t, err)
		cancelled = append(cancelled, f)
	}
	hangs, err := cluster.Submit(ctx, p, task, "hangs")
	require.NoError(t, err)
	for _, f := range append(cancelled, hangs) {
		prevented, err := f.Cancel(ctx)
		require.NoError(t, err)
		require.True(t, prevented)
		_, err = cluster.Attach(p, task, f.ID()).Get(ctx)
		require.ErrorIs(t, err, cluster.ErrCancelled)
	}
	js, err := jetstream.New(admin)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return queued(js) == 0 }, 20*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, <-refused, "STREAM.MSG.DELETE")
	require.Empty(t, refused)
	_, err = p.Failed(ctx, cluster.FailedFilter{}, 0, 0)
	require.ErrorIs(t, err, cluster.ErrPermission)
	_, err = p.Redrive(ctx, cluster.FailedFilter{IDs: []string{dead.ID()}})
	require.ErrorIs(t, err, cluster.ErrPermission)
	for len(refused) > 0 {
		require.ErrorContains(t, <-refused, "PUNCTUAL_tasks_DEAD")
	}
	p.Close()
	require.Empty(t, refused)
	stop()
	require.NoError(t, <-served)
	w.Close()
	require.Empty(t, refusedWorker)
}

// Who may only submit cannot forge a result, remove a task, or purge anything; and with the rights
// of one pool nothing of another can be read, changed or removed.
func TestRightsKeepOthersOut(t *testing.T) {
	t.Parallel()
	rights := documentedRights(t)
	other := strings.NewReplacer("PUNCTUAL_tasks", "PUNCTUAL_other", "punctual.tasks", "punctual.other",
		"submitter", "othersubmitter", "worker", "otherworker", "authorization {", "",
		"    { user: admin, password: change-me }\n", "").Replace(rights)
	_, users, _ := strings.Cut(other, "users: [")
	users, _, _ = strings.Cut(users, "]")
	other, _, _ = strings.Cut(other, "users: [")
	rights = strings.Replace(rights, "  users: [", other+"users: ["+users, 1)
	s := startWithRights(t, rights)
	ctx := testContext(t, time.Minute)
	admin, _ := as(t, s, "admin")
	p, err := cluster.Join(ctx, admin)
	require.NoError(t, err)
	task := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	f, err := cluster.Submit(ctx, p, task, 1)
	require.NoError(t, err)

	result := "$KV.PUNCTUAL_tasks.end.done." + f.ID()
	forged := []string{result, "$KV.PUNCTUAL_tasks.try." + f.ID(), "punctual.tasks.dead.task.x",
		"$JS.API.STREAM.PURGE.PUNCTUAL_tasks", "$JS.API.STREAM.DELETE.PUNCTUAL_tasks",
		"$JS.API.STREAM.MSG.DELETE.PUNCTUAL_tasks", "$JS.API.STREAM.UPDATE.PUNCTUAL_tasks",
		"$JS.API.STREAM.MSG.GET.PUNCTUAL_tasks_DEAD", "$JS.API.STREAM.MSG.DELETE.PUNCTUAL_tasks_DEAD",
		"$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks_DEAD.x.y",
		"$JS.API.STREAM.PURGE.KV_PUNCTUAL_tasks", "$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks.x.y"}
	foreign := append([]string{"punctual.tasks.run.task.o." + f.ID(),
		"$KV.PUNCTUAL_tasks.end.cancelled." + f.ID(), "$JS.API.STREAM.MSG.GET.PUNCTUAL_tasks",
		"$JS.API.STREAM.MSG.GET.KV_PUNCTUAL_tasks", "$JS.API.DIRECT.GET.PUNCTUAL_tasks",
		"$JS.API.CONSUMER.CREATE.KV_PUNCTUAL_tasks.x.y"}, forged...)
	for user, subjects := range map[string][]string{
		"submitter": forged, "othersubmitter": foreign, "otherworker": foreign,
	} {
		conn, refused := as(t, s, user)
		for _, subject := range subjects {
			require.NoError(t, conn.Publish(subject, []byte("v42")))
			require.NoError(t, conn.Flush())
			select {
			case err := <-refused:
				require.ErrorIs(t, err, nats.ErrPermissionViolation)
				require.ErrorContains(t, err, subject)
			case <-ctx.Done():
				require.FailNow(t, "not refused", "%s: %s", user, subject)
			}
		}
		for _, subject := range []string{"_INBOX.>", "_INBOX_worker.>", "punctual.tasks.>"} {
			_, err := conn.Subscribe(subject, func(*nats.Msg) {})
			require.NoError(t, err)
			require.NoError(t, conn.Flush())
			require.ErrorIs(t, <-refused, nats.ErrPermissionViolation)
		}
	}

	// Whatever is written where cancellations are, it is one, and does not replace a result.
	w := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- p.Serve(serving, w) }()
	got, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, got)
	stop()
	require.NoError(t, <-served)
	later, err := cluster.Schedule(ctx, p, time.Hour, task, 2)
	require.NoError(t, err)
	conn, _ := as(t, s, "submitter")
	for _, f := range []*cluster.Future[int]{f, later} {
		m := nats.NewMsg("$KV.PUNCTUAL_tasks.end.cancelled." + f.ID())
		m.Data = []byte("v42")
		_, err = conn.RequestMsgWithContext(ctx, m)
		require.NoError(t, err)
	}
	_, err = later.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	got, err = cluster.Attach(p, task, f.ID()).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, got)
}
