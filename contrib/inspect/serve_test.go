package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/supervisor"
)

const ms = time.Millisecond

// hostile are names of tasks that try to become something else.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`,
	"right\u202eto left", "nul\x00byte", "broken\xff\xfe", "{{.}}", "../../etc/passwd", "a\r\n\r\ndata: x",
	"</title></bdi></table>", "javascript:alert(1)",
}

// service is a small one with something of everything: two pools, a loop, a supervisor.
type service struct {
	pool       *executor.ScheduledPool
	second     *executor.Pool
	loop       *eventloop.Loop
	supervisor *supervisor.Supervisor
}

func newService(t testing.TB) *service {
	t.Helper()
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	s := &service{
		pool: executor.NewScheduledPool(2, executor.Name("jobs"),
			executor.Watch(insight.Config{History: true}), quiet),
		second: executor.NewPool(1, executor.Name("mail, and more"), quiet),
		loop:   eventloop.New(executor.Name("session"), executor.Watch(insight.Config{History: true})),
	}
	t.Cleanup(func() { _ = s.pool.Close(); _ = s.second.Close(); _ = s.loop.Close() })
	every := func(d time.Duration, name string, body executor.Task, opts ...executor.TaskOption) {
		_, err := s.pool.AtFixedRate(d, d, body, append(opts, executor.Name(name))...)
		require.NoError(t, err)
	}
	every(500*ms, "refresh", sleep(5*ms), executor.Expect(insight.SuccessWithin(time.Minute)))
	every(700*ms, "import", sleep(60*ms))
	every(900*ms, "sweep", sleep(150*ms))
	every(time.Second, "broken", func(context.Context) error { return errors.New("disk <b>full</b>") })
	every(time.Hour, "nightly", sleep(0))
	every(time.Hour, "", sleep(0))
	for _, name := range hostile {
		every(time.Hour, name, sleep(0))
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

// page returns the page of the service.
func (s *service) page(options ...inspect.Option) *inspect.Page {
	return inspect.Handler(s.pool, s.second, s.loop, s.supervisor).With(options...)
}

// mounted returns a server that has the page at /punctual/.
func mounted(t testing.TB, page http.Handler) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/punctual/", page)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func anybody(*http.Request) bool { return true }

// records is a log handler that keeps what it is told.
type records struct {
	mu   sync.Mutex
	list []string
}

func (r *records) Enabled(context.Context, slog.Level) bool { return true }
func (r *records) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *records) WithGroup(string) slog.Handler            { return r }

func (r *records) Handle(_ context.Context, record slog.Record) error {
	line := record.Level.String() + " " + record.Message
	record.Attrs(func(a slog.Attr) bool {
		line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, line)
	return nil
}

func (r *records) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 {
		return ""
	}
	return r.list[len(r.list)-1]
}

const hour = time.Hour

func dur(n int) time.Duration { return time.Duration(n) }

func numbered(what string, n int) string { return fmt.Sprintf("%s %03d", what, n) }
