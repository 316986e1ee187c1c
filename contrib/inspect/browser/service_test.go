//go:build unix

package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/supervisor"
)

const ms = time.Millisecond

// hostile are names of tasks that try to become something else.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`,
	"right\u202eto left", "nul\x00byte", "broken\xff\xfe", "a\r\n\r\ndata: <b>x</b>",
	"</title></bdi></table>", strings.Repeat("long ", 1<<18),
}

// service is a small one with something of everything.
type service struct {
	pool       *executor.ScheduledPool
	mail       *executor.ScheduledPool
	loop       *eventloop.Loop
	supervisor *supervisor.Supervisor
	fetched    *executor.ScheduledFuture[struct{}]
	runs       atomic.Int64 // of fetch
}

func newService(t testing.TB) *service {
	t.Helper()
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	s := &service{
		pool: executor.NewScheduledPool(2, executor.Name("jobs"),
			executor.Watch(insight.Config{History: true}), quiet),
		mail: executor.NewScheduledPool(1, executor.Name("mail, and more"), quiet),
		loop: eventloop.New(executor.Name("session"), executor.Watch(insight.Config{History: true})),
	}
	t.Cleanup(func() { _, _, _ = s.pool.Close(), s.mail.Close(), s.loop.Close() })
	every := func(d time.Duration, name string, body executor.Task, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
		f, err := s.pool.AtFixedRate(d, d, body, append(opts, executor.Name(name))...)
		require.NoError(t, err)
		return f
	}
	every(500*ms, "refresh", sleep(5*ms), executor.Expect(insight.SuccessWithin(time.Minute)))
	every(700*ms, "import", sleep(60*ms))
	every(900*ms, "sweep", sleep(150*ms))
	every(time.Second, "broken", func(context.Context) error { return errors.New("disk <b>full</b>") })
	every(10*time.Second, "overdue", func(context.Context) error { return errors.New("no answer") },
		executor.Expect(insight.SuccessWithin(ms)))
	s.fetched = every(time.Hour, "fetch", func(context.Context) error { s.runs.Add(1); return nil })
	for i := range 20 {
		every(time.Duration(20+i)*time.Second, fmt.Sprintf("tenant-%02d", i), sleep(ms))
	}
	_, err := s.pool.WithFixedDelay(0, time.Second, sleep(10*ms), executor.Name("tail"))
	require.NoError(t, err)
	_, err = s.loop.AtFixedRate(0, 250*ms, sleep(ms), executor.Name("heartbeat"))
	require.NoError(t, err)
	s.supervisor = supervisor.New(s.pool, sleep(ms), executor.Name("registry"),
		supervisor.Interval(time.Second))
	s.supervisor.Start()
	t.Cleanup(s.supervisor.Stop)
	return s
}

func sleep(d time.Duration) executor.Task {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return nil
	}
}

func (s *service) page(options ...inspect.Option) *inspect.Page {
	options = append(options, inspect.Logger(slog.New(slog.DiscardHandler)))
	return inspect.Handler(s.pool, s.mail, s.loop, s.supervisor).With(options...)
}

func anybody(*http.Request) bool { return true }

func mux(page http.Handler) http.Handler {
	m := http.NewServeMux()
	m.Handle("/punctual/", page)
	return m
}

// mounted returns the address of a page on a server, which ends after the browser that is started
// next.
func mounted(t testing.TB, page http.Handler) string {
	t.Helper()
	server := httptest.NewServer(mux(page))
	t.Cleanup(server.Close)
	return server.URL + "/punctual/"
}

// tab returns a tab; the test fails if anything goes wrong in it that the browser tells.
func tab(t *testing.T, b *chrome.Browser) *chrome.Tab {
	t.Helper()
	tab := b.Tab(t)
	t.Cleanup(func() { assert.Empty(t, tab.Problems()) })
	return tab
}

// live waits until the page follows what happens.
func live(tab *chrome.Tab) { tab.Wait(`document.getElementById("state").className === "on"`) }

// pictures returns the folder for screenshots.
func pictures(t *testing.T) func(name string) string {
	t.Helper()
	dir := os.Getenv("INSPECT_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return func(name string) string { return filepath.Join(dir, name+".png") }
}

// listen opens an address again that was in use before.
func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	var l net.Listener
	require.Eventually(t, func() (ok bool) {
		var err error
		l, err = net.Listen("tcp", address)
		return err == nil
	}, 20*time.Second, 10*ms)
	return l
}
