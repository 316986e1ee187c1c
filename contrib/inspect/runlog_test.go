package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/runlog"
	"github.com/punctual-go/punctual/future"
)

// logJSON is what is kept of a run.
type logJSON struct {
	Trace   *struct{ ID, URL string }
	Dropped uint64
	Lines   []struct{ Level, Text string }
}

func (l *logJSON) texts() (all []string) {
	for _, line := range l.Lines {
		all = append(all, line.Level+" "+line.Text)
	}
	return all
}

type progressJSON struct {
	Done, Total int64
	Note        string
}

// runsJSON is what the views of a task tell of its runs.
type runsJSON struct {
	LastRuns []struct {
		Number, Attempt uint64
		Error           string
		Log             *logJSON
	} `json:"last_runs"`
	Running []struct {
		Number   uint64
		Progress *progressJSON
		Log      *logJSON
	}
	Log     *logJSON // of a task that has ended
	Trouble string
}

func runsAt(t *testing.T, page http.Handler, path string) (v runsJSON, html string) {
	t.Helper()
	w := get(t, page, path+"?format=json")
	require.Equal(t, http.StatusOK, w.Code, path)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v, get(t, page, path).Body.String()
}

// pathOf returns the address of the view of a task of the pool jobs.
func pathOf(t *testing.T, page http.Handler, name string) string {
	t.Helper()
	var list listing
	query := url.Values{"q": {name}, "format": {"json"}}.Encode()
	require.NoError(t, json.Unmarshal(get(t, page, "/pool/jobs/tasks?"+query).Body.Bytes(), &list))
	for _, task := range list.Tasks {
		if task.Task.Name == name {
			return "/" + task.Task.Path
		}
	}
	t.Fatalf("no task %q", name)
	return ""
}

// logging is a pool whose runs are kept, with its page.
type logging struct {
	kept *runlog.Log
	log  *slog.Logger
	jobs *executor.ScheduledPool
	page *inspect.Page
}

func newLogging(t *testing.T, config runlog.Config, history bool, opts ...inspect.Option) *logging {
	t.Helper()
	l := &logging{kept: runlog.New(config), log: slog.New(runlog.Handler(nil))}
	l.jobs = executor.NewScheduledPool(4, executor.Name("jobs"), executor.Observe(l.kept.Observer()),
		executor.Watch(insight.Config{History: history}), executor.Logger(slog.New(slog.DiscardHandler)))
	l.page = inspect.Handler(l.jobs).With(inspect.RunLog(l.kept)).With(opts...)
	return l
}

func (l *logging) every(
	t *testing.T, period time.Duration, name string, body executor.Task, opts ...executor.TaskOption,
) {
	t.Helper()
	_, err := l.jobs.AtFixedRate(period, period, body, append(opts, executor.Name(name))...)
	require.NoError(t, err)
}

func TestARunIsShownWithItsLines(t *testing.T) {
	for _, history := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := newLogging(t, runlog.Config{Lines: 2}, history)
			defer l.jobs.Close()
			every(t, l.jobs, time.Second, "poll", func(ctx context.Context) error {
				run, _ := executor.RunFrom(ctx)
				for i := range 3 {
					l.log.WarnContext(ctx, "line", "run", run.Number, "i", i)
				}
				return nil
			})
			every(t, l.jobs, time.Second, "silent", sleep(0))
			time.Sleep(2500 * ms)
			v, html := runsAt(t, l.page, pathOf(t, l.page, "poll"))
			require.Len(t, v.LastRuns, 2)
			for i, r := range v.LastRuns {
				n := 2 - i
				assert.EqualValues(t, n, r.Number)
				assert.Equal(t, []string{fmt.Sprintf("WARN line run=%d i=1", n),
					fmt.Sprintf("WARN line run=%d i=2", n)}, r.Log.texts())
				assert.EqualValues(t, 1, r.Log.Dropped)
			}
			assert.Equal(t, 2, strings.Count(html, `<details class="log"><summary>2 log lines</summary>`))
			assert.Contains(t, html, `<span class="warn">00:00:02.000 WARN line run=2 i=1`+"\n")
			assert.Contains(t, html, "Before these, 1 more that is not shown.")
			v, html = runsAt(t, l.page, pathOf(t, l.page, "silent"))
			assert.NotContains(t, html, "log lines")
			for _, r := range v.LastRuns {
				assert.Nil(t, r.Log)
			}
		})
	}
}

func TestARunIsShownWithItsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogging(t, runlog.Config{}, true)
		defer l.jobs.Close()
		l.every(t, time.Minute, "poll", func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			time.Sleep(time.Second)
			l.log.InfoContext(ctx, "tries", "attempt", run.Attempt)
			if run.Attempt < 3 {
				return fmt.Errorf("<bad> %d", run.Attempt)
			}
			return nil
		}, executor.Retry(5, retry.Backoff{Base: time.Second}))
		time.Sleep(90 * time.Second)
		v, html := runsAt(t, l.page, pathOf(t, l.page, "poll"))
		require.Len(t, v.LastRuns, 3)
		for i, r := range v.LastRuns {
			attempt := 3 - i
			assert.EqualValues(t, 1, r.Number)
			assert.EqualValues(t, attempt, r.Attempt)
			assert.Equal(t, []string{fmt.Sprintf("INFO tries attempt=%d", attempt)}, r.Log.texts())
			assert.Contains(t, html, fmt.Sprintf(`1 <span class="quiet">attempt %d</span>`, attempt))
		}
		assert.Equal(t, "<bad> 2", v.LastRuns[1].Error)
		assert.Contains(t, html, "&lt;bad&gt; 2")
	})
}

// TestARunInProgressTellsHowFarItIs: in the view of its task, in that of its pool, and in JSON.
func TestARunInProgressTellsHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogging(t, runlog.Config{}, true)
		defer l.jobs.Close()
		every(t, l.jobs, time.Second, "import", func(ctx context.Context) error {
			runlog.Progress(ctx, 1500, 2000, "rows of <users>")
			l.log.InfoContext(ctx, "begins")
			time.Sleep(time.Minute)
			runlog.Progress(ctx, 7, 0, "")
			time.Sleep(time.Minute)
			return nil
		})
		every(t, l.jobs, time.Second, "other", sleep(time.Hour))
		time.Sleep(2 * time.Second)
		path := pathOf(t, l.page, "import")
		v, html := runsAt(t, l.page, path)
		require.Len(t, v.Running, 1)
		assert.Equal(t, &progressJSON{1500, 2000, "rows of <users>"}, v.Running[0].Progress)
		assert.Equal(t, []string{"INFO begins"}, v.Running[0].Log.texts())
		bar := `<progress max="100" value="75" aria-hidden="true"></progress> ` +
			"<span>1\u202f500 of 2\u202f000, 75 %</span>" + ` <bdi class="quiet">rows of &lt;users&gt;</bdi>`
		assert.Contains(t, html, bar)
		assert.Contains(t, html, "begins")
		v, html = runsAt(t, l.page, "/pool/jobs/")
		assert.Contains(t, html, bar)
		var told []*progressJSON
		for _, r := range v.Running {
			told = append(told, r.Progress)
		}
		assert.ElementsMatch(t, []*progressJSON{{1500, 2000, "rows of <users>"}, nil}, told)
		time.Sleep(time.Minute)
		_, html = runsAt(t, l.page, path)
		assert.Contains(t, html, "<span>7 done</span>")
		assert.NotContains(t, html, "<progress")
		time.Sleep(time.Minute)
		_, html = runsAt(t, l.page, "/pool/jobs/")
		assert.NotContains(t, html, "7 done")
	})
}

// TestTheLinesOfATaskThatHasEnded stay with its error.
func TestTheLinesOfATaskThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogging(t, runlog.Config{}, true)
		defer l.jobs.Close()
		every(t, l.jobs, time.Second, "parse", func(ctx context.Context) error {
			l.log.ErrorContext(ctx, "last words")
			panic("no <digits>")
		})
		time.Sleep(5 * time.Second)
		var v troublesJSON
		require.NoError(t, json.Unmarshal(get(t, l.page, "/pool/jobs/?format=json").Body.Bytes(), &v))
		require.Len(t, v.Wrong.Shown, 1)
		ended, html := runsAt(t, l.page, "/"+v.Wrong.Shown[0].Task.Path)
		assert.Equal(t, []string{"ERROR last words"}, ended.Log.texts())
		assert.Contains(t, html, "What this run has logged")
		assert.Contains(t, html, "no &lt;digits&gt;")
	})
}

// TestWithoutAHistory the runs that have logged are shown, and it is not said that they were on
// time.
func TestWithoutAHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogging(t, runlog.Config{}, false)
		defer l.jobs.Close()
		every(t, l.jobs, time.Second, "poll", func(ctx context.Context) error {
			l.log.InfoContext(ctx, "not the leader")
			return fmt.Errorf("%w: not the leader", executor.ErrSkipped)
		})
		time.Sleep(1500 * ms)
		_, html := runsAt(t, l.page, pathOf(t, l.page, "poll"))
		assert.Contains(t, html, `<span class="badge s-skipped">skipped</span>`)
		assert.Contains(t, html, `<span class="quiet">not known</span>`)
		assert.NotContains(t, html, "on time, or nearly")
		assert.NotContains(t, html, "No last runs are kept")
	})
}

// TestRunsOfTasksWithoutAView: tasks that run once, and those of a loop, have one of their runs.
func TestRunsOfTasksWithoutAView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogging(t, runlog.Config{}, true)
		loop := eventloop.New(executor.Name("session"), executor.Observe(l.kept.Observer()),
			executor.Logger(slog.New(slog.DiscardHandler)))
		page := inspect.Handler(l.jobs, loop).With(inspect.RunLog(l.kept))
		defer l.jobs.Close()
		defer loop.Close()
		body := func(ctx context.Context) error {
			l.log.InfoContext(ctx, "sends")
			runlog.Progress(ctx, 1, 3, "")
			time.Sleep(time.Minute)
			return errors.New("no answer")
		}
		for _, pool := range []interface {
			Submit(executor.Task, ...executor.TaskOption) (*future.Future[struct{}], error)
		}{l.jobs, loop} {
			_, err := pool.Submit(body, executor.Name("<mail>"))
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		for _, at := range []string{"/pool/jobs/", "/loop/session/"} {
			var v struct{ Logged []struct{ Name, Path string } }
			require.NoError(t, json.Unmarshal(get(t, page, at+"?format=json").Body.Bytes(), &v))
			require.Len(t, v.Logged, 1, at)
			assert.Contains(t, get(t, page, at).Body.String(), "Tasks whose runs have logged")
			runs, html := runsAt(t, page, "/"+v.Logged[0].Path)
			require.Len(t, runs.Running, 1)
			assert.Equal(t, []string{"INFO sends"}, runs.Running[0].Log.texts())
			assert.Contains(t, html, "<h1>Runs of <bdi>&lt;mail&gt;</bdi></h1>")
			assert.Contains(t, html, "1 of 3, 33 %")
		}
		time.Sleep(time.Hour)
		for _, at := range []string{"/pool/jobs/", "/loop/session/"} {
			var v struct{ Logged []struct{ Path string } }
			require.NoError(t, json.Unmarshal(get(t, page, at+"?format=json").Body.Bytes(), &v))
			runs, _ := runsAt(t, page, "/"+v.Logged[0].Path)
			assert.Empty(t, runs.Running)
			require.Len(t, runs.LastRuns, 1)
			assert.Equal(t, "no answer", runs.LastRuns[0].Error)
			assert.Equal(t, []string{"INFO sends"}, runs.LastRuns[0].Log.texts())
			assert.Equal(t, http.StatusNotFound, get(t, page, at+"runs/none").Code)
		}
	})
}

func TestTheTraceOfARun(t *testing.T) {
	for _, test := range []struct {
		id      string
		address func(string) string
		link    string
	}{
		{"abc", nil, ""},
		{"abc", func(id string) string { return "https://traces.example/?id=" + url.QueryEscape(id) },
			"https://traces.example/?id=abc"},
		{`"><script>`, func(id string) string { return "https://traces.example/" + id },
			"https://traces.example/%22%3E%3Cscript%3E"},
		{"abc", func(id string) string { return "http://traces.example/" + id }, ""},
		{"abc", func(id string) string { return "javascript:alert(1)//" + id }, ""},
		{"abc", func(id string) string { return "//traces.example/" + id }, ""},
		{"abc", func(id string) string { return "https://user:secret@traces.example/" + id }, ""},
		{"abc", func(id string) string { return "https://bad host/\x00" + id }, ""},
		{"abc", func(string) string { panic("no") }, ""},
		{"abc", func(string) string { runtime.Goexit(); return "" }, ""},
		{"abc", func(string) string { time.Sleep(time.Second); return "https://slow.example/" }, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var opts []inspect.Option
			if test.address != nil {
				opts = append(opts, inspect.TraceURL(test.address))
			}
			l := newLogging(t, runlog.Config{Trace: func(context.Context) string { return test.id }}, true, opts...)
			defer l.jobs.Close()
			every(t, l.jobs, time.Second, "poll", sleep(0))
			time.Sleep(1500 * ms)
			v, html := runsAt(t, l.page, pathOf(t, l.page, "poll"))
			require.NotNil(t, v.LastRuns[0].Log.Trace)
			assert.Equal(t, test.id, v.LastRuns[0].Log.Trace.ID)
			assert.Equal(t, test.link, v.LastRuns[0].Log.Trace.URL)
			assert.Equal(t, test.link != "", strings.Contains(html, `rel="noreferrer noopener"`))
			assert.NotContains(t, html, "<script>")
			time.Sleep(10 * time.Second)
		})
	}
}

// TestHostileLines: whatever is in a line, a note or an id, it is shown as text, and cut.
func TestHostileLines(t *testing.T) {
	for _, evil := range []string{`<script>alert(1)</script>`, "turned \u202e", "nul \x00", "a\r\ndata: b",
		"broken \xff", "</pre></details><b>", strings.Repeat("long ", 1<<18)} {
		synctest.Test(t, func(t *testing.T) {
			l := newLogging(t, runlog.Config{Trace: func(context.Context) string { return evil }}, true)
			defer l.jobs.Close()
			l.every(t, time.Second, "poll", func(ctx context.Context) error {
				l.log.InfoContext(ctx, evil, evil, evil, "v", errors.New(evil))
				runlog.Progress(ctx, 1, 2, evil)
				time.Sleep(500 * ms)
				return nil
			}, executor.MaxRuns(3))
			time.Sleep(2200 * ms)
			v, html := runsAt(t, l.page, pathOf(t, l.page, "poll"))
			require.NotEmpty(t, v.LastRuns[0].Log.texts())
			require.NotEmpty(t, v.Running)
			for _, raw := range []string{"<script>alert", "\u202e", "\x00", "\xff", "</details><b>", "\r"} {
				assert.NotContains(t, html, raw)
			}
			assert.Less(t, len(html), 100_000)
		})
	}
}

// TestManyTasksThatHaveLogged: of their names the first are listed.
func TestManyTasksThatHaveLogged(t *testing.T) {
	l := newLogging(t, runlog.Config{}, true)
	for i := range 130 {
		require.NoError(t, l.jobs.Execute(func(ctx context.Context) error {
			l.log.InfoContext(ctx, "line")
			return nil
		}, executor.Name(fmt.Sprintf("task %03d", i))))
	}
	l.jobs.Close()
	var v struct {
		Logged []struct{ Name string }
		More   int `json:"logged_more"`
	}
	require.NoError(t, json.Unmarshal(get(t, l.page, "/pool/jobs/?format=json").Body.Bytes(), &v))
	assert.Len(t, v.Logged, 100)
	assert.Equal(t, "task 099", v.Logged[99].Name)
	assert.Equal(t, 30, v.More)
	assert.Contains(t, get(t, l.page, "/pool/jobs/").Body.String(), "and 30 more")
}

// TestAViewHasABound: of a flood of lines the last of the latest runs are shown.
func TestAViewHasABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLogging(t, runlog.Config{Lines: 1000, Bytes: 64 << 20}, true)
		defer l.jobs.Close()
		every(t, l.jobs, time.Second, "flood", func(ctx context.Context) error {
			for i := range 1000 {
				l.log.InfoContext(ctx, strings.Repeat("<", 900), "i", i)
			}
			return nil
		})
		time.Sleep(5500 * ms)
		v, html := runsAt(t, l.page, pathOf(t, l.page, "flood"))
		require.Len(t, v.LastRuns, 5)
		latest := v.LastRuns[0].Log
		assert.InDelta(t, 108, len(latest.Lines), 10)
		assert.EqualValues(t, 1000, uint64(len(latest.Lines))+latest.Dropped)
		assert.True(t, strings.HasSuffix(latest.Lines[len(latest.Lines)-1].Text, "i=999"))
		assert.EqualValues(t, 1000, v.LastRuns[4].Log.Dropped)
		assert.Less(t, len(html), 1_000_000)
	})
}

// eachTenth is a calendar with ten times a second, on the wall clock.
type eachTenth struct{}

func (eachTenth) Next(after time.Time) time.Time {
	return after.Truncate(100 * ms).Add(100 * ms)
}

// TestRunsAreFoundByTheirStart: with a clock that is read anew each time, and of tasks of all kinds.
func TestRunsAreFoundByTheirStart(t *testing.T) {
	l := newLogging(t, runlog.Config{}, true)
	defer l.jobs.Close()
	body := func(ctx context.Context) error {
		runlog.Progress(ctx, 1, 4, "")
		l.log.InfoContext(ctx, "line")
		time.Sleep(20 * ms)
		return nil
	}
	_, err := l.jobs.On(eachTenth{}, body, executor.Name("on a calendar"))
	require.NoError(t, err)
	l.every(t, 100*ms, "rate", body, executor.Retry(2, retry.Backoff{Base: ms}))
	_, err = l.jobs.WithFixedDelay(0, 100*ms, body, executor.Name("delay"))
	require.NoError(t, err)
	for _, name := range []string{"on a calendar", "rate", "delay"} {
		path, sawProgress := pathOf(t, l.page, name), false
		require.Eventually(t, func() bool {
			l.page.Forget()
			v, _ := runsAt(t, l.page, path)
			for _, r := range v.Running {
				sawProgress = sawProgress || r.Progress != nil && r.Log != nil
			}
			for _, r := range v.LastRuns[:min(len(v.LastRuns), 10)] {
				if assert.NotNil(t, r.Log, "%s, run %d", name, r.Number) {
					assert.Equal(t, []string{"INFO line"}, r.Log.texts())
				}
			}
			return sawProgress && len(v.LastRuns) > 2
		}, time.Minute, 5*ms)
	}
}
