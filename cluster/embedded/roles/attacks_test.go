package roles

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/rights"
)

// attack is something that is sent to the server past package cluster, and the roles that may.
type attack struct {
	what    string
	subject string
	by      []rights.Role
}

var nobody []rights.Role

var attacks = []attack{
	{"purge the queue", "$JS.API.STREAM.PURGE.PUNCTUAL_tasks", mayMake},
	{"delete the queue", "$JS.API.STREAM.DELETE.PUNCTUAL_tasks", mayMake},
	{"change the queue", "$JS.API.STREAM.UPDATE.PUNCTUAL_tasks", mayMake},
	{"copy the queue", "$JS.API.STREAM.SNAPSHOT.PUNCTUAL_tasks", mayMake},
	{"delete the bucket", "$JS.API.STREAM.DELETE.KV_PUNCTUAL_tasks", mayMake},
	{"purge the bucket", "$JS.API.STREAM.PURGE.KV_PUNCTUAL_tasks", mayMake},
	{"delete the dead letters", "$JS.API.STREAM.DELETE.PUNCTUAL_tasks_DEAD", mayMake},
	{"make a stream of the pool's messages", "$JS.API.STREAM.CREATE.spy", nobody},
	{"list all streams", "$JS.API.STREAM.NAMES", nobody},
	{"remove a task", "$JS.API.STREAM.MSG.DELETE.PUNCTUAL_tasks", mayServe},
	{"remove an outcome", "$JS.API.STREAM.MSG.DELETE.KV_PUNCTUAL_tasks", nobody},
	{"take runs", "$JS.API.CONSUMER.MSG.NEXT.PUNCTUAL_tasks.task", mayServe},
	{"read the queue", "$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks", mayObserve},
	{"take runs by a consumer of a name", "$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks.task", mayServe},
	{"take runs by a consumer of one's own", "$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks.x.>", mayServe},
	{"acknowledge another's run", "$JS.ACK.PUNCTUAL_tasks.task.1.1.1.1.0", mayServe},
	{"remove a consumer", "$JS.API.CONSUMER.DELETE.PUNCTUAL_tasks.task", mayMake},
	{"forge an outcome", "$KV.PUNCTUAL_tasks.end.done.a.b", mayServe},
	{"forge the attempts of a task", "$KV.PUNCTUAL_tasks.try.a.b", mayServe},
	{"forge the claim of a run", "$KV.PUNCTUAL_tasks.hold.task.s.series", mayServe},
	{"forge a dead letter", "punctual.tasks.dead.task.x", mayServe},
	{"forge a worker", "$KV.PUNCTUAL_tasks.worker.x", mayServe},
	{"forge a run that has ended", "$KV.PUNCTUAL_tasks.ran.task.s.series", mayServe},
	{"read the failed set", "$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks_DEAD", mayInspect},
	{"pull from the failed set", "$JS.API.CONSUMER.CREATE.PUNCTUAL_tasks_DEAD.x.>", nobody},
	{"remove a failed task", "$JS.API.STREAM.MSG.DELETE.PUNCTUAL_tasks_DEAD", mayDrop},
	{"forge the rate of a key", "$KV.PUNCTUAL_tasks.rate.task.x", mayServe},
	{"forge a figure", "$KV.PUNCTUAL_tasks.healed", mayServe},
	{"say that a task is cancelled", "$KV.PUNCTUAL_tasks.end.cancelled.a.b", maySubmit},
	{"forge a run of a series", "punctual.tasks.run.task.s.series", maySubmit},
	{"forge a task", "punctual.tasks.run.task.o.a.b", maySubmit},
	{"take a key", "$KV.PUNCTUAL_tasks.claim.once.x", maySubmit},
	{"read a payload", "$JS.API.STREAM.MSG.GET.PUNCTUAL_tasks", mayLook},
	{"read an outcome", "$JS.API.STREAM.MSG.GET.KV_PUNCTUAL_tasks", mayLook},
	{"answer another", "_INBOX_worker.x", nobody},
	{"another subject of the account", "orders.new", nobody},
}

// listening is what a role may subscribe to. Runs are taken from the queue, not heard.
var listening = []attack{
	{"read the answers to all", "_INBOX.>", nobody},
	{"read the answers to another", "_INBOX_stranger.>", nobody},
	{"hear payloads", "punctual.tasks.>", nobody},
	{"hear runs", "punctual.tasks.run.>", nobody},
	{"hear outcomes", "$KV.PUNCTUAL_tasks.>", nobody},
	{"hear requests", "$JS.API.>", nobody},
	{"hear all", ">", nobody},
	{"hear of cancellations", "punctual.tasks.hint.>", mayServe},
}

// Past package cluster, too, each role may do its part alone; and those who have a part in another
// pool may do nothing.
func TestRightsKeepOthersOut(t *testing.T) {
	t.Parallel()
	strangers := []rights.User{}
	for _, role := range mayLook {
		strangers = append(strangers, rights.User{Name: "other_" + string(role), Password: password,
			Roles: map[string]rights.Role{"other": role, "task": role, "tasks_": role}})
	}
	strangers = append(strangers, rights.User{Name: "stranger", Password: password,
		Roles: map[string]rights.Role{"other": rights.Viewer}})
	g := startGuarded(t, strangers...)
	for _, role := range mayLook {
		for _, a := range attacks {
			g.tries(string(role), a, slices.Contains(a.by, role), publish)
			g.tries("other_"+string(role), a, false, publish)
		}
		for _, a := range listening {
			g.tries(string(role), a, slices.Contains(a.by, role), subscribe)
			g.tries("other_"+string(role), a, false, subscribe)
		}
	}
}

func publish(nc *nats.Conn, subject string) error { return nc.Publish(subject, []byte("{?")) }

func subscribe(nc *nats.Conn, subject string) error {
	_, err := nc.Subscribe(subject, func(*nats.Msg) {})
	return err
}

// tries has a user try something, and tells whether the server refuses it as it should.
func (g *guarded) tries(user string, a attack, may bool, try func(*nats.Conn, string) error) {
	g.t.Helper()
	nc, refused := g.connect(user)
	defer nc.Close()
	require.NoError(g.t, try(nc, a.subject))
	require.NoError(g.t, nc.Flush()) // the refusal comes before the answer
	if may {
		require.NoError(g.t, nc.LastError(), "%s: %s", user, a.what)
		return
	}
	select {
	case err := <-refused:
		require.ErrorIs(g.t, err, nats.ErrPermissionViolation)
		require.ErrorContains(g.t, err, a.subject)
	case <-time.After(10 * time.Second):
		require.FailNow(g.t, "not refused", "%s: %s", user, a.what)
	}
}

// Whatever is written where cancellations are, it is one, and does not replace a result.
func TestACancellationIsNoResult(t *testing.T) {
	t.Parallel()
	g := startGuarded(t)
	ctx := within(t, time.Minute)
	_, p := g.join("worker")
	task := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	f, err := cluster.Submit(ctx, p, task, 1)
	require.NoError(t, err)
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- p.Serve(serving, task) }()
	_, err = f.Get(ctx)
	require.NoError(t, err)
	stop()
	require.NoError(t, <-served)
	later, err := cluster.Schedule(ctx, p, time.Hour, task, 2)
	require.NoError(t, err)
	conn, _ := g.connect("submitter")
	for _, f := range []*cluster.Future[int]{f, later} {
		m := nats.NewMsg("$KV.PUNCTUAL_tasks.end.cancelled." + f.ID())
		m.Data = []byte("v42")
		_, err = conn.RequestMsgWithContext(ctx, m)
		require.NoError(t, err)
	}
	_, err = later.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	got, err := cluster.Attach(p, task, f.ID()).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, got)
}

// What rights do not prevent, as the documents say: if one of these fails the server has learned
// it, and they can say less.
func TestWhatRightsDoNotPrevent(t *testing.T) {
	t.Parallel()
	other := rights.User{Name: "stranger", Password: password,
		Roles: map[string]rights.Role{"other": rights.Admin}}
	g := startGuarded(t, other)
	ctx := within(t, time.Minute)
	conn, refused := g.connect("stranger")
	_, err := cluster.Join(ctx, conn, cluster.Name("other"))
	require.NoError(t, err)
	adminConn, admin := g.join("admin")
	js, err := jetstream.New(adminConn)
	require.NoError(t, err)
	last := func(stream, subject string) *jetstream.RawStreamMsg {
		s, err := js.Stream(ctx, stream)
		require.NoError(t, err)
		var m *jetstream.RawStreamMsg
		require.Eventually(t, func() bool {
			m, err = s.GetLastMsgForSubject(ctx, subject)
			return err == nil
		}, 10*time.Second, 10*time.Millisecond)
		return m
	}

	// The server's answer goes where the request says: into the queue of another pool, and where
	// only a worker records outcomes.
	require.NoError(t, conn.PublishRequest("$JS.API.STREAM.INFO.PUNCTUAL_other",
		"punctual.tasks.run.task.o.a.b", nil))
	m := last("PUNCTUAL_tasks", "punctual.tasks.run.task.o.a.b")
	require.True(t, json.Valid(m.Data))
	viewer, _ := g.connect("viewer")
	require.NoError(t, viewer.PublishRequest("$JS.API.STREAM.INFO.PUNCTUAL_tasks",
		"$KV.PUNCTUAL_tasks.end.done.a.b", nil))
	m = last("KV_PUNCTUAL_tasks", "$KV.PUNCTUAL_tasks.end.done.a.b")
	require.True(t, strings.HasPrefix(string(m.Data), "{"))
	require.Empty(t, refused)

	// A roll-up empties the stream.
	task := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	for n := range 10 {
		_, err = cluster.Schedule(ctx, admin, time.Hour, task, n)
		require.NoError(t, err)
	}
	submitter, _ := g.connect("submitter")
	all := nats.NewMsg("punctual.tasks.run.task.o.x.y")
	all.Header.Set("Nats-Rollup", "all")
	_, err = submitter.RequestMsgWithContext(ctx, all)
	require.NoError(t, err)
	queue, err := js.Stream(ctx, "PUNCTUAL_tasks")
	require.NoError(t, err)
	require.Equal(t, uint64(1), queue.CachedInfo().State.Msgs)
}
