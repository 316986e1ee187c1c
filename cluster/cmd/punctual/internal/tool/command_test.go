package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/cmd/punctual/internal/servers"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/cluster/rights"
	"github.com/punctual-go/punctual/timer/cron"
)

// said is what the command has written, and how it has exited.
type said struct {
	out, errs string
	code      int
}

// punctual runs the command with its words, on the servers.
func punctual(t testing.TB, urls string, words ...string) said {
	t.Helper()
	var out, errs strings.Builder
	code := Run(servers.Context(t), append([]string{"--server", urls}, words...), &out, &errs)
	return said{out.String(), errs.String(), code}
}

// done is punctual for what has to succeed.
func done(t testing.TB, urls string, words ...string) said {
	t.Helper()
	s := punctual(t, urls, words...)
	require.Zero(t, s.code, "%v: %s", words, s.errs)
	return s
}

// read reads what the command writes as JSON.
func read[T any](t testing.TB, urls string, words ...string) (v T) {
	t.Helper()
	s := done(t, urls, append([]string{"--json"}, words...)...)
	require.NoError(t, json.Unmarshal([]byte(s.out), &v), s.out)
	return v
}

// service is what the commands act on.
type service struct {
	mend atomic.Bool // mail works from then on
	mail cluster.Task[string, string]
	tick cluster.Task[string, string]
	none cluster.Task[string, string] // which nobody serves

	failed, later, orphan *cluster.Future[string]
}

func startService(t testing.TB, urls string) *service {
	t.Helper()
	return startServiceOn(t, servers.Connect(t, urls))
}

func startServiceOn(t testing.TB, conn *nats.Conn) *service {
	t.Helper()
	s := &service{}
	s.mail = cluster.Define("mail", func(_ context.Context, to string) (string, error) {
		if !s.mend.Load() {
			return "", errors.New("no route to " + to + "\x1b[2J")
		}
		return "sent", nil
	})
	s.tick = cluster.Define("report", func(context.Context, string) (string, error) { return "", nil })
	s.none = cluster.Define("old-name", func(context.Context, string) (string, error) { return "", nil })
	ctx := servers.Context(t)
	p, err := cluster.Join(ctx, conn, cluster.Instance("worker-1"), cluster.Workers(4))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	_, err = cluster.On(ctx, p, "nightly", cron.MustParse("30 2 * * *"), s.tick, "")
	require.NoError(t, err)
	_, err = cluster.AtFixedRate(ctx, p, "hourly", time.Hour, time.Hour, s.tick, "")
	require.NoError(t, err)
	servers.Serve(t, p, s.mail, s.tick)
	s.failed, err = cluster.Submit(ctx, p, s.mail, "ann")
	require.NoError(t, err)
	s.later, err = cluster.Schedule(ctx, p, time.Hour, s.mail, "bob")
	require.NoError(t, err)
	s.orphan, err = cluster.Submit(ctx, p, s.none, "")
	require.NoError(t, err)
	_, err = s.failed.Get(ctx)
	require.ErrorContains(t, err, "no route")
	return s
}

func TestEveryCommandOnAServerInAProcess(t *testing.T) {
	t.Parallel()
	s, err := embedded.Start(servers.Context(t), t.TempDir(), embedded.Listen("127.0.0.1:0"))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	requireEveryCommand(t, s.URL())
}

func TestEveryCommandOnOneServer(t *testing.T) {
	t.Parallel()
	_, url := servers.One(t, t.TempDir())
	requireEveryCommand(t, url)
}

func TestEveryCommandOnThreeServers(t *testing.T) {
	t.Parallel()
	requireEveryCommand(t, servers.Three(t))
}

func requireEveryCommand(t *testing.T, urls string) {
	s := startService(t, urls)
	require.Equal(t, []string{"tasks"}, read[[]string](t, urls, "list", "pools"))
	requireLists(t, urls, s)
	requireSeriesCommands(t, urls)
	requireCancels(t, urls, s)
	requireFailed(t, urls, s)
	var verbs []string
	for _, e := range read[[]cluster.AuditEntry](t, urls, "list", "audit") {
		require.Contains(t, e.By, "@")
		verbs = append(verbs, e.Verb)
	}
	require.Equal(t, []string{"pause", "resume", "trigger", "cancel", "cancel", "redrive", "discard"},
		verbs)
}

func requireLists(t *testing.T, urls string, s *service) {
	names := map[string]cluster.TaskSummary{}
	require.Eventually(t, func() bool {
		for _, n := range read[[]cluster.TaskSummary](t, urls, "list") {
			names[n.Task] = n
		}
		return len(names) == 3 && names["mail"].Workers == 1 && names["old-name"].Due == 1
	}, 30*time.Second, 50*time.Millisecond)
	require.EqualValues(t, 1, names["mail"].Waiting)
	require.EqualValues(t, 2, names["report"].Waiting)
	require.Zero(t, names["old-name"].Workers)
	require.Regexp(t, `old-name\s+0\s+1\s+0\s+\S+\s+nobody`, done(t, urls, "list").out)

	tasks := read[cluster.TaskPage](t, urls, "list", "tasks")
	require.Len(t, tasks.Rows, 2)
	due := read[cluster.TaskPage](t, urls, "list", "tasks", "--state", "due")
	require.Len(t, due.Rows, 1)
	require.Equal(t, s.orphan.ID(), due.Rows[0].ID)
	first := done(t, urls, "list", "tasks", "--limit", "1")
	require.Contains(t, first.out, "There is more: --after ")
	require.Contains(t, done(t, urls, "show", "task", s.later.ID()).out, "bob")

	workers := read[[]cluster.Worker](t, urls, "list", "workers")
	require.Len(t, workers, 1)
	require.Equal(t, "worker-1", workers[0].Instance)
	require.Contains(t, done(t, urls, "list", "workers").out, "worker-1")
}

func requireSeriesCommands(t *testing.T, urls string) {
	series := done(t, urls, "list", "series").out
	require.Regexp(t, `report\s+nightly\s+waiting`, series)
	require.Regexp(t, `report\s+hourly\s+waiting\s.*every 1h`, series)
	shown := done(t, urls, "show", "series", "report", "nightly").out
	require.Contains(t, shown, "30 2 * * *")
	require.Equal(t, 5, strings.Count(shown, ":30:00"))
	state := func(want cluster.State) {
		require.Eventually(t, func() bool {
			return read[cluster.SeriesDetail](t, urls, "show", "series", "report", "nightly").State == want
		}, 30*time.Second, 20*time.Millisecond)
	}
	told := done(t, urls, "pause", "report", "nightly")
	require.Regexp(t, `pause pool=tasks by=\S+@\S+ task="report" series="nightly"`, told.errs)
	state(cluster.StatePaused)
	paused := punctual(t, urls, "trigger", "report", "nightly")
	require.Equal(t, exitFailed, paused.code, paused.errs)
	require.Contains(t, paused.errs, "resume it first")
	done(t, urls, "resume", "report", "nightly")
	state(cluster.StateWaiting)
	done(t, urls, "trigger", "report", "nightly")
	require.Eventually(t, func() bool {
		ran := read[cluster.SeriesDetail](t, urls, "show", "series", "report", "nightly").Ran
		return len(ran) == 1 && ran[0].Triggered && ran[0].Outcome == cluster.RunSucceeded
	}, 30*time.Second, 50*time.Millisecond)
	require.Regexp(t, `worker-1\s+1\s+succeeded`, done(t, urls, "show", "series", "report", "nightly").out)
}

func requireCancels(t *testing.T, urls string, s *service) {
	done(t, urls, "cancel", "series", "report", "hourly")
	gone := punctual(t, urls, "cancel", "series", "report", "hourly")
	require.Equal(t, exitNotThere, gone.code, gone.errs)
	require.Contains(t, done(t, urls, "cancel", "task", s.later.ID()).errs, s.later.ID())
	_, err := s.later.Get(servers.Context(t))
	require.ErrorIs(t, err, cluster.ErrCancelled)
	again := done(t, urls, "cancel", "task", s.later.ID())
	require.Contains(t, again.out, "it has ended already")
	require.Empty(t, again.errs, "nothing was done")
	mixed := punctual(t, urls, "cancel", "task", s.failed.ID(), "nobody.knows")
	require.Equal(t, exitNotThere, mixed.code)
	require.Contains(t, mixed.out, "it has ended already")
}

func requireFailed(t *testing.T, urls string, s *service) {
	listed := done(t, urls, "list", "failed").out
	require.Contains(t, listed, `no route to ann\x1b[2J`, "what acts on a terminal is shown instead")
	require.NotContains(t, listed, "\x1b")
	require.Contains(t, done(t, urls, "show", "failed", s.failed.ID()).out, `"ann"`)
	require.Equal(t, exitWrongUse, punctual(t, urls, "redrive").code)
	require.Equal(t, exitWrongUse, punctual(t, urls, "redrive", "--all", "--task", "mail").code)
	require.Equal(t, exitNotThere, punctual(t, urls, "redrive", "nobody.knows").code)
	require.Contains(t, done(t, urls, "redrive", "--all", "--dry-run").out, s.failed.ID())

	s.mend.Store(true)
	redriven := read[[]cluster.Redriven](t, urls, "redrive", "--task", "mail")
	require.Len(t, redriven, 1)
	require.Equal(t, s.failed.ID(), redriven[0].ID)
	p := servers.Join(t, urls)
	receipt, err := cluster.Attach(p, s.mail, redriven[0].New).Get(servers.Context(t))
	require.NoError(t, err)
	require.Equal(t, "sent", receipt)
	require.Empty(t, read[cluster.FailedPage](t, urls, "list", "failed").Rows)

	s.mend.Store(false)
	f, err := cluster.Submit(servers.Context(t), p, s.mail, "eve")
	require.NoError(t, err)
	_, err = f.Get(servers.Context(t))
	require.Error(t, err)
	require.Contains(t, done(t, urls, "discard", f.ID()).out, "1 discarded")
	require.Empty(t, read[cluster.FailedPage](t, urls, "list", "failed").Rows)
}

func TestWhatGoesWrongHasACode(t *testing.T) {
	t.Parallel()
	_, url := servers.One(t, t.TempDir())
	servers.Join(t, url)
	for _, c := range []struct {
		words []string
		code  int
		text  string
	}{
		{[]string{"--pool", "other", "list"}, exitNotThere, `pool "other"`},
		{[]string{"--pool", "no pool", "list"}, exitWrongUse, `pool "no pool"`},
		{[]string{"pause", "report", "nightly"}, exitNotThere, `series "nightly"`},
		{[]string{"resume", "report", "nightly"}, exitNotThere, `series "nightly"`},
		{[]string{"trigger", "report", "nightly"}, exitNotThere, `series "nightly"`},
		{[]string{"show", "series", "report", "nightly"}, exitNotThere, "nightly"},
		{[]string{"show", "task", "nobody.knows"}, exitNotThere, "nobody.knows"},
		{[]string{"show", "task", "no ID"}, exitWrongUse, "no ID"},
		{[]string{"show", "failed", "nobody.knows"}, exitNotThere, "nobody.knows"},
		{[]string{"cancel", "task", "nobody.knows"}, exitNotThere, "nobody.knows"},
		{[]string{"discard", "nobody.knows"}, exitNotThere, "nobody.knows"},
		{[]string{"list", "tasks", "--state", "lost"}, exitWrongUse, "lost"},
		{[]string{"list", "tasks", "--limit", "-1"}, exitWrongUse, "-1"},
		{[]string{"list", "audit", "--limit", "0"}, exitWrongUse, "--limit"},
		{[]string{"list", "audit", "--after", "5"}, exitWrongUse, "--after"},
		{[]string{"list", "failed", "--state", "due"}, exitWrongUse, "--state"},
		{[]string{"list", "workers", "--task", "mail"}, exitWrongUse, "--task"},
		{[]string{"redrive", "--task", "nosuch"}, exitNotThere, "nosuch"},
		{[]string{"discard", "--task", "nosuch"}, exitNotThere, "nosuch"},
		{[]string{"list", "everything"}, exitWrongUse, "everything"},
		{[]string{"pause", "report"}, exitWrongUse, "series"},
		{[]string{"--tls-cert", "a.pem", "list"}, exitWrongUse, "--tls-key"},
		{[]string{"--json", "move", "--from", url, "--to", url}, exitWrongUse, "--json"},
		{[]string{"frobnicate"}, exitWrongUse, "frobnicate"},
		{nil, exitWrongUse, "expected one of"},
	} {
		s := punctual(t, url, c.words...)
		require.Equal(t, c.code, s.code, "%v: %s", c.words, s.errs)
		require.Contains(t, s.errs, c.text, "%v", c.words)
		if len(c.words) == 0 || c.words[0] != "cancel" { // which tells what has become of each
			require.Empty(t, s.out, "%v", c.words)
		}
	}
	require.Contains(t, done(t, url, "--help").out, "redrive")
	require.Contains(t, done(t, url, "--version").out, "punctual ")
}

func TestNoServerAnswers(t *testing.T) {
	t.Parallel()
	s := punctual(t, "nats://127.0.0.1:1", "--timeout", "2s", "list")
	require.Equal(t, exitNoServer, s.code, s.errs)

	o := servers.Options("plain", t.TempDir())
	o.JetStream = false
	url := servers.Start(t, o).ClientURL()
	s = punctual(t, url, "list")
	require.Equal(t, exitFailed, s.code, s.errs)
	require.Contains(t, s.errs, "JetStream is off")
}

func TestAUserWithoutRightsIsRefused(t *testing.T) {
	t.Parallel()
	o := servers.Options("strict", t.TempDir())
	o.Users = []*server.User{
		{Username: "admin", Password: "secret"},
		{Username: "guest", Password: "secret", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{">"}},
		}},
	}
	url := servers.Start(t, o).ClientURL()
	as := func(user string) []string { return []string{"--user", user, "--password", "secret"} }
	wrong := punctual(t, url, "--user", "admin", "--password", "wrong", "list")
	require.Equal(t, exitNotAllowed, wrong.code, wrong.errs)
	require.Equal(t, exitNotThere, punctual(t, url, append(as("admin"), "list")...).code)
	guest := punctual(t, url, append(as("guest"), "list")...)
	require.Equal(t, exitNotAllowed, guest.code, guest.errs)
}

// A role of package rights is enough for what it is there for, and for no more.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	user := func(name string, role rights.Role) rights.User {
		return rights.User{Name: name, Password: "secret", Roles: map[string]rights.Role{"tasks": role}}
	}
	s, err := embedded.Start(servers.Context(t), t.TempDir(), embedded.Listen("127.0.0.1:0"),
		embedded.Users(user("operator", rights.Operator), user("viewer", rights.Viewer),
			user("submitter", rights.Submitter)))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	conn, err := s.Conn()
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	service := startServiceOn(t, conn)
	as := func(user string, words ...string) int {
		got := punctual(t, s.URL(), append([]string{"--user", user, "--password", "secret"}, words...)...)
		t.Log(user, words, got.code, got.errs)
		return got.code
	}
	for _, words := range [][]string{
		{"list"}, {"list", "tasks"}, {"list", "series"}, {"list", "failed"}, {"list", "workers"},
		{"list", "audit"}, {"show", "series", "report", "nightly"}, {"show", "task", service.later.ID()},
		{"show", "failed", service.failed.ID()},
	} {
		require.Equal(t, exitDone, as("viewer", words...), words)
		require.Equal(t, exitDone, as("operator", words...), words)
	}
	for _, words := range [][]string{
		{"pause", "report", "nightly"}, {"resume", "report", "nightly"},
		{"cancel", "task", service.later.ID()}, {"redrive", "--all"},
	} {
		require.Equal(t, exitNotAllowed, as("viewer", words...), words)
		require.Equal(t, exitDone, as("operator", words...), words)
	}
	require.Equal(t, exitNotAllowed, as("submitter", "list", "failed"))
	require.Equal(t, exitNotAllowed, as("viewer", "list", "pools"), "which shows all pools")
}
