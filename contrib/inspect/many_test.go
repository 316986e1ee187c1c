package inspect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// fleet is two pools with tasks of the same names, and their page.
type fleet struct {
	first, second *executor.ScheduledPool
	page          *inspect.Page
	log           *records
	runs          atomic.Int64
}

func newFleet(t *testing.T, tasks int, options ...inspect.Option) *fleet {
	t.Helper()
	f := &fleet{log: new(records)}
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	f.first = executor.NewScheduledPool(1, executor.Name("first"), quiet)
	f.second = executor.NewScheduledPool(1, executor.Name("second"), quiet)
	t.Cleanup(func() { _, _ = f.first.Close(), f.second.Close() })
	for i := range tasks {
		for _, p := range []*executor.ScheduledPool{f.first, f.second} {
			f.add(t, p, numbered("task", i))
		}
	}
	options = append([]inspect.Option{inspect.Actions(anybody), inspect.Logger(slog.New(f.log))}, options...)
	f.page = inspect.Handler(f.first, f.second).With(options...)
	return f
}

func (f *fleet) add(t *testing.T, p *executor.ScheduledPool, name string) executor.Handle {
	t.Helper()
	h, err := p.AtFixedRate(hour, hour, func(context.Context) error { f.runs.Add(1); return nil },
		executor.Name(name))
	require.NoError(t, err)
	return h.Handle
}

// paused returns how many tasks of both pools are.
func (f *fleet) paused() (n int) {
	for _, p := range []*executor.ScheduledPool{f.first, f.second} {
		for h := range p.Tasks() {
			if h.Paused() {
				n++
			}
		}
	}
	return n
}

var (
	bornField   = regexp.MustCompile(`name="of" value="([^"]*)"`)
	pickField   = regexp.MustCompile(`name="t" value="([^"]*)" aria-label="Select: ([^"]*)"`)
	shownField  = regexp.MustCompile(`name="shown" value="([^"]*)"`)
	intentField = regexp.MustCompile(`name="intent" value="([^"]*)"`)
	confirmForm = regexp.MustCompile(`formaction="((?:\.\./)*[^"]*/confirm[^"]*)"`)
)

// selects returns the form of a list as a browser would send it. Names are those of the rows that
// are ticked.
func selects(t testing.TB, page http.Handler, list, verb, which string, names ...string) *http.Request {
	t.Helper()
	w := get(t, page, "/"+list)
	body := w.Body.String()
	values := url.Values{"do": {verb}, "which": {which}}
	token := tokenField.FindStringSubmatch(body)
	born := bornField.FindStringSubmatch(body)
	require.NotNil(t, token, "no form")
	require.NotNil(t, born, "nothing can be selected")
	values.Set("token", token[1])
	values.Set("of", born[1])
	for _, shown := range shownField.FindAllStringSubmatch(body, -1) {
		values.Add("shown", shown[1])
	}
	for _, pick := range pickField.FindAllStringSubmatch(body, -1) {
		for _, name := range names {
			if html.UnescapeString(pick[2]) == name {
				values.Add("t", pick[1])
			}
		}
	}
	path, query, _ := strings.Cut(list, "?")
	if query != "" {
		query = "?" + query
	}
	return posted("/"+path+"/preview"+query, values, w.Result().Cookies())
}

func posted(to string, values url.Values, cookies []*http.Cookie) *http.Request {
	r := httptest.NewRequest(http.MethodPost, to, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range cookies {
		r.AddCookie(c)
	}
	return r
}

// confirms returns the form that a preview ends with.
func confirms(t testing.TB, asked *http.Request, preview *httptest.ResponseRecorder) *http.Request {
	t.Helper()
	body := preview.Body.String()
	require.Equal(t, http.StatusOK, preview.Code, body)
	to := confirmForm.FindStringSubmatch(body)
	require.NotNil(t, to, "nothing to confirm: %s", body)
	u, err := asked.URL.Parse(html.UnescapeString(to[1]))
	require.NoError(t, err)
	return posted(u.String(), url.Values{"token": {tokenField.FindStringSubmatch(body)[1]},
		"intent": {intentField.FindStringSubmatch(body)[1]}}, asked.Cookies())
}

// does previews and confirms, and returns both answers.
func does(t *testing.T, page http.Handler, r *http.Request) (preview, done string) {
	t.Helper()
	before := answer(page, r)
	after := answer(page, confirms(t, r, before))
	require.Equal(t, http.StatusOK, after.Code, after.Body.String())
	return before.Body.String(), after.Body.String()
}

func namesOf(t *testing.T, page http.Handler, path string) (names []string, v listing) {
	t.Helper()
	require.NoError(t, json.Unmarshal(get(t, page, path).Body.Bytes(), &v))
	for _, task := range v.Tasks {
		names = append(names, task.Task.Name)
	}
	return names, v
}

// The list of all pools is one list: in one order, over all pages.
func TestTasksOfAllPools(t *testing.T) {
	f := newFleet(t, 155)
	for i := range 7 {
		f.add(t, f.second, fmt.Sprintf("TASK 02%d x", i))
	}
	var all []string
	for page := 1; page <= 4; page++ {
		names, v := namesOf(t, f.page, fmt.Sprintf("/tasks?format=json&page=%d", page))
		assert.Equal(t, listing{Total: 317, Found: 317, Page: page, Pages: 4, Tasks: v.Tasks}, v)
		all = append(all, names...)
	}
	assert.Len(t, all, 317)
	var want []string
	for i := range 155 {
		want = append(want, numbered("task", i), numbered("task", i))
		if i >= 20 && i < 27 {
			want = append(want, fmt.Sprintf("TASK %03d x", i))
		}
	}
	assert.Equal(t, want, all)
	_, v := namesOf(t, f.page, "/tasks?format=json&pool=second&q=TASK%2002")
	assert.Equal(t, 17, v.Found)
	assert.Equal(t, 162, v.Total)
	_, v = namesOf(t, f.page, "/tasks?format=json&pool=gone")
	assert.Zero(t, v.Found, "a pool that is not there has none")
	_, v = namesOf(t, f.page, "/pool/first/tasks?format=json&pool=second")
	assert.Equal(t, 155, v.Found, "a list of one pool is of that")
	names, _ := namesOf(t, f.page, "/tasks?format=json&sort=next&page=4")
	assert.Len(t, names, 17)
	assert.Contains(t, get(t, f.page, "/").Body.String(), `href="./tasks"`)
}

// What is wrong with a task is found by the word that the page has for it.
func TestTasksAreFoundByWhatIsWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quiet := executor.Logger(slog.New(slog.DiscardHandler))
		p := executor.NewScheduledPool(4, executor.Name("jobs"), quiet,
			executor.Watch(insight.Config{History: true}))
		defer p.Close()
		few := executor.NewScheduledPool(1, executor.Name("few"), quiet)
		defer few.Close()
		held := make(chan struct{})
		defer close(held)
		failing := func(context.Context) error { return fmt.Errorf("no") }
		add := func(p *executor.ScheduledPool, name string, body executor.Task, opts ...executor.TaskOption) executor.Handle {
			f, err := p.AtFixedRate(time.Second, time.Second, body, append(opts, executor.Name(name))...)
			require.NoError(t, err)
			return f.Handle
		}
		add(p, "well", sleep(0))
		add(p, "dies", func(context.Context) error { panic("boom") })
		add(p, "hangs", func(context.Context) error { <-held; return nil }, executor.Timeout(time.Second))
		add(p, "times out", sleep(hour), executor.Timeout(100*ms))
		add(p, "fails", failing)
		add(p, "fails late", failing, executor.Expect(insight.SuccessWithin(ms)))
		add(p, "gives up", failing, executor.PauseAfter(2))
		add(p, "rests", sleep(0)).Pause()
		add(few, "holds", sleep(hour))
		add(few, "waits in vain", sleep(0))
		time.Sleep(30*time.Second + 500*ms)
		synctest.Wait()
		page := inspect.Handler(p, few).With(inspect.Actions(anybody))
		for state, want := range map[string][]string{
			"dead": {"dies"}, "stuck": {"hangs"}, "timed out": {"times out"}, "failing": {"fails"},
			"late": {"fails late"}, "paused by failures": {"gives up"}, "paused": {"gives up", "rests"},
			"running": {"hangs", "holds"}, "overdue": {"waits in vain"},
			"waiting": {"fails", "fails late", "times out", "waits in vain", "well"},
		} {
			names, _ := namesOf(t, page, "/tasks?format=json&state="+url.QueryEscape(state))
			assert.Equal(t, want, names, state)
			body := get(t, page, "/tasks?state="+url.QueryEscape(state)).Body.String()
			assert.Contains(t, body, `<option value="`+state+`" selected>`, "it can be chosen")
			for _, name := range want {
				assert.Contains(t, body, ">"+name+"</bdi>")
			}
		}
		names, v := namesOf(t, page, "/pool/jobs/tasks?format=json&sort=runs")
		assert.Len(t, names, 8)
		assert.Equal(t, 8, v.Total, "with that which a failure has ended")
		body := get(t, page, "/tasks?q=dies").Body.String()
		assert.NotContains(t, body, `name="t"`, "nothing can be done with it here")
		assert.Contains(t, body, `/ended/`)
	})
}

// What is selected is touched, and nothing else; each is told in the log, and all together.
func TestSeveralAtOnce(t *testing.T) {
	f := newFleet(t, 3)
	require.True(t, lookup(t, f.first, "task 001").Pause())
	preview, done := does(t, f.page, selects(t, f.page, "tasks?q=task", "pause", "picked", "task 001", "task 002"))
	assert.Contains(t, preview, "<h1>Pause 3 tasks?</h1>")
	assert.Contains(t, preview, "4 selected; 3 of them will be touched")
	assert.Contains(t, preview, "Left out: already paused")
	assert.NotContains(t, preview, "task 000")
	assert.Contains(t, done, "<h1>3 tasks paused</h1>")
	assert.Equal(t, 4, f.paused())
	require.Len(t, f.log.list, 4)
	for _, line := range f.log.list[:3] {
		assert.Regexp(t, `^INFO inspect: action method=POST path=/tasks/confirm remote=.* pool=(first|second) `+
			`task=task 00[12] do=pause done=true$`, line)
	}
	assert.Regexp(t, `^INFO inspect: actions method=POST .* do=pause tasks=3 done=3$`, f.log.last())

	preview, done = does(t, f.page, selects(t, f.page, "tasks?state=paused", "resume", "found"))
	assert.Contains(t, preview, "<h1>Resume 4 tasks?</h1>")
	assert.Contains(t, done, "<h1>4 tasks resumed</h1>")
	assert.Zero(t, f.paused())
	preview, done = does(t, f.page, selects(t, f.page, "pool/second/tasks", "trigger", "page"))
	assert.Contains(t, preview, "<h1>Run 3 tasks now?</h1>")
	assert.Contains(t, done, "<h1>3 tasks asked to run now</h1>")
	require.Eventually(t, func() bool { return f.runs.Load() == 3 }, 20*time.Second, ms)
	preview, done = does(t, f.page, selects(t, f.page, "tasks?pool=first", "cancel", "found"))
	assert.Contains(t, preview, "What is cancelled does not run again")
	assert.Contains(t, done, "<h1>3 tasks cancelled</h1>")
	_, v := namesOf(t, f.page, "/tasks?format=json")
	assert.Equal(t, 3, v.Total, "the other pool has all of its tasks")
}

// All that are found are all, also those on other pages.
func TestAllThatAreFoundAreMoreThanAPage(t *testing.T) {
	f := newFleet(t, 150)
	_, done := does(t, f.page, selects(t, f.page, "tasks?page=2&q=task%2000", "pause", "found"))
	assert.Contains(t, done, "<h1>20 tasks paused</h1>")
	_, done = does(t, f.page, selects(t, f.page, "tasks?page=2", "pause", "page"))
	assert.Contains(t, done, "<h1>100 tasks paused</h1>")
	preview, _ := does(t, f.page, selects(t, f.page, "tasks", "pause", "found"))
	assert.Contains(t, preview, "<h1>Pause 180 tasks?</h1>")
	assert.Equal(t, 300, f.paused())
}

// What a preview has shown is what is touched, whatever has come, gone or changed since.
func TestAPreviewIsOfTheTasksThatItShows(t *testing.T) {
	f := newFleet(t, 4)
	r := selects(t, f.page, "tasks?pool=first", "pause", "found")
	preview := answer(f.page, r)
	assert.Contains(t, preview.Body.String(), "<h1>Pause 4 tasks?</h1>")
	require.True(t, lookup(t, f.first, "task 000").Cancel())
	replaced := f.add(t, f.first, "task 000")
	require.True(t, lookup(t, f.first, "task 001").Pause())
	require.True(t, lookup(t, f.first, "task 002").Cancel())
	came := f.add(t, f.first, "task 009")
	done := answer(f.page, confirms(t, r, preview)).Body.String()
	assert.Contains(t, done, "<h1>1 of 4 tasks paused</h1>")
	assert.Contains(t, done, "Not as planned: ended meanwhile; another task has its name by now")
	assert.Contains(t, done, "Not as planned: already paused")
	assert.Contains(t, done, "Not as planned: ended meanwhile</h2>")
	assert.False(t, replaced.Paused())
	assert.False(t, came.Paused())
	assert.True(t, lookup(t, f.first, "task 003").Paused())
	assert.Equal(t, 2, f.paused())
	assert.Regexp(t, `do=pause tasks=4 done=1$`, f.log.last())
}

// Rows that are ticked are those tasks, and not those that have their addresses by now.
func TestATickedRowIsOfOneTask(t *testing.T) {
	f := newFleet(t, 2)
	r := selects(t, f.page, "tasks?pool=first", "cancel", "picked", "task 000", "task 001")
	require.True(t, lookup(t, f.first, "task 000").Cancel())
	replaced := f.add(t, f.first, "task 000")
	f.page.Forget()
	preview, done := does(t, f.page, r)
	assert.Contains(t, preview, "Left out: ended meanwhile</h2><p>1, not in the list any more")
	assert.Contains(t, preview, "2 selected; 1 of them will be touched")
	assert.Contains(t, done, "<h1>1 task cancelled</h1>")
	assert.False(t, replaced.State().Settled())
}

// A preview is confirmed once, by whom it was shown to, and at its own list.
func TestAPreviewIsConfirmedOnce(t *testing.T) {
	f := newFleet(t, 2)
	r := selects(t, f.page, "tasks", "trigger", "found")
	preview := answer(f.page, r)
	form := func() *http.Request { return confirms(t, r, preview) }
	stranger := selects(t, f.page, "tasks", "pause", "found")
	values := url.Values{"intent": {intentField.FindStringSubmatch(preview.Body.String())[1]}}
	require.NoError(t, stranger.ParseForm())
	values.Set("token", stranger.PostForm.Get("token"))
	other := posted("/tasks/confirm", values, stranger.Cookies())
	assert.Equal(t, http.StatusConflict, answer(f.page, other).Code, "another viewer's")
	elsewhere := form()
	elsewhere.URL.Path = "/pool/first/tasks/confirm"
	assert.Equal(t, http.StatusConflict, answer(f.page, elsewhere).Code, "another list's")
	assert.Equal(t, http.StatusOK, answer(f.page, form()).Code)
	again := answer(f.page, form())
	assert.Equal(t, http.StatusConflict, again.Code)
	assert.Contains(t, again.Body.String(), "confirmed already")
	assert.Contains(t, f.log.last(), "WARN inspect: action refused")
	require.Eventually(t, func() bool { return f.runs.Load() == 4 }, 20*time.Second, ms)
}

// Previews that nobody confirms are not kept: not for long, and not many.
func TestPreviewsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, 1)
		ask := func() (confirm func() int) {
			r := selects(t, f.page, "tasks", "trigger", "found")
			preview := answer(f.page, r)
			return func() int { return answer(f.page, confirms(t, r, preview)).Code }
		}
		first := ask()
		time.Sleep(9 * time.Minute)
		second := ask()
		time.Sleep(2 * time.Minute)
		assert.Equal(t, http.StatusConflict, first(), "it is too old")
		assert.Equal(t, http.StatusOK, second())
		third := ask()
		for range 16 {
			ask()
		}
		assert.Equal(t, http.StatusConflict, third(), "there are too many")
		_, _ = f.first.Close(), f.second.Close()
	})
}

func TestNothingIsSelected(t *testing.T) {
	f := newFleet(t, 1)
	w := answer(f.page, selects(t, f.page, "tasks", "pause", "picked"))
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), "No task is selected")
	assert.NotContains(t, w.Body.String(), "/confirm")
	w = answer(f.page, selects(t, f.page, "tasks", "resume", "found"))
	assert.Contains(t, w.Body.String(), "Left out: not paused")
	assert.NotContains(t, w.Body.String(), "/confirm")
	assert.Empty(t, f.log.list, "a preview does nothing")
}

// TestSeveralAtOnceAreRefused has each way that must not work, at both steps, told in the log.
func TestSeveralAtOnceAreRefused(t *testing.T) {
	f := newFleet(t, 2)
	edited := func(r *http.Request, edit func(url.Values)) *http.Request {
		require.NoError(t, r.ParseForm())
		values := url.Values{}
		for name, list := range r.PostForm {
			values[name] = list
		}
		edit(values)
		return posted(r.URL.String(), values, r.Cookies())
	}
	steps := map[string]func() *http.Request{
		"preview": func() *http.Request { return selects(t, f.page, "tasks", "pause", "found") },
		"confirm": func() *http.Request {
			r := selects(t, f.page, "tasks", "pause", "found")
			return confirms(t, r, answer(f.page, r))
		},
	}
	refused := func(name string, code int, r *http.Request) {
		t.Run(name, func(t *testing.T) {
			before := len(f.log.list)
			assert.Equal(t, code, answer(f.page, r).Code)
			require.Len(t, f.log.list, before+1)
			assert.True(t, strings.HasPrefix(f.log.last(), "WARN inspect: action refused method="), f.log.last())
			assert.Zero(t, f.paused())
		})
	}
	for step, ask := range steps {
		refused(step+": no token", http.StatusForbidden, edited(ask(), func(v url.Values) { v.Del("token") }))
		refused(step+": another token", http.StatusForbidden,
			edited(ask(), func(v url.Values) { v.Set("token", strings.Repeat("A", 26)) }))
		bare := ask()
		bare.Header.Del("Cookie")
		refused(step+": no cookie", http.StatusForbidden, bare)
		foreign := ask()
		foreign.Header.Set("Sec-Fetch-Site", "cross-site")
		refused(step+": another site", http.StatusForbidden, foreign)
		override := ask()
		override.Header.Set("X-HTTP-Method-Override", "DELETE")
		refused(step+": an override", http.StatusMethodNotAllowed, override)
		refused(step+": without end", http.StatusBadRequest,
			edited(ask(), func(v url.Values) { v.Set("t", strings.Repeat("0.1", 1<<18)) }))
	}
	preview := steps["preview"]
	refused("something else", http.StatusBadRequest, edited(preview(), func(v url.Values) { v.Set("do", "restart") }))
	refused("nothing", http.StatusBadRequest, edited(preview(), func(v url.Values) { v.Del("do") }))
	refused("no selection", http.StatusBadRequest, edited(preview(), func(v url.Values) { v.Del("which") }))
	refused("of another process", http.StatusConflict, edited(preview(), func(v url.Values) { v.Set("of", "other") }))
	for _, pick := range []string{"", "x", "0", "-1.1", "9.1", "0.-1", "0.zzzzzzzzzzzzzzzzzz", "0.1.1", "\x00"} {
		refused("a row that is none: "+pick, http.StatusBadRequest, edited(preview(), func(v url.Values) {
			v.Set("which", "picked")
			v.Set("t", pick)
		}))
	}
	other := edited(preview(), func(v url.Values) { v.Set("which", "page") })
	other.URL.Path = "/pool/first/tasks/preview"
	refused("rows of another list", http.StatusBadRequest, other)
	refused("no intent", http.StatusConflict, edited(steps["confirm"](), func(v url.Values) { v.Del("intent") }))
}

// Who may only look selects nothing, and may not act either.
func TestSeveralAtOnceByWhoMayNot(t *testing.T) {
	f := newFleet(t, 2)
	r := selects(t, f.page, "tasks", "pause", "found")
	confirm := confirms(t, r, answer(f.page, r))
	again := selects(t, f.page, "tasks", "pause", "found")
	plain := inspect.Handler(f.first, f.second).With(inspect.Logger(slog.New(f.log)))
	nobody := inspect.Handler(f.first, f.second).With(inspect.Logger(slog.New(f.log)),
		inspect.Actions(func(*http.Request) bool { return false }))
	for _, path := range []string{"/tasks", "/pool/first/tasks"} {
		for _, page := range []*inspect.Page{plain, nobody} {
			body := get(t, page, path).Body.String()
			assert.NotContains(t, body, "checkbox")
			assert.NotContains(t, body, `name="do"`)
			assert.Contains(t, body, `http-equiv="refresh"`)
		}
	}
	assert.NotContains(t, get(t, f.page, "/tasks").Body.String(), `http-equiv="refresh"`,
		"without script what is ticked would be lost")
	assert.Equal(t, http.StatusMethodNotAllowed, answer(plain, again).Code)
	assert.Equal(t, http.StatusForbidden, answer(nobody, confirm).Code)
	assert.Contains(t, f.log.last(), "not authorized")
	assert.Zero(t, f.paused())
}

// The address of a step leads to the list when it is loaded again.
func TestAStepLoadedAgainIsTheList(t *testing.T) {
	f := newFleet(t, 1)
	for _, path := range []string{"/tasks/preview", "/pool/first/tasks/confirm"} {
		w := get(t, f.page, path+"?q=a%2Fb&state=paused&x=y")
		assert.Equal(t, http.StatusSeeOther, w.Code)
		assert.Equal(t, "../tasks?q=a%2Fb&state=paused", w.Header().Get("Location"))
	}
	for _, path := range []string{"/preview", "/pool/first/preview", "/pool/none/tasks/preview", "/tasks/other"} {
		assert.Equal(t, http.StatusNotFound, get(t, f.page, path).Code, path)
	}
}

// Names are shown as text in a preview and in what was done, and are cut.
func TestHostileNamesAreSelected(t *testing.T) {
	f := newFleet(t, 0)
	for _, name := range append(hostile, strings.Repeat("long", 1<<18)) {
		f.add(t, f.first, name)
	}
	preview := answer(f.page, selects(t, f.page, "tasks", "pause", "page"))
	assertHarmless(t, preview.Body.String())
	r := selects(t, f.page, "tasks", "cancel", "found")
	preview = answer(f.page, r)
	assertHarmless(t, preview.Body.String())
	for h := range f.first.Tasks() {
		h.Cancel()
	}
	for _, name := range hostile[:3] {
		f.add(t, f.first, name)
	}
	done := answer(f.page, confirms(t, r, preview)).Body.String()
	assertHarmless(t, done)
	assert.Contains(t, done, "&lt;script&gt;alert(1)&lt;/script&gt;")
	assert.Contains(t, done, `nul\x00byte`)
	for _, line := range f.log.list {
		assert.NotContains(t, line, "\x00")
		assert.Less(t, len(line), 1000)
	}
}
