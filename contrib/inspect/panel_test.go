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
	"regexp"
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
)

// fake is a source that does what a test says.
type fake struct {
	about panel.About
	view  func(ctx context.Context, at panel.Query) (panel.View, error)
	do    func(ctx context.Context, c panel.Command) (bool, error)

	mu       sync.Mutex
	queries  []panel.Query
	commands []panel.Command
}

func newFake(view func(context.Context, panel.Query) (panel.View, error)) *fake {
	return &fake{view: view, about: panel.About{Name: "orders", Kind: "queue", Lists: []panel.List{
		{Name: "failed", Title: "Failed"}, {Name: "all", Title: "All", Hidden: true}}}}
}

func (f *fake) About() panel.About { return f.about }

func (f *fake) Read(ctx context.Context, at panel.Query) (panel.View, error) {
	f.mu.Lock()
	f.queries = append(f.queries, at)
	f.mu.Unlock()
	return f.view(ctx, at)
}

func (f *fake) Act(ctx context.Context, c panel.Command) (bool, error) {
	f.mu.Lock()
	f.commands = append(f.commands, c)
	f.mu.Unlock()
	return f.do(ctx, c)
}

// asked is how often it was asked.
func (f *fake) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queries)
}

func (f *fake) page(options ...inspect.Option) *inspect.Page {
	options = append(options, inspect.Panels(f))
	return inspect.Handler().With(append([]inspect.Option{
		inspect.Logger(slog.New(slog.DiscardHandler))}, options...)...)
}

// aView is a view with something of everything, all of which says the same.
func aView(says string) panel.View {
	row := panel.Row{Values: []panel.Value{panel.Name(says).To("failed", says), panel.Badge(says),
		panel.Error(says), panel.Count(12345), panel.Time(time.Now()), panel.Span(1500 * ms), {}}}
	row.Actions = []panel.Action{
		{Ref: panel.Ref{List: "failed", ID: says}, Verb: "redrive", Label: says, Version: says},
		{Ref: panel.Ref{List: "failed", ID: says}, Verb: "discard", Label: says, Confirm: says, Vanishes: true},
		{Ref: panel.Ref{List: "failed", ID: says}, Verb: "move", Label: says, Why: says}}
	return panel.View{Title: says, Actions: row.Actions,
		Troubles: []panel.Trouble{{What: says, Says: says, Of: panel.Name(says).To("failed", says), Error: says}},
		Facts:    []panel.Fact{{Name: says, Value: panel.Error(says)}},
		Texts:    []panel.Text{{Title: says, Body: says}},
		Tables: []panel.Table{{Title: says, List: "failed", Columns: []string{says, says, says, says, says, says, says},
			Rows: []panel.Row{row, row}, Next: says, Search: says, Choices: []string{says, says}},
			{Columns: []string{says}, Empty: says}},
	}
}

func TestWhateverAPanelSaysIsText(t *testing.T) {
	long := strings.Repeat("long ", 1<<18)
	for _, says := range append([]string{"", long, "\n", ".", "..", "a/b?c#d%zz"}, hostile...) {
		f := newFake(func(context.Context, panel.Query) (panel.View, error) { return aView(says), nil })
		f.about.Name, f.about.Kind = "x"+says, says
		f.about.Lists[0].Title = says
		page := f.page(inspect.Actions(anybody))
		for _, path := range []string{"", "panel/-1/", "panel/-1/failed", "panel/-1/failed/some"} {
			body := get(t, page, "/"+path).Body.String()
			require.Contains(t, body, "</html>")
			assertHarmless(t, body)
			assert.Less(t, len(body), 200<<10, "%.40q at %s", says, path)
			w := get(t, page, "/"+path+"?format=json")
			assert.Less(t, w.Body.Len(), 200<<10, "%.40q at %s", says, path)
			assert.True(t, json.Valid(w.Body.Bytes()))
			if len(says) > 1000 && path != "" {
				assert.Contains(t, body, "… (1310720 bytes)")
				assert.NotContains(t, body, "\\u202f")
			}
		}
	}
}

// hugeView has more of everything than is shown.
func hugeView() panel.View {
	v := panel.View{}
	for i := range 3000 {
		name := fmt.Sprint("n", i)
		v.Facts = append(v.Facts, panel.Fact{Name: name})
		v.Texts = append(v.Texts, panel.Text{Title: name})
		v.Troubles = append(v.Troubles, panel.Trouble{What: insight.Dead, Says: name})
	}
	wide := panel.Table{Columns: make([]string, 3000), Rows: make([]panel.Row, 3000)}
	for i := range wide.Rows {
		wide.Rows[i].Values = make([]panel.Value, 3000)
	}
	v.Tables = []panel.Table{wide, {Columns: []string{"a", "b"}, Rows: []panel.Row{{}, {Values: []panel.Value{{Kind: 99}}}}}}
	return v
}

func TestOfTooMuchTheBeginningIsShown(t *testing.T) {
	page := newFake(func(context.Context, panel.Query) (panel.View, error) { return hugeView(), nil }).page()
	body := get(t, page, "/panel/orders/").Body.String()
	assert.Less(t, len(body), 300<<10)
	assert.Contains(t, body, "and 2\u202f800 more")
	assert.Contains(t, body, "and 2\u202f950 more")
	assert.Contains(t, get(t, page, "/").Body.String(), "and 2\u202f980 more")
}

// A time that JSON cannot have is none.
func TestTimesOfPanels(t *testing.T) {
	far := time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)
	page := newFake(func(context.Context, panel.Query) (panel.View, error) {
		return panel.View{Troubles: []panel.Trouble{{Since: far}},
			Facts: []panel.Fact{{Name: "far", Value: panel.Time(far)}, {Name: "none", Value: panel.Time(time.Time{})},
				{Name: "then", Value: panel.Time(time.Date(2026, 7, 1, 12, 30, 0, 0, time.UTC))}}}, nil
	}).page()
	assert.True(t, json.Valid(get(t, page, "/panel/orders/?format=json").Body.Bytes()))
	assert.Contains(t, get(t, page, "/panel/orders/").Body.String(), "2026-07-01 12:30:00 UTC")
}

// within is what a request gets, and how long that takes.
func within(t *testing.T, page http.Handler, path string) (string, time.Duration) {
	t.Helper()
	begun := time.Now()
	return get(t, page, path).Body.String(), time.Since(begun)
}

func TestAPanelThatHangsDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := make(chan struct{})
		f := newFake(func(context.Context, panel.Query) (panel.View, error) {
			<-back
			return aView("hello"), nil
		})
		other := newFake(func(context.Context, panel.Query) (panel.View, error) {
			return panel.View{Facts: []panel.Fact{{Name: "greeting", Value: panel.Name("good morning")}}}, nil
		})
		other.about.Name = "other"
		pool := executor.NewPool(1, executor.Name("jobs"))
		defer pool.Close()
		page := inspect.Handler(pool).With(inspect.Panels(f, other))
		body, took := within(t, page, "/")
		assert.Equal(t, 250*ms, took, "the first viewer of the index")
		assert.Contains(t, body, "It is being asked.")
		assert.Contains(t, body, "good morning")
		assert.Contains(t, body, "jobs")
		assert.NotContains(t, body, "What is wrong", "that is none yet")
		time.Sleep(time.Second)
		_, took = within(t, page, "/")
		assert.Zero(t, took, "the next one")
		_, took = within(t, page, "/panel/orders/failed")
		assert.Equal(t, time.Second, took, "the first viewer of the list")
		_, took = within(t, page, "/panel/other/")
		assert.Zero(t, took)
		time.Sleep(time.Hour)
		for range 10 {
			body, took = within(t, page, "/")
			assert.Zero(t, took)
		}
		assert.Contains(t, body, "What is wrong")
		assert.Contains(t, body, "cannot be read")
		body, _ = within(t, page, "/panel/orders/")
		assert.Contains(t, body, "It has answered nothing yet.")
		assert.Contains(t, body, "it has not answered yet")
		assert.Equal(t, 2, f.asked(), "once for each view")
		close(back)
		synctest.Wait()
		body, _ = within(t, page, "/panel/orders/")
		assert.Contains(t, body, "hello")
		assert.NotContains(t, body, "It has answered nothing yet.")
	})
}

// The deadline of the context is that of the documentation.
func TestHowLongASourceMayTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(ctx context.Context, _ panel.Query) (panel.View, error) {
			<-ctx.Done()
			return panel.View{}, ctx.Err()
		})
		page := f.page()
		get(t, page, "/panel/orders/")
		time.Sleep(4*time.Second - 1)
		synctest.Wait()
		body, _ := within(t, page, "/panel/orders/")
		assert.Contains(t, body, "It is being asked.")
		time.Sleep(1)
		synctest.Wait()
		body, _ = within(t, page, "/panel/orders/")
		assert.Contains(t, body, "it has not answered within 5 s: context deadline exceeded")
		time.Sleep(time.Minute)
		get(t, page, "/panel/orders/")
		synctest.Wait()
		assert.Equal(t, 2, f.asked())
		time.Sleep(time.Minute) // for the last call to end
	})
}

func TestAtMostEightViewsOfAPanelAreAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := make(chan struct{})
		f := newFake(func(context.Context, panel.Query) (panel.View, error) {
			<-back
			return panel.View{}, nil
		})
		page := f.page()
		var body string
		for i := range 200 {
			body, _ = within(t, page, fmt.Sprint("/panel/orders/failed?q=", i))
		}
		assert.Equal(t, 8, f.asked())
		assert.Contains(t, body, "is not asked for more")
		close(back)
		synctest.Wait()
		get(t, page, "/panel/orders/failed?q=new")
		assert.Equal(t, 9, f.asked())
	})
}

func TestAPanelThatFailsSaysSoAndIsAskedAgain(t *testing.T) {
	for says, fails := range map[string]func() error{
		"it panics: no &lt;b&gt;connection&lt;/b&gt;": func() error { panic("no <b>connection</b>") },
		"it ends the goroutine that asks it":          func() error { runtime.Goexit(); return nil },
		"no route to host":                            func() error { return errors.New("no route to host") },
		"whose text panics":                           func() error { return badError{} },
	} {
		synctest.Test(t, func(t *testing.T) {
			failing := false
			f := newFake(func(context.Context, panel.Query) (panel.View, error) {
				if failing {
					return panel.View{}, fails()
				}
				return panel.View{Facts: []panel.Fact{{Name: "is", Value: panel.Name("well")}}}, nil
			})
			page := f.page()
			body, took := within(t, page, "/")
			assert.Zero(t, took)
			assert.Contains(t, body, "well")
			failing = true
			time.Sleep(time.Hour)
			for _, path := range []string{"/", "/panel/orders/"} {
				body, took = within(t, page, path)
				assert.Zero(t, took)
				assert.Contains(t, body, says, path)
				assert.Contains(t, body, "well", "what was told last")
				assert.Contains(t, body, "s-down")
			}
			failing = false
			time.Sleep(time.Hour)
			get(t, page, "/")
			synctest.Wait()
			body, _ = within(t, page, "/panel/orders/")
			assert.NotContains(t, body, says)
			assert.NotContains(t, body, "s-down")
		})
	}
}

type badError struct{}

func (badError) Error() string { panic("bad") }

// follow has some viewers be kept up to date until the returned function is called.
func follow(page http.Handler, path string, viewers int) (stop func() []string) {
	ctx, cancel := context.WithCancel(context.Background())
	answers := make([]*httptest.ResponseRecorder, viewers)
	var all sync.WaitGroup
	for i := range answers {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		r.Header.Set("Accept", "text/event-stream")
		answers[i] = httptest.NewRecorder()
		all.Go(func() { page.ServeHTTP(answers[i], r) })
	}
	return func() (seen []string) {
		cancel()
		all.Wait()
		for _, a := range answers {
			seen = append(seen, a.Body.String())
		}
		return seen
	}
}

func TestViewersShareWhatAPanelSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		f := newFake(func(context.Context, panel.Query) (panel.View, error) {
			n++
			return panel.View{Facts: []panel.Fact{{Name: "number", Value: panel.Name(fmt.Sprintf("n%d.", n))}}}, nil
		})
		page := f.page()
		time.Sleep(time.Hour)
		assert.Zero(t, f.asked(), "nobody looks")
		stop := follow(page, "/panel/orders/", 20)
		time.Sleep(time.Minute - 1)
		for _, seen := range stop() {
			assert.Contains(t, seen, "n12.")
		}
		assert.Equal(t, 12, f.asked(), "each five seconds")
		time.Sleep(time.Hour)
		assert.Equal(t, 12, f.asked(), "nobody looks any more")
	})
}

func TestASlowSourceIsAskedLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(context.Context, panel.Query) (panel.View, error) {
			time.Sleep(2 * time.Second)
			return panel.View{}, nil
		})
		page := f.page()
		stop := follow(page, "/panel/orders/", 3)
		time.Sleep(10 * time.Minute)
		stop()
		assert.InDelta(t, 10*60/42, f.asked(), 1, "two seconds of 42")
	})
}

// What somebody sees who comes later is what there is then, not what was there when another looked.
func TestWhoComesLaterSeesWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		says := "before"
		f := newFake(func(context.Context, panel.Query) (panel.View, error) {
			time.Sleep(100 * ms)
			return panel.View{Facts: []panel.Fact{{Name: "says", Value: panel.Name(says)}}}, nil
		})
		page := f.page()
		get(t, page, "/")
		says = "after"
		time.Sleep(time.Minute)
		body, took := within(t, page, "/?format=json")
		assert.Contains(t, body, "after")
		assert.Equal(t, 100*ms, took)
	})
}

func TestWhatIsWrongInAPanelStandsOnTheIndex(t *testing.T) {
	f := newFake(func(_ context.Context, at panel.Query) (panel.View, error) {
		return panel.View{Troubles: []panel.Trouble{
			{What: "nonsense", Says: "something odd"},
			{What: insight.Dead, Says: "3 have failed for good", Count: 3, Error: "no such customer",
				Of: panel.Name("mail").To("failed", "mail"), Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		}}, nil
	})
	page := f.page()
	var index struct {
		Shows string
		Wrong struct {
			Shown []struct {
				What, Reason, Error string
				Count               int
				Pool, Task          struct{ Name, Path string }
			}
		}
		Panels []struct{ Name, Path, Shows string }
	}
	require.NoError(t, json.Unmarshal(get(t, page, "/?format=json").Body.Bytes(), &index))
	assert.Equal(t, "dead", index.Shows)
	require.Len(t, index.Wrong.Shown, 2)
	first := index.Wrong.Shown[0]
	assert.Equal(t, "dead", first.What)
	assert.Equal(t, "3 have failed for good", first.Reason)
	assert.Equal(t, "no such customer", first.Error)
	assert.Equal(t, 3, first.Count)
	assert.Equal(t, "panel/orders/failed/mail", first.Task.Path)
	assert.Equal(t, "panel/orders/", first.Pool.Path)
	assert.Equal(t, "degraded", index.Wrong.Shown[1].What)
	require.Len(t, index.Panels, 1)
	assert.Equal(t, "dead", index.Panels[0].Shows)
	body := get(t, page, "/").Body.String()
	assert.Contains(t, body, "3 have failed for good since 2026-01-02 03:04:05 UTC")
	assert.Contains(t, body, `href="./panel/orders/failed/mail"`)
	for _, probe := range []string{"/health", "/ready"} {
		assert.Equal(t, http.StatusOK, get(t, page, probe).Code, "they tell of the process alone")
	}
}

func TestAddressesOfPanels(t *testing.T) {
	f := newFake(func(_ context.Context, at panel.Query) (panel.View, error) {
		if at.ID == "gone" {
			return panel.View{}, fmt.Errorf("task: %w", panel.ErrNotFound)
		}
		return panel.View{Tables: []panel.Table{{Columns: []string{"task"}, Next: "100 & more", Search: "task",
			Choices: []string{"due", "held"}, Rows: []panel.Row{{Values: []panel.Value{panel.Name(at.ID).To("all", at.ID)}}}}}}, nil
	})
	page := f.page()
	for _, path := range []string{"/panel/", "/panel/other/", "/panel/orders/none", "/panel/orders/failed/",
		"/panel/orders/failed/a/b", "/panel/orders/failed/~zz", "/panel/orders/failed/~41",
		"/panel/orders/failed/" + strings.Repeat("a", 600)} {
		assert.Equal(t, http.StatusNotFound, get(t, page, path).Code, path)
	}
	assert.Zero(t, f.asked(), "the source does not hear of these")
	assert.Equal(t, http.StatusNotFound, get(t, page, "/panel/orders/failed/gone").Code)
	assert.Equal(t, http.StatusNotFound, get(t, page, "/panel/orders/failed/gone?format=json").Code)
	assert.Equal(t, "./orders/", get(t, page, "/panel/orders").Header().Get("Location"))
	assert.NotContains(t, get(t, page, "/panel/orders/").Body.String(), "All")
	assert.NotContains(t, get(t, page, "/panel/orders/all/some").Body.String(), "All", "nothing may be there")
	f.queries = nil
	body := get(t, page, "/panel/orders/failed?q=mail&choice=due&after=7&state=x&page=3").Body.String()
	assert.Equal(t, []panel.Query{{List: "failed", Search: "mail", Choice: "due", After: "7"}}, f.queries)
	assert.Contains(t, body, `href="../../panel/orders/failed?after=100&#43;%26&#43;more&amp;choice=due&amp;q=mail"`)
	assert.Contains(t, body, `href="../../panel/orders/failed?choice=due&amp;q=mail">First page`)
	assert.Contains(t, body, `<option value="due" selected>`)
	for _, id := range append([]string{"plain.id-1_2", ".", "..", "a/b", "a b", "%41", "~41", "ü", "\x00\xff"}, hostile...) {
		f.queries = nil
		body := get(t, page, "/panel/orders/failed/"+escaped(id)).Body.String()
		require.Equal(t, []panel.Query{{List: "failed", ID: id}}, f.queries)
		assert.Contains(t, body, `href="../../../panel/orders/all/`+escaped(id)+`"`)
	}
}

// escaped is an ID as the documentation says: what is not plain is a tilde and two digits.
func escaped(id string) string {
	plain := regexp.MustCompile(`[A-Za-z0-9_-]`)
	var b strings.Builder
	for i, c := range []byte(id) {
		if plain.Match([]byte{c}) || c == '.' && i > 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "~%02x", c)
		}
	}
	return b.String()
}

// steeredPanel returns a source with one thing that can be run again, its page, and the log.
func steeredPanel(t *testing.T, do func(context.Context, panel.Command) (bool, error)) (*fake, *inspect.Page, *records) {
	t.Helper()
	f := newFake(func(context.Context, panel.Query) (panel.View, error) { return aView("mail"), nil })
	f.do = do
	log := new(records)
	return f, f.page(inspect.Actions(anybody), inspect.Logger(slog.New(log))), log
}

func TestActionsOfPanels(t *testing.T) {
	done, err := true, error(nil)
	f, page, log := steeredPanel(t, func(context.Context, panel.Command) (bool, error) { return done, err })
	press := func(from, verb string, more ...string) *httptest.ResponseRecorder {
		r := form(t, page, "panel/orders/failed/mail", url.Values{"do": {verb}, "back": {from}})
		r.URL.RawQuery = strings.Join(more, "&")
		return answer(page, r)
	}
	w := press("panel/orders/failed?q=mail&after=7", "redrive", "version=v1")
	require.Equal(t, http.StatusSeeOther, w.Code)
	assert.Equal(t, "../../../panel/orders/failed?after=7&q=mail&did=redrive", w.Header().Get("Location"))
	assert.Equal(t, []panel.Command{{List: "failed", ID: "mail", Verb: "redrive", Version: "v1"}}, f.commands)
	assert.Equal(t, "INFO inspect: action method=POST path=/panel/orders/failed/mail remote=192.0.2.1:1234 "+
		"origin= panel=orders list=failed id=mail do=redrive done=true", log.last())
	assert.Contains(t, get(t, page, "/panel/orders/failed?did=redrive").Body.String(), "Queued again.")
	for back, to := range map[string]string{
		"https://evil.example/panel/orders/": "panel/orders/failed/mail?", "//evil.example/": "panel/orders/failed/mail?",
		"": "panel/orders/failed/mail?", "panel/other/": "panel/orders/failed/mail?", "../x": "panel/orders/failed/mail?",
		"panel/orders/": "panel/orders/?",
	} {
		assert.Equal(t, "../../../"+to+"did=done", press(back, "move").Header().Get("Location"), back)
	}
	assert.Equal(t, "../../../panel/orders/failed?did=discard",
		press("panel/orders/failed/mail", "discard", "gone=1").Header().Get("Location"), "it is not there any more")
	done = false
	assert.Equal(t, "../../../panel/orders/failed/mail?undone=redrive", press("", "redrive").Header().Get("Location"))
	f.commands = nil
	for _, bad := range []string{"", "Re", "a b", strings.Repeat("a", 99)} {
		assert.Equal(t, http.StatusBadRequest, press("", bad).Code)
	}
	assert.Empty(t, f.commands)
	for _, test := range []struct {
		err  error
		code int
	}{
		{panel.ErrStale, http.StatusConflict}, {panel.ErrDenied, http.StatusForbidden},
		{panel.ErrNotFound, http.StatusNotFound}, {errors.New("no route"), http.StatusBadGateway},
		{context.DeadlineExceeded, http.StatusGatewayTimeout}, {badError{}, http.StatusBadGateway},
	} {
		err = fmt.Errorf("mail: %w", test.err)
		if test.err == (badError{}) {
			err = test.err
		}
		w := press("", "redrive")
		assert.Equal(t, test.code, w.Code)
		assert.Contains(t, log.last(), "WARN inspect: action refused")
	}
}

// Whoever may not act reaches no source, however it is asked.
func TestWhoMayNotActReachesNoSource(t *testing.T) {
	f, page, _ := steeredPanel(t, func(context.Context, panel.Command) (bool, error) { return true, nil })
	allowed := form(t, page, "panel/orders/failed/mail", url.Values{"do": {"redrive"}})
	nobody := f.page(inspect.Actions(func(*http.Request) bool { return false }))
	assert.Equal(t, http.StatusForbidden, answer(nobody, allowed).Code)
	readOnly := f.page()
	allowed = form(t, page, "panel/orders/failed/mail", url.Values{"do": {"redrive"}})
	assert.Equal(t, http.StatusMethodNotAllowed, answer(readOnly, allowed).Code)
	stranger := form(t, page, "panel/orders/failed/mail", url.Values{"do": {"redrive"}})
	stranger.Header.Set("Sec-Fetch-Site", "cross-site")
	assert.Equal(t, http.StatusForbidden, answer(page, stranger).Code)
	forged := form(t, page, "panel/orders/failed/mail", url.Values{"do": {"redrive"}})
	forged.Header.Del("Cookie")
	assert.Equal(t, http.StatusForbidden, answer(page, forged).Code)
	assert.Equal(t, http.StatusMethodNotAllowed, get(t, page, "/panel/orders/failed/mail?do=redrive").Code)
	assert.Empty(t, f.commands)
}

func TestWhatIsPrivateIsForThoseWhoMayAct(t *testing.T) {
	f := newFake(func(context.Context, panel.Query) (panel.View, error) {
		v := aView("mail")
		v.Texts = append(v.Texts, panel.Text{Title: "Payload", Body: "the card number", Private: true})
		v.Facts = append(v.Facts, panel.Fact{Name: "customer", Value: panel.Name("Jane Roe"), Private: true})
		return v, nil
	})
	byRole := f.page(inspect.Actions(func(r *http.Request) bool { return r.Header.Get("Role") == "operator" }))
	for _, path := range []string{"/panel/orders/failed/mail", "/panel/orders/failed/mail?format=json"} {
		for range 2 { // in any order
			body := get(t, byRole, path, "Role", "operator").Body.String()
			assert.Contains(t, body, "the card number")
			assert.Contains(t, body, "Jane Roe")
			assert.Contains(t, body, "redrive")
			body = get(t, byRole, path).Body.String()
			assert.NotContains(t, body, "the card number")
			assert.NotContains(t, body, "Jane Roe")
			assert.NotContains(t, body, "redrive")
		}
	}
	assert.Equal(t, 1, f.asked(), "they share what was answered")
	assert.NotContains(t, get(t, byRole, "/", "Role", "operator").Body.String(), "Jane Roe", "the index is for all")
}

func TestAnActionIsSeenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var state atomic.Value
		state.Store("waiting")
		f := newFake(func(context.Context, panel.Query) (panel.View, error) {
			is := state.Load().(string)
			time.Sleep(300 * ms)
			return panel.View{Facts: []panel.Fact{{Name: "state", Value: panel.Name("is " + is)}}}, nil
		})
		f.do = func(context.Context, panel.Command) (bool, error) { state.Store("paused"); return true, nil }
		page := f.page(inspect.Actions(anybody))
		r := form(t, page, "panel/orders/failed/mail", url.Values{"do": {"pause"}})
		time.Sleep(time.Minute)
		go get(t, page, "/panel/orders/failed/mail") // asked for before the action
		time.Sleep(100 * ms)
		require.Equal(t, http.StatusSeeOther, answer(page, r).Code)
		assert.Contains(t, get(t, page, "/panel/orders/failed/mail").Body.String(), "is paused")
	})
}

func TestAnActionThatHangsOrDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		back := make(chan struct{})
		act := func(context.Context, panel.Command) (bool, error) { <-back; return true, nil }
		_, page, log := steeredPanel(t, func(ctx context.Context, c panel.Command) (bool, error) { return act(ctx, c) })
		press := func() *httptest.ResponseRecorder {
			return answer(page, form(t, page, "panel/orders/failed/mail", url.Values{"do": {"redrive"}}))
		}
		var all sync.WaitGroup
		for range 8 {
			r := form(t, page, "panel/orders/failed/mail", url.Values{"do": {"redrive"}})
			all.Go(func() {
				begun := time.Now()
				w := answer(page, r)
				assert.Equal(t, 31*time.Second, time.Since(begun))
				assert.Equal(t, http.StatusGatewayTimeout, w.Code)
				assert.Contains(t, w.Body.String(), "it may have been done, or be done yet")
			})
		}
		synctest.Wait()
		assert.Equal(t, http.StatusServiceUnavailable, press().Code, "the ninth")
		all.Wait()
		close(back)
		synctest.Wait()
		assert.Equal(t, http.StatusSeeOther, press().Code)
		act = func(context.Context, panel.Command) (bool, error) { panic("no <i>") }
		assert.Equal(t, http.StatusBadGateway, press().Code)
		assert.Contains(t, log.last(), "the panel: it panics: no <i>")
		act = func(context.Context, panel.Command) (bool, error) { runtime.Goexit(); return true, nil }
		assert.Equal(t, http.StatusBadGateway, press().Code)
		assert.Contains(t, log.last(), "ends the goroutine")
	})
}

// The context of an action has what the program's middleware has put into the request's.
func TestWhatAnActionKnows(t *testing.T) {
	type user struct{}
	var by any
	_, page, _ := steeredPanel(t, func(ctx context.Context, _ panel.Command) (bool, error) {
		by = ctx.Value(user{})
		_, limited := ctx.Deadline()
		assert.True(t, limited)
		return true, ctx.Err()
	})
	r := form(t, page, "panel/orders/failed/mail", url.Values{"do": {"redrive"}})
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), user{}, "alice"))
	cancel() // the browser is gone
	assert.Equal(t, http.StatusSeeOther, answer(page, r.WithContext(ctx)).Code)
	assert.Equal(t, "alice", by)
}

func TestBadPanelsAreFoundAtTheStart(t *testing.T) {
	assert.Panics(t, func() { inspect.Handler().With(inspect.Panels(nil)) })
	f := newFake(nil)
	f.about.Name = ""
	assert.Panics(t, func() { f.page() })
	for _, name := range []string{"", "A", "a/b", "-a", "1"} {
		f := newFake(nil)
		f.about.Lists[0].Name = name
		assert.Panics(t, func() { f.page() }, name)
	}
	a, b := newFake(func(context.Context, panel.Query) (panel.View, error) { return panel.View{}, nil }), newFake(nil)
	b.view = a.view
	page := inspect.Handler().With(inspect.Panels(a), inspect.Panels(b))
	assert.Equal(t, http.StatusOK, get(t, page, "/panel/-1/").Code, "two of a name have numbers")
	assert.Equal(t, http.StatusOK, get(t, page, "/panel/-2/").Code)
}
