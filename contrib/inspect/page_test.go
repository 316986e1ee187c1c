package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// get returns what a handler answers.
func get(t testing.TB, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// views are addresses below the page that show something.
var views = []string{"", "pool/jobs/", "pool/jobs/tasks", "pool/-2/", "pool/-2/tasks", "loop/session/",
	"supervisor/registry/", "tasks"}

func TestEachViewIsAPageAndJSON(t *testing.T) {
	page := newService(t).page()
	for _, path := range views {
		t.Run(path, func(t *testing.T) {
			w := get(t, page, "/"+path)
			assert.Equal(t, http.StatusOK, w.Code)
			assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
			assert.Contains(t, w.Body.String(), "</html>")
			for _, w := range []*httptest.ResponseRecorder{
				get(t, page, "/"+path+"?format=json"),
				get(t, page, "/"+path, "Accept", "application/json"),
			} {
				assert.Equal(t, http.StatusOK, w.Code)
				assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
				var v map[string]any
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
				assert.NotEmpty(t, v)
			}
		})
	}
}

func TestWhereNothingIs(t *testing.T) {
	page := newService(t).page()
	for _, path := range []string{"x", "pool/", "pool/other", "pool/other/", "pool/session/", "loop/jobs/",
		"pool/jobs/task/", "pool/jobs/task/none", "loop/session/tasks", "supervisor/registry/tasks",
		"asset/", "asset/../page.go", "pool/jobs/tasks/"} {
		for _, format := range []string{"", "?format=json"} {
			w := get(t, page, "/"+path+format)
			assert.Equal(t, http.StatusNotFound, w.Code, path)
			assert.NotEmpty(t, w.Body.String())
		}
	}
}

func TestAMissingSlashIsAdded(t *testing.T) {
	w := get(t, newService(t).page(), "/pool/jobs")
	assert.Equal(t, http.StatusMovedPermanently, w.Code)
	assert.Equal(t, "./jobs/", w.Header().Get("Location"))
	w = get(t, newService(t).page(), "/supervisor/registry?format=json")
	assert.Equal(t, http.StatusMovedPermanently, w.Code)
	assert.Equal(t, "./registry/?format=json", w.Header().Get("Location"))
}

func TestItMayBeMountedAnywhere(t *testing.T) {
	page := newService(t).page()
	mux := http.NewServeMux()
	mux.Handle("/", page)
	mux.Handle("/punctual/", page)
	mux.Handle("GET /a/b/", page)
	mux.Handle("/stripped/", http.StripPrefix("/stripped", page))
	mux.Handle("/strip/all/", http.StripPrefix("/strip/all/", page))
	mux.Handle("example.com/host/", page)
	inner := http.NewServeMux()
	inner.Handle("/inner/", page)
	mux.Handle("/admin/", http.StripPrefix("/admin", inner))
	mux.Handle("/of/{tenant}/", page)
	mux.Handle("/rest/{rest...}", page)
	mux.Handle("/tenants/{tenant}/", http.StripPrefix("/tenants/x", page))
	for _, prefix := range []string{"/", "/punctual/", "/a/b/", "/stripped/", "/strip/all/", "/host/",
		"/admin/inner/", "/of/x/", "/rest/", "/tenants/x/"} {
		for _, path := range views {
			w := get(t, mux, prefix+path)
			assert.Equal(t, http.StatusOK, w.Code, prefix+path)
			assert.Contains(t, w.Body.String(), `href="`+base(path)+`asset/style.css?v=`)
		}
		assert.Equal(t, http.StatusOK, get(t, mux, prefix+"asset/style.css").Code)
		assert.Equal(t, http.StatusNotFound, get(t, mux, prefix+"nothing").Code)
	}
	assert.Equal(t, http.StatusOK, get(t, page, "/pool/jobs/").Code, "without a mux")
}

func base(path string) string {
	if n := strings.Count(path, "/"); n > 0 {
		return strings.Repeat("../", n)
	}
	return "./"
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	page := newService(t).page()
	for _, path := range append(views, "x", "asset/page.js", "health", "ready", "?format=json") {
		h := get(t, page, "/"+path).Header()
		csp := h.Get("Content-Security-Policy")
		assert.Contains(t, csp, "default-src 'none'")
		assert.Contains(t, csp, "script-src 'self';")
		assert.Contains(t, csp, "frame-ancestors 'none'")
		assert.NotContains(t, csp, "unsafe")
		assert.Equal(t, "DENY", h.Get("X-Frame-Options"))
		assert.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
		assert.Equal(t, "no-store", h.Get("Cache-Control"))
		assert.Empty(t, h.Get("Access-Control-Allow-Origin"))
	}
}

func TestOthersMayHaveSaidWhatAnswersVaryBy(t *testing.T) {
	page := newService(t).page()
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Accept-Encoding")
	page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	assert.Equal(t, []string{"Accept-Encoding", "Accept, Cookie"}, w.Header().Values("Vary"))
}

func TestAssetsOfThisBuildAreKept(t *testing.T) {
	page := newService(t).page()
	_, rest, found := strings.Cut(get(t, page, "/").Body.String(), "asset/style.css?v=")
	require.True(t, found)
	version, _, _ := strings.Cut(rest, `"`)
	assert.Contains(t, get(t, page, "/asset/style.css?v="+version).Header().Get("Cache-Control"), "immutable")
	assert.Equal(t, "no-store", get(t, page, "/asset/style.css?v=other").Header().Get("Cache-Control"))
}

// TestHostileNames reads the pages as a browser would not: nothing of a name may stand in them as
// it is.
func TestHostileNames(t *testing.T) {
	s := newService(t)
	for _, name := range hostile {
		require.True(t, lookup(t, s.pool, name).Trigger())
	}
	for _, name := range []string{`<script>pool</script>`, "\u202epool", strings.Repeat("long", 1<<18)} {
		p := executor.NewScheduledPool(1, executor.Name(name),
			executor.Watch(insight.Config{History: true}))
		held := make(chan struct{})
		t.Cleanup(func() { close(held); _ = p.Close() })
		_, err := p.AtFixedRate(0, ms, sleep(0), executor.Name(name))
		require.NoError(t, err)
		// It is down as one of that name holds the only worker, which the page says.
		_, err = p.AtFixedRate(0, ms, func(context.Context) error { <-held; return nil },
			executor.Name(name), executor.Expect(insight.SuccessWithin(ms)))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return p.Insight().Health().Reason != "" }, time.Minute, ms)
		page := inspect.Handler(p).With(inspect.Actions(anybody))
		for _, path := range []string{"", "pool/-1/", "pool/-1/tasks"} {
			assertHarmless(t, get(t, page, "/"+path).Body.String())
			w := get(t, page, "/"+path+"?format=json")
			assert.True(t, json.Valid(w.Body.Bytes()))
			assert.Less(t, w.Body.Len(), 1<<18)
		}
	}
	page := s.page(inspect.Actions(anybody))
	for _, path := range views {
		assertHarmless(t, get(t, page, "/"+path).Body.String())
	}
}

func assertHarmless(t *testing.T, body string) {
	t.Helper()
	for _, bad := range []string{"<script>", "<img", "\u202e", "\x00", "\xff", "</title></bdi>"} {
		assert.NotContains(t, body, bad)
	}
	assert.Less(t, len(body), 1<<18, "a name is cut")
}

func lookup(t testing.TB, p *executor.ScheduledPool, name string) executor.Handle {
	t.Helper()
	for h := range p.Tasks() {
		if h.Name() == name {
			return h
		}
	}
	t.Fatalf("no task %q", name)
	return executor.Handle{}
}

func TestTasksAreFoundSortedAndPaged(t *testing.T) {
	p := executor.NewScheduledPool(1)
	t.Cleanup(func() { _ = p.Close() })
	for i := range 250 {
		_, err := p.AtFixedRate(hour*(1000-dur(i)), hour, sleep(0), executor.Name(numbered("Task", i)))
		require.NoError(t, err)
	}
	for i := range 7 {
		require.True(t, lookup(t, p, numbered("Task", 3*i)).Pause())
	}
	page := inspect.Handler(p)
	names := func(query string) (all []string, v listing) {
		w := get(t, page, "/pool/-1/tasks?format=json&"+query)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
		for _, task := range v.Tasks {
			all = append(all, task.Task.Name)
		}
		return all, v
	}
	all, v := names("")
	assert.Len(t, all, 100)
	assert.Equal(t, "Task 000", all[0])
	assert.Equal(t, listing{Total: 250, Found: 250, Page: 1, Pages: 3, Tasks: v.Tasks}, v)
	all, _ = names("page=3")
	assert.Len(t, all, 50)
	assert.Equal(t, "Task 200", all[0])
	_, v = names("page=99999999999999999999")
	assert.Equal(t, 1, v.Page, "that is no number")
	_, v = names("page=400")
	assert.Equal(t, 3, v.Page, "the last")
	all, _ = names("q=task%2001")
	assert.Len(t, all, 10)
	assert.Equal(t, "Task 010", all[0])
	all, v = names("state=paused")
	assert.Len(t, all, 7)
	assert.Equal(t, 7, v.Found)
	assert.Equal(t, "Task 003", all[1])
	all, _ = names("sort=next")
	assert.Equal(t, "Task 249", all[0], "it is due first")
	all, _ = names("sort=next&state=waiting&q=TASK&page=2")
	assert.Equal(t, "Task 149", all[0])
	all, _ = names("q=nobody")
	assert.Empty(t, all)
}

type listing struct {
	Total, Found, Page, Pages int
	Tasks                     []struct {
		Task struct{ Name, Path string }
	}
}

func TestATaskKeepsItsAddress(t *testing.T) {
	address := func(p *executor.ScheduledPool, n int) string {
		w := get(t, inspect.Handler(p), "/pool/-1/tasks?format=json")
		var v listing
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
		return v.Tasks[n].Task.Path
	}
	var before string
	for range 2 { // the program is started twice
		p := executor.NewScheduledPool(1)
		t.Cleanup(func() { _ = p.Close() })
		_, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name("poll"))
		require.NoError(t, err)
		if before != "" {
			assert.Equal(t, before, address(p, 0))
		}
		before = address(p, 0)
	}
}

func TestSourcesOfOneNameHaveNumbers(t *testing.T) {
	first, second := executor.NewPool(1, executor.Name("jobs")), executor.NewPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _, _ = first.Close(), second.Close() })
	page := inspect.Handler(first, second)
	for path, code := range map[string]int{"/pool/jobs/": 404, "/pool/-1/": 200, "/pool/-2/": 200} {
		assert.Equal(t, code, get(t, page, path).Code, path)
	}
}

func TestTasksOfOneNameHaveAddressesOfTheirOwn(t *testing.T) {
	p := executor.NewScheduledPool(1)
	t.Cleanup(func() { _ = p.Close() })
	page := inspect.Handler(p).With(inspect.Actions(anybody))
	for range 3 {
		_, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name("same"))
		require.NoError(t, err)
	}
	var v listing
	require.NoError(t, json.Unmarshal(get(t, page, "/pool/-1/tasks?format=json").Body.Bytes(), &v))
	require.Len(t, v.Tasks, 3)
	second := v.Tasks[1].Task.Path
	require.Equal(t, http.StatusSeeOther, act(t, page, second, url.Values{"do": {"cancel"}}).Code)
	assert.Equal(t, http.StatusNotFound, get(t, page, "/"+second).Code)
	assert.Equal(t, http.StatusOK, get(t, page, "/"+v.Tasks[2].Task.Path).Code, "the third keeps its own")
}

func TestHealthAndReady(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	page, health, ready := inspect.Handler(p), inspect.Health(p), inspect.Ready(p)
	for _, w := range []*httptest.ResponseRecorder{get(t, page, "/health"), get(t, page, "/ready"),
		get(t, health, "/livez"), get(t, ready, "/readyz")} {
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Contains(t, w.Body.String(), `"name":"jobs"`)
	}
	require.NoError(t, p.Close())
	for _, w := range []*httptest.ResponseRecorder{get(t, page, "/health"), get(t, page, "/ready"),
		get(t, health, "/livez"), get(t, ready, "/readyz")} {
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	}
	w := httptest.NewRecorder()
	health.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", http.NoBody))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

func TestADegradedSourceFailsProbesWhereItsOwnerAsksForThat(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)))
	t.Cleanup(func() { _ = p.Close() })
	f, err := p.AtFixedRate(0, hour, func(context.Context) error { panic("boom") })
	require.NoError(t, err)
	_, _ = f.Get(t.Context())
	require.Eventually(t, func() bool { return p.Insight().Health().Status == insight.HealthDegraded },
		20*time.Second, ms)
	codes := func(s inspect.Source) (codes []int) {
		for _, probe := range []http.Handler{inspect.Health(s), inspect.Ready(s)} {
			w := get(t, probe, "/")
			assert.Contains(t, w.Body.String(), `"status":"degraded"`)
			codes = append(codes, w.Code)
		}
		return codes
	}
	assert.Equal(t, []int{200, 200}, codes(p))
	assert.Equal(t, []int{503, 503}, codes(inspect.Strict(p)))
	f.Cancel() // its owner knows
	assert.Equal(t, http.StatusOK, get(t, inspect.Health(inspect.Strict(p)), "/").Code)
}

// Whoever may ask a probe need not know what the tasks are called.
func TestProbesNameNoTasks(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _ = p.Close() })
	_, err := p.AtFixedRate(0, hour, func(context.Context) error { return errors.New("no") },
		executor.Name("secret plan"), executor.Expect(insight.SuccessWithin(ms)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.Insight().Health().Status == insight.HealthDegraded },
		20*time.Second, ms)
	for _, probe := range []http.Handler{inspect.Health(p), inspect.Ready(p)} {
		body := get(t, probe, "/livez").Body.String()
		assert.NotContains(t, body, "secret plan")
		assert.Contains(t, body, `"states":{"late":1}`)
	}
	assert.Contains(t, get(t, inspect.Handler(p), "/health").Body.String(), "secret plan")
}

type own struct{ *executor.Pool }

func TestWhatCantBeShown(t *testing.T) {
	_, is := any(time.Second).(inspect.Source)
	assert.False(t, is)
	assert.PanicsWithValue(t, "inspect: a inspect_test.own can't be shown; if there is a pool, "+
		"loop or supervisor in it, that can", func() { inspect.Handler(own{}) })
	assert.PanicsWithValue(t, "inspect: nil function", func() { inspect.Actions(nil) })
	assert.PanicsWithValue(t, "inspect: nil logger", func() { inspect.Logger(nil) })
	w := get(t, inspect.Handler(), "/")
	assert.Equal(t, http.StatusOK, w.Code)
	body, _ := io.ReadAll(w.Body)
	assert.Contains(t, string(body), "Nothing is shown here yet")
}

// FuzzAddresses asks for whatever: no panic, no 5xx, and nothing of it in the page as it is.
func FuzzAddresses(f *testing.F) {
	s := newService(f)
	page := s.page(inspect.Actions(anybody))
	f.Add("pool/jobs/tasks", "q=<script>&state=paused&sort=next&page=2")
	f.Add("pool/jobs/", "did=cancel&undone=x&format=json")
	f.Add("pool/jobs/task/1", "page=-1&page=x")
	f.Add("", "%gg&;=;&q=%00%ff&page=9223372036854775807")
	f.Fuzz(func(t *testing.T, path, query string) {
		u := &url.URL{Path: "/" + path, RawQuery: query}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL, r.RequestURI = u, u.RequestURI()
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s: %d", u, w.Code)
		}
		if strings.Contains(w.Body.String(), "<script>") {
			t.Error("a script of somebody else")
		}
	})
}
