package inspect_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor"
)

// raw sends a request as it stands, and returns the answer.
func raw(t *testing.T, server *httptest.Server, text string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	go func() { _, _ = io.WriteString(c, text) }()
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err, "%.100q", text)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err, "%.100q", text)
	return answer, string(body)
}

// odd are addresses that try to be something else, below that of a page.
var odd = []string{"", "tasks", "tasks/preview", "tasks/confirm", "pool/jobs", "pool/jobs/", "pool/jobs/tasks/confirm",
	"panel/orders", "panel/orders/failed", "panel/orders/failed/x", "panel/orders/failed/~2f~2f", "asset/page.js",
	"health", "ready", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2f", "//evil.example/", "/%2fevil.example/", "pool/%00/",
	"pool/jobs%00/", "%ff%fe/", "panel/orders/failed/%00", "\\evil.example", "a%0d%0aSet-Cookie:x=1",
	"asset/../asset/page.js", "asset/%2e%2e/frame.html", "@evil.example/", "task/a/b/run/9999-99-99T99:99:99Z",
	strings.Repeat("a/", 1<<8), "?" + strings.Repeat("q=x&", 1<<14), "tasks?q=" + strings.Repeat("%00", 1<<14),
	"pool/jobs?" + strings.Repeat("x", 1<<17), "find?pool=" + strings.Repeat("%ff", 1<<10)}

// Whatever is sent, nothing breaks, nothing is done, and nothing leads elsewhere.
func TestOddRequests(t *testing.T) {
	p, h, at, page, _ := steered(t)
	f := newFake(func(context.Context, panel.Query) (panel.View, error) { return aView("x"), nil })
	f.do = func(context.Context, panel.Command) (bool, error) { return true, nil }
	page.(*inspect.Page).With(inspect.Panels(f))
	fleet := inspect.FleetHandler().With(inspect.PageOptions(inspect.Panels(f), inspect.Actions(anybody),
		inspect.Logger(slog.New(slog.DiscardHandler))))
	defer fleet.Close()
	for name, page := range map[string]http.Handler{"page": page, "fleet": fleet} {
		mux := http.NewServeMux()
		mux.Handle("/punctual/", page)
		mux.Handle("/stripped/", http.StripPrefix("/stripped/", page))
		mux.Handle("/bare/", http.StripPrefix("/bare", page))
		muxed, direct := httptest.NewServer(mux), httptest.NewServer(page)
		defer muxed.Close()
		defer direct.Close()
		for _, method := range []string{"GET", "POST", "PUT", "OPTIONS", "X"} {
			for _, path := range append(odd, at) {
				for _, mount := range []string{"/punctual/", "/stripped/", "/bare/", "/"} {
					server := muxed
					if mount == "/" {
						server = direct
					}
					answer, body := raw(t, server, method+" "+mount+path+" HTTP/1.1\r\nHost: evil.example\r\n"+
						"Connection: close\r\nOrigin: http://other.example\r\nContent-Length: 9\r\n\r\ndo=cancel")
					what := fmt.Sprintf("%s: %s %s%.60s", name, method, mount, path)
					assert.Less(t, answer.StatusCode, 500, what)
					assert.NotContains(t, body, "<script>alert", what)
					leadsNowhere(t, answer, what)
					if mount == "/" && answer.StatusCode != http.StatusBadRequest { // which the server says
						assert.Equal(t, "DENY", answer.Header.Get("X-Frame-Options"), what)
					}
				}
			}
		}
	}
	assert.False(t, h.State().Settled())
	assert.Empty(t, f.commands)
	assert.False(t, p.Stats().Paused)
}

// leadsNowhere checks that an answer leads to no other host, and has no header of the request's.
func leadsNowhere(t *testing.T, answer *http.Response, what string) {
	t.Helper()
	to := answer.Header.Get("Location")
	u, err := url.Parse(to)
	if assert.NoError(t, err, what) {
		assert.Empty(t, u.Host, "%s leads to %.100q", what, to)
		assert.NotRegexp(t, `^[/\\]{2}|^/\\`, to, what)
	}
	for _, c := range answer.Cookies() {
		assert.NotEqual(t, "x", c.Name, what)
	}
}

// A function of Actions that panics or ends its goroutine authorizes nobody, and harms no other request.
func TestAuthorizationThatFails(t *testing.T) {
	for name, end := range map[string]func(){"panics": func() { panic("no directory") }, "exits": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			p := executor.NewScheduledPool(1, executor.Name("jobs"))
			defer func() { _ = p.Close() }()
			page := inspect.Handler(p).With(inspect.Logger(slog.New(slog.DiscardHandler)),
				inspect.Actions(func(r *http.Request) bool {
					if r.Header.Get("Who") == "bad" {
						end()
					}
					return true
				}))
			server := httptest.NewUnstartedServer(page)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.Start()
			t.Cleanup(server.Close)
			for i := range 70 { // more than streams can be
				for _, accept := range []string{"text/html", "application/json", "text/event-stream"} {
					method := []string{"GET", "POST"}[i%2]
					r, err := http.NewRequest(method, server.URL+"/pool/jobs/", strings.NewReader("do=pause"))
					require.NoError(t, err)
					r.Header.Set("Accept", accept)
					r.Header.Set("Who", "bad")
					answer, err := server.Client().Do(r)
					if err == nil {
						_ = answer.Body.Close()
					}
				}
			}
			assert.False(t, p.Stats().Paused)
			_, lines := stream(t, server.URL+"/pool/jobs/")
			assert.Contains(t, next(lines), "jobs")
		})
	}
}

// A function of Actions that does not return keeps its own request, and no place of other viewers.
func TestAuthorizationThatHangs(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	defer func() { _ = p.Close() }()
	var hung sync.WaitGroup
	hung.Add(80)
	held := make(chan struct{})
	page := inspect.Handler(p).With(inspect.Actions(func(r *http.Request) bool {
		if r.Header.Get("Who") == "slow" {
			hung.Done()
			<-held
		}
		return true
	}))
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(held) })
	for range 80 {
		go func() {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/", nil)
			r.Header.Set("Accept", "text/event-stream")
			r.Header.Set("Who", "slow")
			if answer, err := server.Client().Do(r); err == nil {
				_ = answer.Body.Close()
			}
		}()
	}
	hung.Wait()
	answer, lines := stream(t, server.URL+"/pool/jobs/")
	require.Equal(t, http.StatusOK, answer.StatusCode)
	assert.Contains(t, next(lines), "jobs")
}

// A form of ten megabytes is refused, and one that comes slowly keeps nobody waiting.
func TestHugeAndSlowForms(t *testing.T) {
	_, h, at, page, _ := steered(t)
	server := mounted(t, page)
	to := "POST /punctual/" + at + " HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: same-origin\r\n" +
		"Content-Type: application/x-www-form-urlencoded\r\n"
	answer, _ := raw(t, server, to+fmt.Sprintf("Content-Length: %d\r\n\r\n", 10<<20)+strings.Repeat("token=a&", 10<<17))
	assert.Equal(t, http.StatusBadRequest, answer.StatusCode)
	answer, _ = raw(t, server, to+"Transfer-Encoding: chunked\r\n\r\n"+strings.Repeat("8\r\ntoken=a&\r\n", 1<<17)+"0\r\n\r\n")
	assert.Equal(t, http.StatusBadRequest, answer.StatusCode)
	for range 20 {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		defer func() { _ = c.Close() }()
		_, err = io.WriteString(c, to+"Content-Length: 1000\r\n\r\ntoken=")
		require.NoError(t, err)
	}
	assert.Equal(t, http.StatusOK, get(t, page, "/"+at).Code)
	assert.Equal(t, http.StatusSeeOther, act(t, page, at, url.Values{"do": {"pause"}}).Code)
	assert.True(t, h.Paused())
}

// Many confirm the same preview, and previews of the same tasks, at once: each task is cancelled once.
func TestSeveralAtOnceByManyAtOnce(t *testing.T) {
	const tasks, viewers = 50, 8
	f := newFleet(t, tasks)
	var forms []*http.Request
	for range viewers {
		r := selects(t, f.page, "tasks", "cancel", "found")
		forms = append(forms, confirms(t, r, answer(f.page, r)))
	}
	done := make(chan int, 3*viewers)
	for _, r := range forms {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		for range 3 {
			again := posted(r.URL.String(), nil, r.Cookies())
			again.Body = io.NopCloser(strings.NewReader(string(body)))
			go func() { done <- answer(f.page, again).Code }()
		}
	}
	codes := map[int]int{}
	for range 3 * viewers {
		codes[<-done]++
	}
	assert.Equal(t, map[int]int{http.StatusOK: viewers, http.StatusConflict: 2 * viewers}, codes)
	cancelled := 0
	f.log.mu.Lock()
	defer f.log.mu.Unlock()
	for _, line := range f.log.list {
		if strings.Contains(line, "inspect: action ") && strings.HasSuffix(line, "do=cancel done=true") {
			cancelled++
		}
	}
	assert.Equal(t, 2*tasks, cancelled)
}

// Where nothing can be selected, nothing is said of selecting, and the page loads itself anew.
func TestAListWithoutTicksLoadsItself(t *testing.T) {
	f := newFake(func(context.Context, panel.Query) (panel.View, error) { return aView("x"), nil })
	f.about.Lists = append(f.about.Lists, panel.List{Name: "tasks", Title: "Tasks"})
	fleet := inspect.FleetHandler().With(inspect.PageOptions(inspect.Panels(f), inspect.Actions(anybody)))
	defer fleet.Close()
	for _, path := range []string{"/tasks", "/panel/orders/tasks"} {
		body := get(t, fleet, path).Body.String()
		assert.NotContains(t, body, "while you select", path)
		assert.Contains(t, body, `http-equiv="refresh"`, path)
	}
}

// A version of any length is not sent to each viewer with each button.
func TestAVersionTooLongForAButton(t *testing.T) {
	f := newFake(func(context.Context, panel.Query) (panel.View, error) {
		ref := panel.Ref{List: "failed", ID: "x"}
		return panel.View{Actions: []panel.Action{
			{Ref: ref, Verb: "move", Label: "Move", Version: strings.Repeat("v", 512)},
			{Ref: ref, Verb: "redrive", Label: "Run again", Version: strings.Repeat("v", 1<<20)}}}, nil
	})
	page := f.page(inspect.Actions(anybody))
	body := get(t, page, "/panel/orders/").Body.String()
	assert.Less(t, len(body), 10<<10)
	assert.Contains(t, body, `name="do" value="move"`)
	assert.Contains(t, body, "Run again: not from here")
	assert.Less(t, get(t, page, "/panel/orders/?format=json").Body.Len(), 10<<10)
}

// A panel that answers with a million rows costs its viewers no more than one with few.
func TestAMillionRows(t *testing.T) {
	rows := make([]panel.Row, 1_000_000)
	for i := range rows {
		rows[i] = panel.Row{Values: []panel.Value{panel.Name(fmt.Sprint("row ", i)), panel.Error("x")}}
	}
	f := newFake(func(context.Context, panel.Query) (panel.View, error) {
		return panel.View{Tables: []panel.Table{{Columns: []string{"a", "b"}, Rows: rows}}}, nil
	})
	page := f.page()
	body := get(t, page, "/panel/orders/failed").Body.String()
	assert.Contains(t, body, "and 999\u202f800 more")
	assert.Less(t, len(body), 1<<20)
	assert.Less(t, get(t, page, "/panel/orders/failed?format=json").Body.Len(), 1<<20)
}
