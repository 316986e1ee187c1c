package trials

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/rights"
	"github.com/punctual-go/punctual/contrib/inspectcluster"
)

// shop is a pool with a task that fails while it is told to, and a series.
type shop struct {
	address string
	failing atomic.Bool
	mailed  atomic.Int64
	mail    cluster.Task[string, int]
	report  cluster.Task[string, int]
	held    chan struct{} // "wait" ends when it is closed
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{held: make(chan struct{})}
	_, s.address = start(t, t.TempDir(), "127.0.0.1:0")
	admin := join(t, s.address, rights.Admin, cluster.Instance("worker-1"), cluster.Grace(0))
	s.failing.Store(true)
	s.mail = cluster.Define("mail", func(ctx context.Context, in string) (int, error) {
		switch {
		case in == "wait":
			select {
			case <-s.held:
			case <-ctx.Done():
			}
		case s.failing.Load():
			return 0, errors.New("no route to <mail.example>")
		}
		s.mailed.Add(1)
		return 0, nil
	})
	s.report = cluster.Define("report", func(context.Context, string) (int, error) {
		return 0, errors.New("no paper")
	})
	serve(t, admin, s.mail, s.report)
	for i := range 3 {
		f, err := cluster.Submit(t.Context(), admin, s.mail, fmt.Sprint("secret ", i))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorContains(t, err, "no route")
	}
	_, err := cluster.AtFixedRate(t.Context(), admin, "by/hour", time.Millisecond, time.Hour, s.report, "secret")
	require.NoError(t, err)
	return s
}

func TestAFailedTaskRunsAgainFromThePage(t *testing.T) {
	s := newShop(t)
	pool := join(t, s.address, rights.Operator, cluster.Instance("page"))
	v := look(t, pool, inspectcluster.Options{Payloads: true, By: func(context.Context) string { return "alice" }})
	first := v.until("panel/tasks/failed", "no route to &lt;mail.example&gt;")
	assert.Contains(t, first, "3 in all")
	is := v.index()
	assert.Equal(t, "dead", is.Shows)
	require.NotEmpty(t, is.Wrong.Shown)
	assert.Equal(t, "3 runs have failed for good", is.Wrong.Shown[0].Reason)
	assert.Equal(t, "panel/tasks/name/mail", is.Wrong.Shown[0].Task.Path)

	page, err := pool.Failed(t.Context(), cluster.FailedFilter{}, 0, 0)
	require.NoError(t, err)
	require.Len(t, page.Rows, 3)
	id := page.Rows[0].ID
	detail := "panel/tasks/failed/" + id
	assert.Contains(t, v.get(detail), "secret 0")
	assert.NotContains(t, v.get(detail, "Role", "guest"), "secret 0")
	assert.NotContains(t, v.get(detail+"?format=json", "Role", "guest"), "secret 0")

	s.failing.Store(false)
	after := v.press("panel/tasks/failed", detail, "redrive", http.StatusOK)
	assert.Contains(t, after, "Queued again.")
	assert.Contains(t, after, "2 in all")
	assert.NotContains(t, after, id)
	require.Eventually(t, func() bool { return s.mailed.Load() == 1 }, time.Minute, 10*time.Millisecond)
	assert.Contains(t, v.press(detailOf(page.Rows[1]), detailOf(page.Rows[1]), "discard", http.StatusOK), "1 in all",
		"it leads to the list")

	all := v.press("panel/tasks/name/mail", "panel/tasks/name/mail", "redrive", http.StatusOK)
	assert.Contains(t, all, "Queued again.")
	require.Eventually(t, func() bool { return s.mailed.Load() == 2 }, time.Minute, 10*time.Millisecond)
	v.until("panel/tasks/failed", "nothing has failed")
	audit := v.get("panel/tasks/audit")
	assert.Contains(t, audit, "1 task from the page by alice")
	assert.Contains(t, audit, "discard")
	assert.Contains(t, audit, id)
}

func detailOf(f cluster.Failed) string { return "panel/tasks/failed/" + f.ID }

// Who decides about all that have failed decides about those that were seen.
func TestAllOfANameAreThoseThatWereSeen(t *testing.T) {
	s := newShop(t)
	pool := join(t, s.address, rights.Operator)
	v := look(t, pool, inspectcluster.Options{})
	at := "panel/tasks/name/mail"
	v.until(at, "version=3")
	button := v.button(at, at, "discard")
	f, err := cluster.Submit(t.Context(), pool, s.mail, "one more")
	require.NoError(t, err)
	_, err = f.Get(t.Context())
	require.Error(t, err)
	assert.Contains(t, v.send(button, http.StatusConflict), "4 have failed by now")
}

func TestASeriesOnThePage(t *testing.T) {
	s := newShop(t)
	v := look(t, join(t, s.address, rights.Operator, cluster.Instance("page")), inspectcluster.Options{Payloads: true})
	at := "panel/tasks/series/report~2fby~252Fhour"
	list := v.until("panel/tasks/series", "worker-1")
	assert.Contains(t, list, "by/hour")
	assert.Contains(t, list, at)
	body := v.until(at, "no paper")
	assert.Contains(t, body, "worker-1")
	assert.Contains(t, body, "Its last runs")
	assert.Contains(t, body, "Next times")
	assert.NotContains(t, v.get(at, "Role", "guest"), "secret")
	var failing bool
	for _, w := range v.index().Wrong.Shown {
		failing = failing || w.What == "failing" && w.Reason == "the last run of 1 series failed"
	}
	assert.True(t, failing)
	v.press(at, at, "pause", http.StatusOK)
	assert.Contains(t, v.until(at, "Resume"), "s-paused")
	v.press(at, at, "resume", http.StatusOK)
	v.until(at, "Pause")
	v.press(at, at, "trigger", http.StatusOK)
	require.Eventually(t, func() bool { return strings.Count(v.get(at), "no paper") == 2 }, time.Minute, 100*time.Millisecond)
	assert.Contains(t, v.press(at, at, "cancel", http.StatusOK), "Cancelled.")
	v.until(at, "ended")
	assert.Contains(t, v.get("panel/tasks/audit"), "trigger")
}

func TestWhoRunsWhat(t *testing.T) {
	s := newShop(t)
	pool := join(t, s.address, rights.Operator)
	f, err := cluster.Submit(t.Context(), pool, s.mail, "wait")
	require.NoError(t, err)
	v := look(t, pool, inspectcluster.Options{})
	assert.Contains(t, v.until("panel/tasks/workers", f.ID()), "worker-1")
	body := v.until("panel/tasks/tasks?choice=held&q=mail", f.ID())
	assert.Contains(t, body, "worker-1")
	assert.NotContains(t, v.get("panel/tasks/tasks?choice=waiting"), f.ID())
	at := "panel/tasks/tasks/" + f.ID()
	assert.NotContains(t, v.get(at), "Payload", "they are not shown unless that is asked for")
	v.press(at, at, "cancel", http.StatusOK)
	_, err = f.Get(t.Context())
	require.ErrorIs(t, err, cluster.ErrCancelled)
	v.until(at, "cancelled")
}

func TestPagesFollowEachOther(t *testing.T) {
	s := newShop(t)
	pool := join(t, s.address, rights.Operator)
	for i := range 130 {
		_, err := cluster.Schedule(t.Context(), pool, time.Hour, s.mail, fmt.Sprint(i))
		require.NoError(t, err)
	}
	v := look(t, pool, inspectcluster.Options{})
	first := v.get("panel/tasks/tasks?q=mail")
	assert.Equal(t, 100, strings.Count(first, `<tr id="p-panel/tasks/tasks/`))
	_, rest, found := strings.Cut(first, `<a rel="next" href="../../`)
	require.True(t, found)
	next, _, _ := strings.Cut(rest, `"`)
	second := v.get(strings.ReplaceAll(next, "&amp;", "&"))
	assert.Equal(t, 30, strings.Count(second, `<tr id="p-panel/tasks/tasks/`))
	assert.NotContains(t, second, `rel="next"`)
	assert.Contains(t, second, "First page")
}

// A viewer of the pool shows all of it, and can do nothing, which the page says.
func TestTheRoleOfAViewerIsEnoughToLook(t *testing.T) {
	s := newShop(t)
	pool := join(t, s.address, rights.Viewer)
	v := look(t, pool, inspectcluster.Options{})
	v.until("panel/tasks/failed", "no route to")
	for _, list := range []string{"", "tasks", "series", "workers", "audit"} {
		assert.NotContains(t, v.until("panel/tasks/"+list, "As of"), "cannot be read", list)
	}
	page, err := pool.Failed(t.Context(), cluster.FailedFilter{}, 0, 1)
	require.NoError(t, err)
	at := detailOf(page.Rows[0])
	for _, verb := range []string{"redrive", "discard"} {
		assert.Contains(t, v.press(at, at, verb, http.StatusForbidden), "the page itself has no right to do that")
	}
	assert.Contains(t, v.get("panel/tasks/failed"), "3 in all")
	series := "panel/tasks/series/report~2fby~252Fhour"
	assert.Contains(t, v.press(series, series, "pause", http.StatusForbidden), "has no right to do that")
	assert.NotContains(t, v.get("panel/tasks/series"), "s-paused")
}

// What serves may not look: the page needs a connection of its own, and says so.
func TestTheRoleOfAWorkerIsNot(t *testing.T) {
	s := newShop(t)
	v := look(t, join(t, s.address, rights.Worker), inspectcluster.Options{})
	assert.Contains(t, v.until("panel/tasks/", "the page itself has no right to do that"), "cannot be read")
	assert.Equal(t, "down", v.index().Shows)
}

func TestTheServerIsGoneAndComesBack(t *testing.T) {
	dir := t.TempDir()
	server, address := start(t, dir, "127.0.0.1:0")
	pool := join(t, address, rights.Admin)
	v := look(t, pool, inspectcluster.Options{})
	v.until("panel/tasks/", "As of")
	server.Close()
	v.until("panel/tasks/", "cannot be read")
	is := v.index()
	assert.Equal(t, "down", is.Shows)
	require.Len(t, is.Wrong.Shown, 1)
	assert.Equal(t, "down", is.Wrong.Shown[0].What)
	assert.NotEmpty(t, is.Wrong.Shown[0].Error)
	u, err := url.Parse(address)
	require.NoError(t, err)
	start(t, dir, u.Host)
	v.until("panel/tasks/", "As of")
	assert.Equal(t, "ok", v.index().Shows)
}

func TestWhatIsNotThere(t *testing.T) {
	s := newShop(t)
	v := look(t, join(t, s.address, rights.Operator), inspectcluster.Options{})
	for _, path := range []string{"tasks/none", "tasks/" + strings.Repeat("A", 22), "failed/none", "failed/~00",
		"series/report", "series/report~2fnone", "name/none", "name", "workers/one", "audit/one"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.url+"panel/tasks/"+path, nil)
		require.NoError(t, err)
		assert.Contains(t, v.send(r, http.StatusNotFound), "Nothing is here", path)
	}
}
