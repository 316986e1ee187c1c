package inspect_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/supervisor"
)

var taskField = regexp.MustCompile(`name="task" value="([^"]*)"`)

var tokenField = regexp.MustCompile(`name="token" value="([A-Z2-7]{26})"`)

// form asks for a page, and returns a request as its form would send it.
func form(t testing.TB, page http.Handler, path string, values url.Values) *http.Request {
	t.Helper()
	w := get(t, page, "/"+path)
	found := tokenField.FindStringSubmatch(w.Body.String())
	require.NotNil(t, found, "no form at %s", path)
	values = url.Values{"token": {found[1]}, "do": values["do"], "after": values["after"],
		"back": values["back"]}
	if of := taskField.FindStringSubmatch(w.Body.String()); of != nil {
		values.Set("task", of[1])
	}
	r := httptest.NewRequest(http.MethodPost, "/"+path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range w.Result().Cookies() {
		assert.True(t, c.HttpOnly)
		assert.Equal(t, http.SameSiteLaxMode, c.SameSite)
		r.AddCookie(c)
	}
	return r
}

func act(t testing.TB, page http.Handler, path string, values url.Values) *httptest.ResponseRecorder {
	t.Helper()
	return answer(page, form(t, page, path, values))
}

func answer(page http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	return w
}

// steered returns a pool with one task, its handle, the address of the task, its page, and the log.
func steered(t testing.TB) (p *executor.ScheduledPool, h executor.Handle, path string,
	page http.Handler, log *records) {
	t.Helper()
	p = executor.NewScheduledPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _ = p.Close() })
	f, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name("poll"))
	require.NoError(t, err)
	log = new(records)
	page = inspect.Handler(p).With(inspect.Actions(anybody), inspect.Logger(slog.New(log)))
	_, rest, found := strings.Cut(get(t, page, "/pool/jobs/tasks").Body.String(), `href="../../pool/jobs/task/`)
	require.True(t, found)
	id, _, _ := strings.Cut(rest, `"`)
	return p, f.Handle, "pool/jobs/task/" + id, page, log
}

// Over plain HTTP, under a name that is not this machine's, a browser sends the origin alone.
func TestABrowserActsOverPlainHTTP(t *testing.T) {
	_, h, path, page, _ := steered(t)
	assert.Equal(t, "same-origin", get(t, page, "/").Header().Get("Referrer-Policy"),
		"without a referrer the origin would be null")
	r := form(t, page, path, url.Values{"do": {"pause"}})
	r.Header.Del("Sec-Fetch-Site")
	r.Host = "internal.example:8080"
	r.Header.Set("Origin", "http://internal.example:8080")
	assert.Equal(t, http.StatusSeeOther, answer(page, r).Code)
	assert.True(t, h.Paused())
}

// A form is of one task, also if another has its address by now, or in another process.
func TestAFormIsOfOneTask(t *testing.T) {
	p, first, path, page, _ := steered(t)
	stale := form(t, page, path, url.Values{"do": {"cancel"}})
	first.Cancel()
	second, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name("poll"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, get(t, page, "/"+path).Code)
	w := answer(page, stale)
	assert.Equal(t, http.StatusConflict, w.Code)
	assert.Contains(t, w.Body.String(), "another task")
	assert.False(t, second.State().Settled())
	elsewhere := inspect.Handler(p).With(inspect.Actions(anybody))
	r := form(t, page, path, url.Values{"do": {"cancel"}})
	assert.Equal(t, http.StatusConflict, answer(elsewhere, r).Code)
	assert.Eventually(t, func() bool { // the page may be of a moment before
		return act(t, page, path, url.Values{"do": {"cancel"}}).Code == http.StatusSeeOther
	}, 20*time.Second, 50*ms)
	assert.True(t, second.State().Settled())
}

// The buttons of the list are each of one task, too.
func TestAButtonOfTheListIsOfOneTask(t *testing.T) {
	p, first, path, page, _ := steered(t)
	press := func(r *http.Request, list string) *httptest.ResponseRecorder {
		_, action, found := strings.Cut(list, `formaction="../../`+path+"?task=")
		require.True(t, found)
		action, _, _ = strings.Cut(path+"?task="+action, `"`)
		u, err := url.Parse("/" + action)
		require.NoError(t, err)
		r.URL = u
		return answer(page, r)
	}
	list := get(t, page, "/pool/jobs/tasks").Body.String()
	r := func() *http.Request { return form(t, page, "pool/jobs/tasks", url.Values{"do": {"pause"}}) }
	assert.Equal(t, http.StatusSeeOther, press(r(), list).Code)
	assert.True(t, first.Paused())
	first.Cancel()
	second, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name("poll"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusConflict, press(r(), list).Code)
	assert.False(t, second.Handle.Paused())
	plain := r()
	plain.URL.Path = "/" + path
	assert.Equal(t, http.StatusConflict, answer(page, plain).Code, "of no task")
}

// A proxy that sends another Host hides where the page is.
func TestTrustedOrigins(t *testing.T) {
	p, h, path, _, _ := steered(t)
	for _, options := range [][]inspect.Option{nil, {inspect.TrustedOrigins("http://admin.example")}} {
		page := inspect.Handler(p).With(append(options, inspect.Actions(anybody))...)
		r := form(t, page, path, url.Values{"do": {"pause"}})
		r.Header.Del("Sec-Fetch-Site")
		r.Host = "backend:8080"
		r.Header.Set("Origin", "http://admin.example")
		answer(page, r)
		assert.Equal(t, options != nil, h.Paused())
	}
	assert.Panics(t, func() { inspect.Handler().With(inspect.TrustedOrigins("admin.example")) })
}

// What is said to have been done has been, and nothing else.
func TestWhatIsSaidToBeDone(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _ = p.Close() })
	rare := supervisor.New(p, sleep(0), executor.Name("rare"), supervisor.InitialDelay(hour))
	rare.Start()
	t.Cleanup(rare.Stop)
	page := inspect.Handler(p, rare).With(inspect.Actions(anybody))
	done := func(path, verb string) bool {
		t.Helper()
		w := act(t, page, path, url.Values{"do": {verb}})
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
		return strings.Contains(w.Header().Get("Location"), "?did=")
	}
	assert.False(t, done("supervisor/rare/", "resume"), "it waits")
	assert.True(t, done("supervisor/rare/", "suspend"))
	assert.False(t, done("supervisor/rare/", "suspend"), "it is suspended")
	assert.True(t, done("supervisor/rare/", "resume"))
	rare.Stop()
	for _, verb := range []string{"suspend", "resume", "trigger"} {
		assert.False(t, done("supervisor/rare/", verb), verb)
	}
	p.PauseUntil(time.Now().Add(hour))
	assert.True(t, done("pool/jobs/", "pause"), "there is no end to it any more")
	assert.True(t, done("pool/jobs/", "resume"))
	assert.False(t, done("pool/jobs/", "resume"), "it goes on")
	assert.Contains(t, get(t, page, "/pool/jobs/").Body.String(), "Pause the pool")
	p.Shutdown()
	assert.False(t, done("pool/jobs/", "pause"), "it is shut down")
	assert.NotContains(t, get(t, page, "/pool/jobs/").Body.String(), `name="do"`)
}

func TestWhatCanBeDone(t *testing.T) {
	p, h, path, page, log := steered(t)
	do := func(path, verb string, more ...string) string {
		values := url.Values{"do": {verb}}
		if more != nil {
			values.Set("after", more[0])
		}
		w := act(t, page, path, values)
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
		return w.Header().Get("Location")
	}
	assert.Equal(t, "../../../"+path+"?did=pause", do(path, "pause"))
	assert.True(t, h.Paused())
	assert.Equal(t, "INFO inspect: action method=POST path=/"+path+" remote=192.0.2.1:1234 origin= "+
		"pool=jobs task=poll do=pause done=true", log.last())
	assert.Equal(t, "../../../"+path+"?undone=pause", do(path, "pause"), "it is paused")
	do(path, "resume")
	assert.False(t, h.Paused())
	do(path, "reset", "90m")
	next, _ := h.Next()
	assert.InDelta(t, 90*time.Minute, time.Until(next), float64(time.Minute))
	do(path, "trigger")
	require.Eventually(t, func() bool { return h.Runs() == 1 }, 20*time.Second, ms)
	assert.Equal(t, "../../pool/jobs/?did=pause", do("pool/jobs/", "pause"))
	assert.True(t, p.Paused())
	do("pool/jobs/", "resume")
	assert.False(t, p.Paused())
	do(path, "cancel")
	assert.True(t, h.State().Settled())
}

func TestASupervisorIsSuspended(t *testing.T) {
	s := newService(t)
	page := s.page(inspect.Actions(anybody))
	for _, step := range []struct{ verb, state string }{{"suspend", "suspended"}, {"resume", "waiting"},
		{"trigger", ""}} {
		w := act(t, page, "supervisor/registry/", url.Values{"do": {step.verb}})
		require.Equal(t, http.StatusSeeOther, w.Code)
		if step.state != "" {
			require.Eventually(t, func() bool { return s.supervisor.Stats().State == step.state },
				20*time.Second, ms)
		}
	}
}

// TestWhatIsRefused has each way to change something that must not work, told in the log.
func TestWhatIsRefused(t *testing.T) {
	_, h, path, page, log := steered(t)
	pause := url.Values{"do": {"pause"}}
	other := func(edit func(r *http.Request)) *http.Request {
		r := form(t, page, path, pause)
		edit(r)
		return r
	}
	body := func(r *http.Request, edit func(url.Values)) {
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		values, err := url.ParseQuery(string(text))
		require.NoError(t, err)
		edit(values)
		r.Body = io.NopCloser(strings.NewReader(values.Encode()))
	}
	for _, test := range []struct {
		name string
		r    *http.Request
		code int
	}{
		{"another origin", other(func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "https://evil.example")
		}), http.StatusForbidden},
		{"another site", other(func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }),
			http.StatusForbidden},
		{"a site beside", other(func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }),
			http.StatusForbidden},
		{"no token", other(func(r *http.Request) { body(r, func(v url.Values) { v.Del("token") }) }),
			http.StatusForbidden},
		{"an empty token and cookie", other(func(r *http.Request) {
			body(r, func(v url.Values) { v.Del("token") })
			r.Header.Set("Cookie", "punctual=")
		}), http.StatusForbidden},
		{"another token", other(func(r *http.Request) {
			body(r, func(v url.Values) { v.Set("token", strings.Repeat("A", 26)) })
		}), http.StatusForbidden},
		{"no cookie", other(func(r *http.Request) { r.Header.Del("Cookie") }), http.StatusForbidden},
		{"the token in the address", other(func(r *http.Request) {
			body(r, func(v url.Values) {
				r.URL.RawQuery = "token=" + v.Get("token")
				v.Del("token")
			})
		}), http.StatusForbidden},
		{"by GET", httptest.NewRequest(http.MethodGet, "/"+path+"?do=pause", nil), http.StatusMethodNotAllowed},
		{"by GET with an override", other(func(r *http.Request) {
			r.Method = http.MethodGet
			r.Header.Set("X-HTTP-Method-Override", "POST")
		}), http.StatusMethodNotAllowed},
		{"by GET with an override in the address",
			httptest.NewRequest(http.MethodGet, "/"+path+"?_method=POST", nil), http.StatusMethodNotAllowed},
		{"by POST with an override", other(func(r *http.Request) {
			r.Header.Set("X-HTTP-Method-Override", "DELETE")
		}), http.StatusMethodNotAllowed},
		{"by DELETE", other(func(r *http.Request) { r.Method = http.MethodDelete }),
			http.StatusMethodNotAllowed},
		{"by PUT", other(func(r *http.Request) { r.Method = http.MethodPut }), http.StatusMethodNotAllowed},
		{"something else", other(func(r *http.Request) {
			body(r, func(v url.Values) { v.Set("do", "explode") })
		}), http.StatusBadRequest},
		{"elsewhere", other(func(r *http.Request) { r.URL.Path += "x" }), http.StatusNotFound},
		{"at a view", other(func(r *http.Request) { r.URL.Path = "/pool/jobs/tasks" }), http.StatusNotFound},
		{"a move without a delay", other(func(r *http.Request) {
			body(r, func(v url.Values) { v.Set("do", "reset") })
		}), http.StatusBadRequest},
		{"a move into the past", other(func(r *http.Request) {
			body(r, func(v url.Values) { v.Set("do", "reset"); v.Set("after", "-1h") })
		}), http.StatusBadRequest},
		{"a form without end", other(func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("do=pause&token=" + strings.Repeat("a", 1<<20)))
		}), http.StatusBadRequest},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := len(log.list)
			assert.Equal(t, test.code, answer(page, test.r).Code)
			require.Len(t, log.list, before+1)
			assert.True(t, strings.HasPrefix(log.last(), "WARN inspect: action refused method="), log.last())
			assert.False(t, h.Paused())
		})
	}
}

func TestReadOnly(t *testing.T) {
	p, h, path, page, _ := steered(t)
	r := form(t, page, path, url.Values{"do": {"pause"}})
	log := new(records)
	plain := inspect.Handler(p).With(inspect.Logger(slog.New(log)))
	assert.Equal(t, http.StatusMethodNotAllowed, answer(plain, r).Code)
	assert.Contains(t, log.last(), "the page changes nothing")
	for _, path := range []string{"", "pool/jobs/", "pool/jobs/tasks", path} {
		w := get(t, plain, "/"+path)
		assert.NotContains(t, w.Body.String(), `name="do"`)
		assert.NotContains(t, w.Body.String(), `name="token"`)
		assert.Empty(t, w.Result().Cookies())
	}
	assert.False(t, h.Paused())
}

func TestWhoMayNot(t *testing.T) {
	p, h, path, _, _ := steered(t)
	log := new(records)
	page := inspect.Handler(p).With(inspect.Logger(slog.New(log)),
		inspect.Actions(func(r *http.Request) bool { return r.Header.Get("User") == "admin" }))
	assert.NotContains(t, get(t, page, "/"+path).Body.String(), `name="do"`, "no button that is dead")
	w := get(t, page, "/"+path, "User", "admin")
	token := tokenField.FindStringSubmatch(w.Body.String())
	require.NotNil(t, token)
	of := taskField.FindStringSubmatch(w.Body.String())[1]
	for _, user := range []string{"", "admin"} {
		r := httptest.NewRequest(http.MethodPost, "/"+path,
			strings.NewReader(url.Values{"token": {token[1]}, "task": {of}, "do": {"pause"}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(w.Result().Cookies()[0])
		r.Header.Set("User", user)
		assert.Equal(t, user == "admin", answer(page, r).Code == http.StatusSeeOther)
		assert.Equal(t, user == "admin", h.Paused())
	}
}

func TestAnActionLeadsBackToAViewOnly(t *testing.T) {
	_, _, path, page, _ := steered(t)
	for back, want := range map[string]string{
		"pool/jobs/tasks?q=po&page=7&x=y": "../../../pool/jobs/tasks?page=7&q=po&did=trigger",
		"tasks?pool=jobs&q=po&do=cancel":  "../../../tasks?pool=jobs&q=po&did=trigger",
		"tasks/preview?q=po":              "../../../" + path + "?did=trigger",
		"":                                "../../../?did=trigger",
		"https://evil.example/":           "../../../" + path + "?did=trigger",
		"//evil.example/pool/x/":          "../../../" + path + "?did=trigger",
		"../../../../elsewhere":           "../../../" + path + "?did=trigger",
		`\\evil.example`:                  "../../../" + path + "?did=trigger",
		"javascript:alert(1)":             "../../../" + path + "?did=trigger",
		"pool/x/\r\nSet-Cookie: a=b":      "../../../" + path + "?did=trigger",
	} {
		w := act(t, page, path, url.Values{"do": {"trigger"}, "back": {back}})
		assert.Equal(t, want, w.Header().Get("Location"), back)
	}
}

func TestWhatHasBeenDoneIsSeenAtOnce(t *testing.T) {
	_, _, path, page, _ := steered(t)
	get(t, page, "/"+path)
	act(t, page, path, url.Values{"do": {"pause"}})
	body := get(t, page, "/"+path+"?did=pause").Body.String()
	assert.Contains(t, body, `s-paused">paused`)
	assert.Contains(t, body, `<p id="did" role="status">Paused.</p>`)
	assert.NotContains(t, get(t, page, "/"+path+"?did=<b>").Body.String(), `id="did"`)
}

// What is kept for those who may act is not mixed up with what others ask for, whatever they ask.
func TestOthersGetNoButtons(t *testing.T) {
	p, _, _, _, _ := steered(t)
	page := inspect.Handler(p).With(inspect.Actions(func(r *http.Request) bool {
		return r.Header.Get("User") == "admin"
	}))
	assert.Contains(t, get(t, page, "/pool/jobs/").Body.String(), `<form id="act"`,
		"for buttons that come when it may be done")
	for _, path := range []string{"/pool/jobs/%20act", "/pool/jobs/?q=%20act", "/pool/jobs/"} {
		assert.NotContains(t, get(t, page, path).Body.String(), `name="do"`)
		assert.Contains(t, get(t, page, "/pool/jobs/", "User", "admin").Body.String(), `name="do"`)
		assert.NotContains(t, get(t, page, path).Body.String(), `name="do"`)
	}
}

// An authorization may ask the page and the pool: no lock is held meanwhile.
func TestAuthorizationMayLookAtThePool(t *testing.T) {
	p, _, path, _, _ := steered(t)
	var page *inspect.Page
	page = inspect.Handler(p).With(inspect.Actions(func(r *http.Request) bool {
		if r.Header.Get("Inner") != "" {
			return true
		}
		w := get(t, page, "/pool/jobs/?format=json", "Inner", "yes")
		_ = p.Stats()
		return w.Code == http.StatusOK
	}))
	w := act(t, page, path, url.Values{"do": {"pause"}})
	assert.Equal(t, http.StatusSeeOther, w.Code)
}
