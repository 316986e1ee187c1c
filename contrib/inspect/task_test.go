package inspect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// taskJSON is what these tests read of the view of a task.
type taskJSON struct {
	Same     int `json:"tasks_of_this_name"`
	Last     struct{ Error string }
	LastRuns []struct{ Error string } `json:"last_runs"`
	Running  []struct{ Number uint64 }
	Measured struct{ Runs uint64 }
}

// viewed returns the view of each task of a pool, in JSON and as a page.
func viewed(t *testing.T, page http.Handler) (views []taskJSON, pages []string) {
	t.Helper()
	var list listing
	require.NoError(t, json.Unmarshal(get(t, page, "/pool/-1/tasks?format=json").Body.Bytes(), &list))
	for _, task := range list.Tasks {
		var v taskJSON
		body := get(t, page, "/"+task.Task.Path+"?format=json").Body.Bytes()
		require.NoError(t, json.Unmarshal(body, &v))
		views, pages = append(views, v), append(pages, get(t, page, "/"+task.Task.Path).Body.String())
	}
	return views, pages
}

func TestWhatIsOfAllTasksOfAName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(3, executor.Watch(insight.Config{History: true}))
		defer p.Close()
		every(t, p, time.Second, "poll", sleep(0))
		every(t, p, 10*time.Second, "poll", sleep(hour))
		every(t, p, hour, "poll", sleep(0))
		every(t, p, time.Second, "other", sleep(0))
		time.Sleep(11 * time.Second)
		synctest.Wait()
		views, pages := viewed(t, inspect.Handler(p))
		running := 0
		for i, v := range views[1:] {
			assert.Equal(t, 3, v.Same)
			assert.EqualValues(t, 11, v.Measured.Runs, "of all")
			assert.Contains(t, pages[i+1], "(all 3 tasks of this name)")
			running += len(v.Running)
		}
		assert.Equal(t, 1, running, "only one of them runs")
		assert.Equal(t, 1, views[0].Same)
		assert.NotContains(t, pages[0], "of this name")
	})
}

// What an error says is made readable on the page, and only there, and once.
func TestTheTextsOfErrors(t *testing.T) {
	long := strings.Repeat("é", 2000)
	for _, test := range []struct{ says, json, page string }{
		{"two\nlines \\n", "two\nlines \\n", `two\nlines \n<`},
		{"\u202eturned", "\u202eturned", `\u202eturned<`},
		{long, long[:1000] + "… (4\u202f000 bytes)", long[:1000] + "… (4\u202f000 bytes)<"},
		{"x" + long, "x" + long[:998] + "… (4\u202f001 bytes)", "… (4\u202f001 bytes)<"},
		{strings.Repeat("\x80", 2000), "", "… (2\u202f000 bytes)<"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}))
			defer p.Close()
			every(t, p, time.Second, "poll", func(context.Context) error { return errors.New(test.says) })
			time.Sleep(time.Second + ms)
			views, pages := viewed(t, inspect.Handler(p))
			if test.json != "" {
				assert.Equal(t, test.json, views[0].Last.Error)
				assert.Equal(t, test.json, views[0].LastRuns[0].Error)
			}
			assert.Contains(t, pages[0], test.page)
		})
	}
}

// What has happened while nobody looked says nothing of the present.
func TestRatesAreOfThePresent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		every(t, p, time.Second, "poll", sleep(0))
		page := inspect.Handler(p)
		rates := func() *struct{ Runs float64 } {
			var v struct{ Rates *struct{ Runs float64 } }
			body := get(t, page, "/pool/-1/?format=json").Body.Bytes()
			require.NoError(t, json.Unmarshal(body, &v))
			return v.Rates
		}
		assert.Nil(t, rates())
		time.Sleep(10*time.Second + ms)
		assert.InDelta(t, 1, rates().Runs, 0.01, "a page without script")
		p.Pause()
		time.Sleep(hour)
		assert.Nil(t, rates())
		time.Sleep(time.Second)
		assert.Zero(t, rates().Runs)
	})
}

func TestASkippedRunIsShownAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}))
		defer p.Close()
		every(t, p, time.Second, "poll", func(context.Context) error {
			return fmt.Errorf("%w: not the <leader>", executor.ErrSkipped)
		})
		time.Sleep(2500 * ms)
		page := inspect.Handler(p)
		_, tasks := viewed(t, page)
		assert.Contains(t, tasks[0], `<span class="badge s-skipped">skipped</span> `+
			`<bdi class="quiet why">executor: skipped: not the &lt;leader&gt;</bdi>`)
		assert.Contains(t, tasks[0], `<dt>skipped</dt><dd>2</dd>`)
		assert.Contains(t, tasks[0], `<dt>failed</dt><dd>0</dd>`)
		list := get(t, page, "/pool/-1/tasks").Body.String()
		assert.Contains(t, list, `<span class="badge s-skipped">skipped</span>`)
		assert.NotContains(t, list, `<span class="badge s-failing">`)
		pool := get(t, page, "/pool/-1/").Body.String()
		assert.Contains(t, pool, "2 runs, 0 failed, 2 skipped, the latest")
		assert.Contains(t, pool, `<dt>skipped</dt><dd>2</dd>`)
		assert.Contains(t, get(t, page, "/pool/-1/?format=json").Body.String(), `"skipped": 2,`)
		assert.Contains(t, get(t, page, "/pool/-1/tasks?format=json").Body.String(), `"skipped": true,`)
	})
}

func TestWhatHasExpiredIsShownAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Watch(insight.Config{History: true}),
			executor.Logger(slog.New(slog.DiscardHandler)))
		defer p.Close()
		_, err := p.Schedule(500*time.Millisecond, sleep(3*time.Second), executor.Name("hog"))
		require.NoError(t, err)
		_, err = p.AtFixedRate(time.Second, 2*time.Second, sleep(0), executor.Name("poll"),
			executor.BeginWithin(time.Second))
		require.NoError(t, err)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		page := inspect.Handler(p)
		_, tasks := viewed(t, page)
		for _, body := range []string{get(t, page, "/pool/-1/").Body.String(), tasks[0]} {
			assert.Contains(t, body, `<td class="n" data-is="took">–</td><td><span class="badge s-failed">expired</span></td>`)
			assert.Contains(t, body, "1 s no free worker (hog 1.5 s)")
		}
		assert.Contains(t, tasks[0], `<dt>expired</dt><dd>1</dd>`)
		assert.Contains(t, get(t, page, "/pool/-1/").Body.String(), "2 runs, 0 failed, 1 expired, the latest 500 ms late")
	})
}

// A task that runs says when it runs next, if it is not the end of its run that decides that.
func TestTheNextRunOfATaskThatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(3)
		defer p.Close()
		every(t, p, time.Minute, "rate", sleep(10*time.Second))
		_, err := p.WithFixedDelay(time.Minute, time.Minute, sleep(10*time.Second), executor.Name("delay"))
		require.NoError(t, err)
		last, err := p.Every(50*time.Second, sleep(20*time.Second), executor.Name("paused"))
		require.NoError(t, err)
		time.Sleep(65 * time.Second)
		last.Pause()
		var list struct{ Tasks []struct{ Next time.Time } }
		body := get(t, inspect.Handler(p), "/pool/-1/tasks?format=json").Body.Bytes()
		require.NoError(t, json.Unmarshal(body, &list))
		require.Len(t, list.Tasks, 3)
		delay, paused, rate := list.Tasks[0].Next, list.Tasks[1].Next, list.Tasks[2].Next
		assert.Zero(t, delay)
		assert.Zero(t, paused)
		assert.True(t, rate.Equal(time.Now().Add(55*time.Second)), "%v", rate)
		_, pages := viewed(t, inspect.Handler(p))
		assert.Contains(t, pages[0], "<dd>decided when this run ends</dd>")
		assert.Contains(t, pages[1], "<dd>none is planned</dd>")
		assert.Contains(t, pages[2], ", in 55 s</dd>")
	})
}

// A task with a period that does not pass runs when somebody asks for it.
func TestATaskThatRunsOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		job, err := p.WithFixedDelay(math.MaxInt64, math.MaxInt64, sleep(time.Minute), executor.Name("repair"))
		require.NoError(t, err)
		page := inspect.Handler(p)
		var list struct{ Tasks []map[string]any }
		body := get(t, page, "/pool/-1/tasks?format=json").Body.Bytes()
		require.NoError(t, json.Unmarshal(body, &list))
		assert.Equal(t, "on demand", list.Tasks[0]["kind"])
		assert.NotContains(t, list.Tasks[0], "period")
		_, pages := viewed(t, page)
		assert.Contains(t, pages[0], "<dd>on demand</dd>")
		assert.Contains(t, pages[0], "<dd>none is planned</dd>")
		require.True(t, job.Trigger())
		time.Sleep(time.Second)
		assert.Equal(t, 200, get(t, page, "/").Code, "the plan of the strip")
		_, pages = viewed(t, page)
		assert.Contains(t, pages[0], "run 1, for 1")
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, job.Runs())
	})
}
