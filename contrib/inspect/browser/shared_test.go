//go:build unix

package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/contrib/inspectcluster"
)

// deliver is what the processes serve. In this one, which only looks, nothing is run.
var deliver = cluster.Define("deliver", func(context.Context, string) (int, error) {
	return 0, errors.ErrUnsupported
})

// common is what all processes of a fleet share: a server, and a pool on it.
type common struct {
	t      *testing.T
	dir    string
	url    string
	server *embedded.Server
	pool   *cluster.Pool
}

func newCommon(t *testing.T) *common {
	t.Helper()
	c := &common{t: t, dir: t.TempDir()}
	c.start("127.0.0.1:0")
	c.url = c.server.URL()
	t.Cleanup(func() { c.server.Close() })
	nc, err := nats.Connect(c.url, nats.MaxReconnects(-1), nats.ReconnectWait(50*ms),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	c.pool, err = cluster.Join(t.Context(), nc, cluster.Logger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	return c
}

// start starts the server, as soon as its address is free.
func (c *common) start(address string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		var err error
		c.server, err = embedded.Start(c.t.Context(), c.dir, embedded.Listen(address))
		return err == nil
	}, time.Minute, 100*ms)
}

// again starts a server that was closed, where it was.
func (c *common) again() {
	c.t.Helper()
	u, err := url.Parse(c.url)
	require.NoError(c.t, err)
	c.start(u.Host)
}

// deliver has a process look for a file, and returns the task with its outcome.
func (c *common) deliver(file string) (id string, err error) {
	c.t.Helper()
	f, err := cluster.Submit(c.t.Context(), c.pool, deliver, file)
	require.NoError(c.t, err)
	_, err = f.Get(c.t.Context())
	return f.ID(), err
}

// TestAFleetAndWhatItShares watches three processes, and the pool that all of them serve, on one
// page: a task fails for good, a process is killed and started again, the task is run again from the
// page, and the server goes away and comes back.
func TestAFleetAndWhatItShares(t *testing.T) {
	shared := newCommon(t)
	start := workers(t)
	var members []inspect.Member
	var list []*worker
	for range 3 {
		w := start("-shared", shared.url)
		list = append(list, w)
		members = append(members, inspect.Address("http://"+w.address+"/"))
	}
	fleet := inspect.FleetHandler(members...).With(inspect.BearerToken("secret"),
		inspect.PageOptions(inspect.Actions(anybody), inspect.Logger(slog.New(slog.DiscardHandler)),
			inspect.Panels(inspectcluster.New(shared.pool, inspectcluster.Options{Refresh: time.Second}))))
	t.Cleanup(fleet.Close)
	page, picture := mounted(t, fleet), pictures(t)
	tab := tab(t, chrome.Start(t))
	tab.ReduceMotion()
	tab.Size(1280, 900)
	tab.Open(page)
	live(tab)
	for _, w := range list {
		row(tab, "Processes", w.address, "ok", "v1")
	}
	tab.Wait(`document.querySelector(".panels .card").textContent.includes("ok")`)
	assert.NotContains(t, tab.Text("main"), "What is wrong")
	usable(t, tab, picture, "shared")

	file := filepath.Join(t.TempDir(), "route")
	id, err := shared.deliver(file)
	require.ErrorContains(t, err, "no route")
	wrong(tab, "1 run has failed for good")
	gone := list[2]
	gone.kill()
	row(tab, "Processes", gone.address, "silent", "connection refused")
	wrong(tab, "connection refused")
	wrong(tab, "1 run has failed for good")
	usable(t, tab, picture, "shared-killed")
	start("-address", gone.address, "-version", "v2", "-shared", shared.url)
	row(tab, "Processes", gone.address, "ok", "v2")
	row(tab, "Gone", gone.address, "another process has its address", "v1")
	wrong(tab, "1 run has failed for good")

	redrive(t, tab, picture, file, id)
	tab.Open(page)
	live(tab)
	tab.Wait(`!document.querySelector(".wrong")`)

	shared.server.Close()
	wrong(tab, "cannot be read")
	tab.Wait(`document.querySelector("h1").textContent.includes("down")`)
	for _, w := range list { // which is no matter of theirs
		row(tab, "Processes", w.address, "ok")
	}
	usable(t, tab, picture, "shared-away")
	tab.Click(`.wrong a[href*="panel/"]`)
	tab.Wait(`document.querySelector("main .ending").textContent.includes("cannot be read")`)
	usable(t, tab, picture, "shared-pool-away")
	shared.again()
	tab.Wait(`document.querySelector("main h1") && !document.querySelector("main .ending")`)
	_, err = shared.deliver(file)
	require.NoError(t, err, "the processes serve it again")
	tab.Script(false)
	tab.Open(page)
	assert.Contains(t, tab.Text(".panels .card"), "ok")
	assert.NotContains(t, tab.Text("main"), "What is wrong")
}

// redrive goes from the index to what has failed for good, and has it run again once it can succeed.
func redrive(t *testing.T, tab *chrome.Tab, picture func(string) string, file, id string) {
	t.Helper()
	tab.Click(`.panels h2 a`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "tasks"`)
	live(tab)
	usable(t, tab, picture, "shared-pool")
	tab.Click(`nav.lists a[href$="/failed"]`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "Failed"`)
	live(tab)
	assert.Contains(t, tab.Text("main table"), "no route to <mail.example>")
	usable(t, tab, picture, "shared-failed")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	tab.Click(fmt.Sprintf(`button[aria-label="Run again: %s"]`, id))
	tab.Wait(`document.getElementById("did")?.textContent === "Queued again."`)
	tab.Wait(`document.querySelector("main table").textContent.includes("nothing has failed")`)
	assert.NotContains(t, tab.Text("main"), id)
}

// wrong waits until what is wrong has a text.
func wrong(tab *chrome.Tab, text string) {
	tab.Wait(fmt.Sprintf(`document.querySelector(".wrong").textContent.includes(%q)`, text))
}
