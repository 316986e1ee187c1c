package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/runlog"
)

// secret is in every text that tasks of these tests have, and must be seen nowhere.
const secret = "hunter2"

// brokenCalendar is one whose trouble has the secret.
type brokenCalendar struct{}

func (brokenCalendar) Next(at time.Time) time.Time { return at.Truncate(time.Second).Add(time.Second) }
func (brokenCalendar) String() string              { panic("calendar " + secret) }

// leaky is a pool in which all that has a text has the secret in it.
func leaky(t *testing.T, opts ...inspect.Option) *logging {
	t.Helper()
	opts = append(opts, inspect.Panels(leakyPanel("panel", nil), leakyPanel("away", errors.New(secret))))
	l := newLogging(t, runlog.Config{}, true, opts...)
	fail := func(ctx context.Context) error {
		l.log.ErrorContext(ctx, "said "+secret, "password", secret, "v", errors.New(secret))
		runlog.Progress(ctx, 1, 2, "note "+secret)
		return fmt.Errorf("no answer: %s\nand more: %s", secret, secret)
	}
	l.every(t, time.Second, "failing", fail)
	l.every(t, time.Second, "late", fail, executor.Expect(insight.SuccessWithin(time.Second)))
	l.every(t, time.Second, "gives up", fail, executor.PauseAfter(2))
	l.every(t, time.Second, "dead", func(ctx context.Context) error { _ = fail(ctx); panic("dead of " + secret) })
	l.every(t, time.Second, "held", func(ctx context.Context) error { _ = fail(ctx); time.Sleep(hour); return nil })
	_, err := l.jobs.On(brokenCalendar{}, fail, executor.Name("odd calendar"))
	require.NoError(t, err)
	_, err = l.jobs.Submit(fail, executor.Name("once"))
	require.NoError(t, err)
	return l
}

// leakyPanel is a panel in which all but names has the secret in it.
func leakyPanel(name string, err error) *fake {
	f := newFake(func(context.Context, panel.Query) (panel.View, error) {
		return panel.View{
			Troubles: []panel.Trouble{{What: insight.Dead, Says: secret, Error: secret}},
			Facts:    []panel.Fact{{Name: "last", Value: panel.Error(secret)}},
			Tables: []panel.Table{{Title: "all", Columns: []string{"error"},
				Rows: []panel.Row{{Values: []panel.Value{panel.Error(secret)}}}}},
			Texts: []panel.Text{{Title: "payload", Body: secret}, {Title: "private", Body: secret, Private: true}},
		}, err
	})
	f.about.Name = name
	return f
}

// addresses returns those of all views of the pool jobs.
func addresses(t *testing.T, page http.Handler) []string {
	t.Helper()
	all := []string{"/", "/health", "/ready", "/pool/jobs/", "/pool/jobs/tasks", "/tasks", "/tasks?state=dead",
		"/?with=tasks", "/panel/panel/", "/panel/panel/failed", "/panel/away/"}
	var v any
	for _, at := range []string{"/", "/pool/jobs/", "/pool/jobs/tasks"} {
		require.NoError(t, json.Unmarshal(get(t, page, at+"?format=json").Body.Bytes(), &v))
		all = append(all, pathsIn(v)...)
	}
	return all
}

// pathsIn returns the values of all keys path.
func pathsIn(v any) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if path, ok := value.(string); ok && key == "path" && path != "" {
				paths = append(paths, "/"+path)
			}
			paths = append(paths, pathsIn(value)...)
		}
	case []any:
		for _, value := range v {
			paths = append(paths, pathsIn(value)...)
		}
	}
	return paths
}

// everywhere returns all that the page says, by each way.
func everywhere(t *testing.T, page *inspect.Page) (all string, views int) {
	t.Helper()
	var b strings.Builder
	for _, at := range addresses(t, page) {
		for _, format := range []string{"", "format=json"} {
			w := get(t, page, at+map[bool]string{true: "&", false: "?"}[strings.Contains(at, "?")]+format)
			b.WriteString(w.Body.String())
			views++
		}
		b.WriteString(streamed(t, page, at))
	}
	return b.String(), views
}

// streamed returns what the stream of an address says first.
func streamed(t *testing.T, page http.Handler, at string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	r.Header.Set("Accept", "text/event-stream")
	w := httptest.NewRecorder()
	go func() { time.Sleep(2 * time.Second); cancel() }()
	page.ServeHTTP(w, r)
	return w.Body.String()
}

// TestRedactIsAskedAboutAll: what the tasks of a pool say is seen nowhere but as the function of
// Redact returns it.
func TestRedactIsAskedAboutAll(t *testing.T) {
	anybody := inspect.Actions(func(*http.Request) bool { return true })
	for _, test := range []struct {
		name   string
		option []inspect.Option
		leaks  bool
		shows  string
	}{
		{"without", nil, true, secret},
		{"with", []inspect.Option{inspect.Redact(func(text string) string {
			return strings.ReplaceAll(text, secret, "(redacted)")
		})}, false, "(redacted)"},
		{"which panics", []inspect.Option{inspect.Redact(func(string) string { panic(secret) })}, false,
			"(hidden, as the function of Redact has failed)"},
		{"which exits", []inspect.Option{inspect.Redact(func(string) string { runtime.Goexit(); return "" })}, false,
			"(hidden, as the function of Redact has failed)"},
		{"which hangs", []inspect.Option{inspect.Redact(func(text string) string { time.Sleep(hour); return text })}, false,
			"(hidden, as the function of Redact has failed)"},
		{"which hides", []inspect.Option{inspect.Redact(func(string) string { return "" })}, false, "(hidden)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := leaky(t, append(test.option, anybody, inspect.Logger(slog.New(slog.DiscardHandler)))...)
				time.Sleep(5 * time.Second)
				all, views := everywhere(t, l.page)
				assert.Greater(t, views, 20)
				assert.Equal(t, test.leaks, strings.Contains(all, secret))
				assert.Contains(t, all, test.shows)
				_, html := runsAt(t, l.page, pathOf(t, l.page, "failing"))
				assert.Contains(t, html, `<span class="badge s-failed">failed</span>`)
				assert.NotContains(t, html, "<td>ok</td>")
				l.page.Close()
				l.jobs.ShutdownNow()
				time.Sleep(2 * hour) // what hangs is over
			})
		})
	}
}

// TestAHungRedactIsCalledNoMore until a call has returned.
func TestAHungRedactIsCalledNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		var calls, hung atomic.Int32
		l := newLogging(t, runlog.Config{}, true, inspect.Redact(func(text string) string {
			if calls.Add(1); text == "hangs" {
				hung.Add(1)
				<-held
			}
			return strings.ToUpper(text)
		}))
		l.every(t, time.Second, "poll", func(context.Context) error { return errors.New("hangs") })
		l.every(t, time.Second, "other", func(context.Context) error { return errors.New("fine") })
		time.Sleep(10500 * ms)
		for range 6 {
			l.page.Forget()
			began := time.Now()
			v, _ := runsAt(t, l.page, pathOf(t, l.page, "poll"))
			assert.Equal(t, "(hidden, as the function of Redact has failed)", v.LastRuns[0].Error)
			assert.LessOrEqual(t, time.Since(began), 500*ms, "of all texts of a view one is waited for")
			time.Sleep(2 * time.Second)
		}
		assert.EqualValues(t, 4, hung.Load())
		before := calls.Load()
		v, _ := runsAt(t, l.page, pathOf(t, l.page, "other"))
		assert.Equal(t, "(hidden, as the function of Redact has failed)", v.LastRuns[0].Error)
		assert.Equal(t, before, calls.Load())
		close(held)
		time.Sleep(2 * time.Second)
		l.page.Forget()
		v, _ = runsAt(t, l.page, pathOf(t, l.page, "poll"))
		assert.Equal(t, "HANGS", v.LastRuns[0].Error)
		l.jobs.Close()
	})
}

// TestRedactSeesWholeTexts: of a long error, and of a stack, more than is shown.
func TestRedactSeesWholeTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 1<<20) + secret
		l := newLogging(t, runlog.Config{}, true, inspect.Redact(func(text string) string {
			if strings.HasSuffix(text, secret) {
				return "whole"
			}
			return "not whole"
		}))
		defer l.jobs.Close()
		l.every(t, time.Second, "poll", func(context.Context) error { return errors.New(long) })
		time.Sleep(1500 * ms)
		v, _ := runsAt(t, l.page, pathOf(t, l.page, "poll"))
		assert.Equal(t, "whole", v.LastRuns[0].Error)
	})
}

// TestWhatRefusesAnActionIsRedacted, too: its error may be of a task.
func TestWhatRefusesAnActionIsRedacted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogging(t, runlog.Config{}, true, inspect.Actions(func(*http.Request) bool { return true }),
			inspect.Redact(func(text string) string { return strings.ReplaceAll(text, secret, "…") }),
			inspect.Logger(slog.New(slog.DiscardHandler)))
		defer l.jobs.Close()
		l.every(t, hour, "poll", sleep(0))
		w := act(t, l.page, pathOf(t, l.page, "poll")[1:], url.Values{"do": {"reset"}, "after": {secret}})
		assert.Equal(t, http.StatusBadRequest, w.Code)
		assert.Contains(t, w.Body.String(), `the delay has to be like 30s or 1h15m, and is "…"`)
	})
}

func TestOptionsWithoutAFunction(t *testing.T) {
	assert.Panics(t, func() { inspect.Redact(nil) })
	assert.Panics(t, func() { inspect.TraceURL(nil) })
	assert.Panics(t, func() { inspect.RunLog(nil) })
}

// TestWhereARunStandsIsRedacted, which only those who may act see.
func TestWhereARunStandsIsRedacted(t *testing.T) {
	held := make(chan struct{})
	l := newLogging(t, runlog.Config{}, true, inspect.Logger(slog.New(slog.DiscardHandler)),
		inspect.Actions(func(*http.Request) bool { return true }),
		inspect.Redact(func(text string) string { return strings.ReplaceAll(text, "inspect_test", "…") }))
	defer l.jobs.Close()
	defer close(held)
	begun := make(chan struct{}) // before that the goroutine need not carry its name
	begins := sync.OnceFunc(func() { close(begun) })
	l.every(t, ms, "held", func(context.Context) error { begins(); <-held; return nil })
	<-begun
	path := pathOf(t, l.page, "held")
	var key string
	require.Eventually(t, func() bool {
		l.page.Forget()
		_, rest, found := strings.Cut(get(t, l.page, path).Body.String(), "?run=")
		key, _, _ = strings.Cut(rest, `"`)
		return found
	}, time.Minute, ms)
	w := act(t, l.page, path[1:]+"?run="+key, url.Values{"do": {"stack"}})
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	for _, format := range []string{"", "?format=json"} {
		page := get(t, l.page, path+format).Body.String()
		assert.Contains(t, page, "….TestWhereARunStandsIsRedacted")
		assert.NotContains(t, page, "inspect_test")
	}
}
