package trials

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/cluster/rights"
	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspectcluster"
)

const password = "change-me"

// start returns the address of a server on which each role has a user, of its name. The server ends
// with the test, or before.
func start(t *testing.T, dir, address string) (*embedded.Server, string) {
	t.Helper()
	var users []rights.User
	for _, role := range []rights.Role{rights.Admin, rights.Worker, rights.Operator, rights.Viewer} {
		users = append(users, rights.User{Name: string(role), Password: password,
			Roles: map[string]rights.Role{"tasks": role}})
	}
	server, err := embedded.Start(t.Context(), dir, embedded.Listen(address), embedded.Users(users...))
	require.NoError(t, err)
	t.Cleanup(server.Close)
	return server, server.URL()
}

// join joins the pool as a user.
func join(t *testing.T, address string, user rights.Role, opts ...cluster.Option) *cluster.Pool {
	t.Helper()
	nc, err := nats.Connect(address, nats.UserInfo(string(user), password), nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond), nats.CustomInboxPrefix(rights.Inbox(string(user))),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	quiet := cluster.Logger(slog.New(slog.DiscardHandler))
	pool, err := cluster.Join(t.Context(), nc, append(opts, quiet)...)
	require.NoError(t, err)
	return pool
}

// serve serves tasks until the test ends.
func serve(t *testing.T, pool *cluster.Pool, tasks ...cluster.Runnable) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = pool.Serve(ctx, tasks...)
	}()
	t.Cleanup(func() { stop(); <-ended })
}

// viewer is a browser without script, which looks at a page.
type viewer struct {
	t      *testing.T
	client *http.Client
	url    string
}

// look returns a viewer of a page with the panel of a pool, on which everybody may act whose
// request says so.
func look(t *testing.T, pool *cluster.Pool, opts inspectcluster.Options) *viewer {
	t.Helper()
	opts.Refresh = time.Second
	page := inspect.Handler().With(inspect.Panels(inspectcluster.New(pool, opts)),
		inspect.Logger(slog.New(slog.DiscardHandler)),
		inspect.Actions(func(r *http.Request) bool { return r.Header.Get("Role") != "guest" }))
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := server.Client()
	client.Jar = jar
	return &viewer{t, client, server.URL + "/"}
}

// get returns a view.
func (v *viewer) get(path string, headers ...string) (body string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.url+path, nil)
	require.NoError(v.t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return v.send(r, http.StatusOK)
}

func (v *viewer) send(r *http.Request, code int) string {
	v.t.Helper()
	answer, err := v.client.Do(r)
	require.NoError(v.t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(v.t, err)
	require.Equal(v.t, code, answer.StatusCode, string(body))
	return string(body)
}

// until looks until a view says something, and returns the view.
func (v *viewer) until(path, says string) (body string) {
	v.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if body = v.get(path); strings.Contains(body, says) {
			return body
		}
	}
	require.FailNow(v.t, "a view never says something", "%s: %q: %s", path, says, body)
	return ""
}

var hidden = regexp.MustCompile(`name="token" value="([^"]+)"`)

// press presses the button of a view that does something to a thing, and returns where it leads.
func (v *viewer) press(view, address, verb string, code int) (body string) {
	v.t.Helper()
	return v.send(v.button(view, address, verb), code)
}

// button returns what a button sends.
func (v *viewer) button(view, address, verb string) *http.Request {
	v.t.Helper()
	shown := v.get(view)
	found := hidden.FindStringSubmatch(shown)
	require.NotNil(v.t, found)
	button := regexp.MustCompile(`formaction="[./]*(` + regexp.QuoteMeta(address) + `[^"]*)" name="do" value="` + verb + `"`).
		FindStringSubmatch(shown)
	require.NotNil(v.t, button, "no button at %s: %s", view, shown)
	form := url.Values{"token": {found[1]}, "back": {view}, "do": {verb}}
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost,
		v.url+html.UnescapeString(button[1]), strings.NewReader(form.Encode()))
	require.NoError(v.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// index is what the index says as JSON.
type index struct {
	Shows string
	Wrong struct {
		Shown []struct {
			What, Reason string
			Count        int
			Task         struct{ Name, Path string }
			Error        string
		}
	}
}

func (v *viewer) index() (is index) {
	v.t.Helper()
	require.NoError(v.t, json.Unmarshal([]byte(v.get("?format=json")), &is))
	return is
}
