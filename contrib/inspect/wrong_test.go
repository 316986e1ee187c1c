package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
)

// troublesJSON is what is wrong, as the index and a pool tell it.
type troublesJSON struct {
	Shows   string
	Sources []struct{ Name, Shows string }
	Wrong   struct {
		Shown []struct {
			What   string
			Pool   struct{ Name, Path string }
			Task   *struct{ Name, Path string }
			Since  time.Time
			Count  uint64
			Deaths uint64
			Reason string
			Run    uint64
			Took   string
			Error  string
		}
		More int
	}
}

// told returns what is wrong in a few words each.
func (v troublesJSON) told() (all []string) {
	for _, t := range v.Wrong.Shown {
		name := ""
		if t.Task != nil {
			name = t.Task.Name
		}
		all = append(all, strings.TrimSpace(t.Pool.Name+": "+t.What+" "+name))
	}
	return all
}

func wrongAt(t *testing.T, page http.Handler, path string) (v troublesJSON, html string) {
	t.Helper()
	require.NoError(t, json.Unmarshal(get(t, page, path+"?format=json").Body.Bytes(), &v))
	return v, get(t, page, path).Body.String()
}

// parse panics; of a name of its own, so that the stack can be looked for.
func parse(context.Context) error { panic("no <digits>") }

// badDay is a service to which everything happens that can: a panic ends a job, another hangs, a
// pool starves, an upstream fails, a job does nothing but time out, one gives up.
type badDay struct {
	jobs, mail *executor.ScheduledPool
	page       *inspect.Page
	held       chan struct{}
	well       atomic.Bool
}

func newBadDay(t *testing.T) *badDay {
	t.Helper()
	watch := executor.Watch(insight.Config{History: true})
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	d := &badDay{held: make(chan struct{}),
		jobs: executor.NewScheduledPool(4, executor.Name("jobs"), watch, quiet),
		mail: executor.NewScheduledPool(1, executor.Name("mail"), watch, quiet)}
	hang := func(context.Context) error { <-d.held; return nil }
	body := func(task executor.Task) executor.Task {
		return func(ctx context.Context) error {
			if d.well.Load() {
				return nil
			}
			return task(ctx)
		}
	}
	job := func(name string, task executor.Task, opts ...executor.TaskOption) executor.Job {
		return executor.Job{Name: name, Task: body(task), Initial: time.Second, Rate: 10 * time.Second,
			Options: opts}
	}
	fail := func(context.Context) error { return errors.New("upstream: 502 Bad Gateway") }
	_, err := d.jobs.Apply(
		job("parse", parse), job("fetch", fail), job("give up", fail, executor.PauseAfter(2)),
		job("call", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, executor.Timeout(5*time.Second)),
		job("fine", sleep(0)))
	require.NoError(t, err)
	_, err = d.jobs.Schedule(0, hang, executor.Name("import"), executor.Timeout(time.Minute))
	require.NoError(t, err)
	_, err = d.mail.Schedule(0, hang, executor.Name("send"))
	require.NoError(t, err)
	_, err = d.mail.Every(10*time.Second, sleep(0), executor.Name("poll"))
	require.NoError(t, err)
	d.page = inspect.Handler(d.jobs, d.mail).With(inspect.Actions(anybody),
		inspect.Logger(slog.New(slog.DiscardHandler)))
	return d
}

func (d *badDay) close() {
	close(d.held)
	_, _ = d.jobs.Close(), d.mail.Close()
}

func TestABadDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newBadDay(t)
		defer d.close()
		begun := time.Now()
		time.Sleep(5*time.Minute + 3*time.Second)
		index, html := wrongAt(t, d.page, "/")
		require.Equal(t, []string{"jobs: dead parse", "mail: starved", "jobs: stuck import",
			"jobs: paused by failures give up", "jobs: timed out call", "jobs: failing fetch"}, index.told())
		assert.Equal(t, "dead", index.Shows)
		assert.Equal(t, "dead", index.Sources[0].Shows)
		assert.Equal(t, "starved", index.Sources[1].Shows)
		assert.NotContains(t, html, "s-ok", "no green beside red")
		wrong := index.Wrong.Shown
		assert.True(t, begun.Add(time.Second).Equal(wrong[0].Since))
		assert.Equal(t, "future: panic: no <digits>", wrong[0].Error)
		assert.Equal(t, "no worker has been free for 4 min 53 s (send 5 min 03 s)", wrong[1].Reason)
		assert.Equal(t, "5m3s", wrong[2].Took)
		assert.EqualValues(t, 30, wrong[4].Count)
		assert.EqualValues(t, 31, wrong[5].Count)
		for _, says := range []string{"no &lt;digits&gt;", "ended by a failure at 00:00:01 UTC, in run 1",
			"run 1 has taken 5 min 03 s so far; its timeout was 60 s",
			"has paused itself after 2 failures in a row since 00:00:01",
			"30 runs in a row timed out, since 00:00:06", "31 runs in a row failed, since 00:00:01",
			"502 Bad Gateway"} {
			assert.Contains(t, html, says)
		}
		assert.Less(t, strings.Index(html, "What is wrong"), strings.Index(html, `class="cards"`))

		pool, html := wrongAt(t, d.page, "/pool/jobs/")
		assert.Len(t, pool.Wrong.Shown, 5)
		assert.Less(t, strings.Index(html, "What is wrong"), strings.Index(html, "<dt>state</dt>"))
		assert.NotContains(t, html, "s-ok")
		list := get(t, d.page, "/pool/jobs/tasks").Body.String()
		assert.Contains(t, list, `<span class="badge s-running">running</span> <span class="badge s-timed out">timed out</span>`)

		d.well.Store(true)
		h, _ := d.jobs.Lookup("give up")
		h.Resume()
		time.Sleep(30 * time.Second)
		index, _ = wrongAt(t, d.page, "/")
		assert.Equal(t, []string{"jobs: dead parse", "mail: starved", "jobs: stuck import"}, index.told())
	})
}

// What has failed lately is not shown as if nothing had been.
func TestNothingIsOKBesideFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var well atomic.Bool
		once := func(context.Context) error {
			if well.Load() {
				return nil
			}
			return errors.New("no")
		}
		quiet := executor.Logger(slog.New(slog.DiscardHandler))
		watched := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}), quiet)
		defer watched.Close()
		plain := executor.NewScheduledPool(1, quiet)
		defer plain.Close()
		every(t, watched, time.Second, "poll", once)
		every(t, plain, time.Second, "poll", once)
		page := inspect.Handler(watched, plain)
		shows := func() string {
			index, html := wrongAt(t, page, "/")
			assert.Equal(t, index.Shows == "ok", strings.Contains(html, `<h1>Schedulers <span class="badge s-ok">`))
			return index.Shows + ", " + index.Sources[0].Shows + ", " + index.Sources[1].Shows
		}
		assert.Equal(t, "ok, ok, ok", shows())
		time.Sleep(1500 * ms)
		assert.Equal(t, "failing, failing, has failed", shows())
		well.Store(true)
		time.Sleep(time.Minute)
		assert.Equal(t, "has failed, recovered, has failed", shows())
		time.Sleep(10 * time.Minute)
		assert.Equal(t, "has failed, ok, has failed", shows())
	})
}

func TestADeadJobIsShownAndStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newBadDay(t)
		defer d.close()
		_, err := d.jobs.AtFixedRate(0, time.Second, parse, executor.Name("own"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		index, _ := wrongAt(t, d.page, "/")
		require.Equal(t, []string{"jobs: dead own", "jobs: dead parse"}, index.told()[:2])
		path := index.Wrong.Shown[1].Task.Path
		assert.Contains(t, path, "pool/jobs/ended/")
		var v struct {
			What, Why string
			Restarts  bool `json:"can_be_restarted"`
			Whole     struct{ Error, Stack string }
		}
		show := func(path string) string {
			t.Helper()
			require.NoError(t, json.Unmarshal(get(t, d.page, "/"+path+"?format=json").Body.Bytes(), &v))
			return get(t, d.page, "/"+path).Body.String()
		}
		html := show(path)
		assert.Equal(t, "future: panic: no <digits>", v.Whole.Error)
		assert.Contains(t, v.Whole.Stack, "inspect_test.parse(")
		assert.True(t, v.Restarts)
		assert.Contains(t, html, "inspect_test.parse(")
		assert.Contains(t, html, "no &lt;digits&gt;")
		assert.Contains(t, html, `value="restart"`)
		assert.Contains(t, show(strings.Replace(path, "/ended/", "/task/", 1)), "Start it again",
			"its address as long as it lived leads here, too")

		other := index.Wrong.Shown[0].Task.Path
		assert.Contains(t, show(other), "it is no job of the last Apply")
		assert.False(t, v.Restarts)
		assert.NotContains(t, show(other), `value="restart"`)
		assert.Equal(t, http.StatusBadRequest, act(t, d.page, other, url.Values{"do": {"restart"}}).Code)

		assert.Equal(t, http.StatusSeeOther, act(t, d.page, path, url.Values{"do": {"restart"}}).Code)
		time.Sleep(time.Minute)
		assert.Contains(t, show(path), "for the 2nd time")
		d.well.Store(true)
		assert.Equal(t, http.StatusSeeOther, act(t, d.page, path, url.Values{"do": {"restart"}}).Code)
		html = show(path)
		assert.Contains(t, html, "has been started again, and has not succeeded yet")
		assert.Equal(t, http.StatusBadRequest, act(t, d.page, path, url.Values{"do": {"restart"}}).Code)
		time.Sleep(time.Minute)
		assert.Equal(t, http.StatusNotFound, get(t, d.page, "/"+path).Code, "it is well")
		assert.NotEmpty(t, tasksOf(t, d.page, "/pool/jobs/tasks")["parse"])
	})
}

// tasksOf returns the addresses of tasks by their names.
func tasksOf(t *testing.T, page http.Handler, path string) map[string]string {
	t.Helper()
	var v listing
	require.NoError(t, json.Unmarshal(get(t, page, path+"?format=json").Body.Bytes(), &v))
	found := map[string]string{}
	for _, task := range v.Tasks {
		found[task.Task.Name] = task.Task.Path
	}
	return found
}

// Who may not act is told that others may, and gets no stack.
func TestOnlyThoseWhoMayActSeeWhereARunStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newBadDay(t)
		defer d.close()
		may := true
		d.page.With(inspect.Actions(func(*http.Request) bool { return may }))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		key := stuckKey(t, d.page, "/pool/jobs/")
		take := form(t, d.page, "pool/jobs/", url.Values{"do": {"stack"}})
		take.URL.RawQuery = "run=" + key
		w := answer(d.page, take)
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
		v := stoodAt(t, d.page, "/pool/jobs/")
		require.NotNil(t, v)
		assert.Equal(t, "import", v.Task)
		assert.EqualValues(t, 1, v.Run)
		require.Len(t, v.Goroutines, 1)
		assert.True(t, v.Goroutines[0].Own)
		assert.Equal(t, 1, v.Goroutines[0].Count)
		assert.Contains(t, v.Goroutines[0].Stack, "inspect_test.newBadDay.func1\n\t")
		assert.NotContains(t, v.Goroutines[0].Stack, "executor/internal", "that is the pool's")
		html := get(t, d.page, "/pool/jobs/").Body.String()
		assert.Contains(t, html, "inspect_test.newBadDay.func1")
		assert.Contains(t, html, "to find out")
		assert.Nil(t, stoodAt(t, d.page, "/pool/mail/"), "that is another pool")

		again := form(t, d.page, "pool/mail/", url.Values{"do": {"stack"}})
		again.URL.RawQuery = "run=" + stuckKey(t, d.page, "/pool/mail/")
		assert.Equal(t, http.StatusTooManyRequests, answer(d.page, again).Code, "one at a time for all")
		time.Sleep(time.Minute)
		assert.Equal(t, http.StatusSeeOther, answer(d.page, again).Code)

		may = false
		time.Sleep(time.Second)
		assert.Nil(t, stoodAt(t, d.page, "/pool/jobs/"))
		html = get(t, d.page, "/pool/jobs/").Body.String()
		assert.NotContains(t, html, "newBadDay")
		assert.NotContains(t, html, `value="stack"`)
		time.Sleep(time.Minute)
		refused := form(t, d.page, "pool/mail/", url.Values{"do": {"stack"}})
		assert.Equal(t, http.StatusForbidden, answer(d.page, refused).Code)

		may = true
		gone := form(t, d.page, "pool/mail/", url.Values{"do": {"stack"}})
		gone.URL.RawQuery = "run=nothing.1"
		w = answer(d.page, gone)
		assert.Equal(t, http.StatusBadRequest, w.Code)
		assert.Contains(t, w.Body.String(), "has ended")
		time.Sleep(10 * time.Minute)
		assert.Nil(t, stoodAt(t, d.page, "/pool/jobs/"), "it is long ago")
	})
}

type stoodJSON struct {
	Task       string
	Run        uint64
	For, Took  string
	Goroutines []struct {
		Count int
		Own   bool
		Stack string
	}
}

func stoodAt(t *testing.T, page http.Handler, path string) *stoodJSON {
	t.Helper()
	var v struct{ Stood *stoodJSON }
	require.NoError(t, json.Unmarshal(get(t, page, path+"?format=json").Body.Bytes(), &v))
	return v.Stood
}

// stuckKey returns which run the first button is about that asks where it stands.
func stuckKey(t *testing.T, page http.Handler, path string) string {
	t.Helper()
	_, rest, found := strings.Cut(get(t, page, path).Body.String(), "?run=")
	require.True(t, found, "no button at %s", path)
	key, _, _ := strings.Cut(rest, `"`)
	return key
}

// Errors and panics say whatever they like, and so do the names of functions' tasks.
func TestHostileTroubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch := executor.Watch(insight.Config{History: true})
		quiet := executor.Logger(slog.New(slog.DiscardHandler))
		p := executor.NewScheduledPool(8, executor.Name("jobs"), watch, quiet)
		defer p.Close()
		evil := append(hostile, strings.Repeat("<b>long\n", 1<<17), strings.Repeat("\u202e", 1<<19))
		held := make(chan struct{})
		defer close(held)
		for i, name := range evil {
			every(t, p, time.Second, name, func(context.Context) error { return errors.New(name) })
			every(t, p, time.Second, "dead "+name, func(context.Context) error { panic(name) })
			every(t, p, time.Second, fmt.Sprint("texts ", i), func(context.Context) error { return evilError{} })
		}
		_, err := p.Schedule(0, func(context.Context) error { <-held; return nil },
			executor.Name(evil[0]), executor.Timeout(time.Second))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		page := inspect.Handler(p).With(inspect.Actions(anybody), inspect.Logger(slog.New(slog.DiscardHandler)))
		take := form(t, page, "pool/jobs/", url.Values{"do": {"stack"}})
		take.URL.RawQuery = "run=" + stuckKey(t, page, "/pool/jobs/")
		require.Equal(t, http.StatusSeeOther, answer(page, take).Code)
		require.Len(t, stoodAt(t, page, "/pool/jobs/").Goroutines, 1)
		paths := []string{"/", "/pool/jobs/", "/pool/jobs/tasks"}
		pool, _ := wrongAt(t, page, "/pool/jobs/")
		for _, trouble := range pool.Wrong.Shown {
			paths = append(paths, "/"+trouble.Task.Path)
		}
		for _, path := range paths {
			w := get(t, page, path)
			assert.Equal(t, http.StatusOK, w.Code)
			assertHarmless(t, w.Body.String())
			assert.True(t, json.Valid(get(t, page, path+"?format=json").Body.Bytes()), path)
		}
	})
}

// evilError is an error all of whose methods panic.
type evilError struct{}

func (evilError) Error() string { panic("Error") }
func (evilError) Unwrap() error { panic("Unwrap") }
func (evilError) Is(error) bool { panic("Is") }
func (evilError) As(any) bool   { panic("As") }

// A run's error is shown whole, and its stack if it is a panic that was survived.
func TestErrorsAreShownWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		long := "first\n" + strings.Repeat("x", 20_000) + "\nlast <line>"
		every(t, p, time.Second, "poll", func(context.Context) error { return errors.New(long) })
		time.Sleep(time.Hour)
		page := inspect.Handler(p)
		path := "/" + tasksOf(t, page, "/pool/-1/tasks")["poll"]
		html := get(t, page, path).Body.String()
		assert.Contains(t, html, "\nlast &lt;line&gt;</pre>")
		assert.Equal(t, 4, strings.Count(html, "last &lt;line&gt;"), "as many as there is room for")
		assert.Less(t, len(html), 1<<17)
		var v struct {
			LastRuns []struct{ Whole *struct{ Error string } } `json:"last_runs"`
		}
		require.NoError(t, json.Unmarshal(get(t, page, path+"?format=json").Body.Bytes(), &v))
		require.Len(t, v.LastRuns, 16)
		assert.Equal(t, long, v.LastRuns[0].Whole.Error)
		assert.Nil(t, v.LastRuns[15].Whole)
	})
}

// What is not known is not said: that no runs are kept where they are, and what a task waits for.
func TestNothingWrongIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}))
		defer p.Close()
		every(t, p, time.Hour, "new", sleep(0))
		f, err := p.AtFixedRate(hour, hour, sleep(0), executor.Name("paused"))
		require.NoError(t, err)
		f.Pause()
		_, err = p.Schedule(0, sleep(hour/2), executor.Name("hog"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.NoError(t, p.Execute(sleep(0), executor.Name("now")))
		page := inspect.Handler(p)
		var v struct {
			Waiting []struct {
				Task     struct{ Name string }
				WaitsFor string `json:"waits_for"`
			}
		}
		waits := func() map[string]string {
			require.NoError(t, json.Unmarshal(get(t, page, "/pool/-1/?format=json").Body.Bytes(), &v))
			found := map[string]string{}
			for _, w := range v.Waiting {
				found[w.Task.Name] = w.WaitsFor
			}
			return found
		}
		assert.Equal(t, map[string]string{"new": "", "paused": "its resumption", "now": "a free worker"}, waits())
		assert.NotContains(t, get(t, page, "/pool/-1/").Body.String(), "when a worker is free")
		p.Pause()
		time.Sleep(time.Second)
		assert.Equal(t, "the pool to be resumed", waits()["now"])
		_, pages := viewed(t, page)
		assert.Contains(t, pages[0], "No run has ended yet.")
		assert.NotContains(t, pages[0], "No last runs are kept")
	})
}

// The bars of late runs are to scale, the longest over the whole width.
func TestBarsAreToScale(t *testing.T) {
	v := shown(t, 1, func(p *executor.ScheduledPool) {
		for _, d := range []time.Duration{4, 1} {
			_, err := p.Schedule(0, sleep(d*time.Second), executor.Name("hog"))
			require.NoError(t, err)
			_, err = p.Schedule(ms, sleep(0), executor.Name("late"))
			require.NoError(t, err)
			time.Sleep(10 * time.Second)
		}
	})
	require.Len(t, v.Late, 2)
	assert.Contains(t, v.page, `width="1000.0" height="10"><title>4 s no free worker`)
	assert.Contains(t, v.page, `width="249.8" height="10"><title>999 ms no free worker`)
}

// In a pool whose workers are never stuck, but have too much to do, what waits is overdue.
func TestAPoolThatIsBehindIsNotOK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.ShutdownNow()
		every(t, p, time.Second, "slow", sleep(3*time.Second))
		for i := range 100 {
			_, err := p.Schedule(time.Second, sleep(time.Second), executor.Name(numbered("task", i)))
			require.NoError(t, err)
		}
		page := inspect.Handler(p)
		time.Sleep(5 * time.Second)
		index, _ := wrongAt(t, page, "/")
		assert.Equal(t, "ok", index.Shows)
		time.Sleep(30 * time.Second)
		index, html := wrongAt(t, page, "/")
		require.Equal(t, []string{"pool 1: overdue"}, index.told())
		assert.Contains(t, index.Wrong.Shown[0].Reason, "the task that is due next has waited for 3")
		assert.NotContains(t, html, "s-ok")
		p.Pause()
		time.Sleep(time.Second)
		index, _ = wrongAt(t, page, "/")
		assert.Empty(t, index.told(), "that is meant")
	})
}

// A loop runs its tasks on one goroutine, and tells what is wrong as a pool does.
func TestWhereARunOfALoopStands(t *testing.T) {
	l := eventloop.New(executor.Name("session"), executor.Watch(insight.Config{History: true}),
		executor.Logger(slog.New(slog.DiscardHandler)))
	held := make(chan struct{})
	defer func() { close(held); _ = l.Close() }()
	_, err := l.Schedule(0, func(context.Context) error { <-held; return nil }, executor.Name("poll"),
		executor.Timeout(ms))
	require.NoError(t, err)
	page := inspect.Handler(l).With(inspect.Actions(anybody), inspect.Logger(slog.New(slog.DiscardHandler)))
	require.Eventually(t, func() bool {
		page.Forget()
		return strings.Contains(get(t, page, "/").Body.String(), "s-stuck")
	}, time.Minute, ms)
	take := form(t, page, "loop/session/", url.Values{"do": {"stack"}})
	take.URL.RawQuery = "run=" + stuckKey(t, page, "/loop/session/")
	require.Equal(t, http.StatusSeeOther, answer(page, take).Code)
	found := stoodAt(t, page, "/loop/session/").Goroutines
	require.Len(t, found, 1)
	assert.Contains(t, found[0].Stack, "TestWhereARunOfALoopStands")
}

// What a run has started is shown beside it.
func TestWhatARunHasStartedStandsBesideIt(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	held, up := make(chan struct{}), make(chan struct{})
	defer func() { close(held); _ = p.Close() }()
	require.NoError(t, p.Execute(func(context.Context) error {
		for range 3 {
			go func() { <-held }()
		}
		close(up)
		<-held
		return nil
	}, executor.Name(hostile[0])))
	<-up
	require.Eventually(t, func() bool {
		found, _, _ := inspect.Stand("jobs", hostile[0])
		return found == 2
	}, time.Minute, ms, "its own, and three at one place")
	found, _, _ := inspect.Stand("other", hostile[0])
	assert.Zero(t, found)
	found, _, _ = inspect.Stand("jobs", "")
	assert.Zero(t, found)
}
