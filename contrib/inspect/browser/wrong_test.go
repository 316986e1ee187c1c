//go:build unix

package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// newBadDay returns a page of a service where a job has died, one hangs, one fails and one does
// nothing but time out. The hang ends with the test.
func newBadDay(t *testing.T) *inspect.Page {
	t.Helper()
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	p := executor.NewScheduledPool(4, executor.Name("jobs"),
		executor.Watch(insight.Config{History: true}), quiet)
	held := make(chan struct{})
	t.Cleanup(func() { close(held); _ = p.Close() })
	job := func(name string, task executor.Task, opts ...executor.TaskOption) executor.Job {
		return executor.Job{Name: name, Task: task, Initial: 100 * ms, Rate: 300 * ms, Options: opts}
	}
	_, err := p.Apply(
		job("parse prices", func(context.Context) error { panic("no digits in \"n/a\"") }),
		job("fetch rates", func(context.Context) error { return errors.New("GET https://rates.example/v1: 502 Bad Gateway") }),
		job("call home", sleep(time.Hour), executor.Timeout(200*ms)),
		job("refresh", sleep(5*ms)))
	require.NoError(t, err)
	_, err = p.Schedule(0, func(context.Context) error { <-held; return nil },
		executor.Name("nightly import of a customer with a rather long name"), executor.Timeout(time.Second))
	require.NoError(t, err)
	time.Sleep(3 * time.Second)
	return inspect.Handler(p).With(inspect.Actions(anybody), inspect.Logger(slog.New(slog.DiscardHandler)))
}

// TestWhatIsWrong goes from the index to where a run stands, and to what has ended, by mouse, and
// looks at each view as on a phone and on a desk.
func TestWhatIsWrong(t *testing.T) {
	url := mounted(t, newBadDay(t))
	picture := pictures(t)
	tab := tab(t, chrome.Start(t))
	tab.ReduceMotion()
	look := func(name string) {
		t.Helper()
		for _, width := range []int{360, 1280} {
			tab.Size(width, 900)
			var over int
			tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
			assert.LessOrEqual(t, over, 0, "%s at %d", name, width)
			for _, theme := range []string{"light", "dark"} {
				tab.Dark(theme == "dark")
				assert.Empty(t, tab.Axe(), "%s, %s at %d", name, theme, width)
				tab.Screenshot(picture(fmt.Sprintf("wrong-%s-%d-%s", name, width, theme)))
			}
		}
	}
	tab.Size(1280, 900)
	tab.Open(url)
	live(tab)
	var first string
	tab.Eval(`document.querySelector("main .wrong .badge").textContent`, &first)
	assert.Equal(t, "dead", first)
	look("index")
	tab.Click(`.wrong button[value=stack]`)
	tab.Wait(`document.getElementById("did")?.textContent === "Its stack is below."`)
	live(tab)
	assert.Contains(t, tab.Text("#stood pre"), "newBadDay", "it leads to the pool")
	look("pool")
	tab.Open(url + "pool/jobs/tasks")
	live(tab)
	look("tasks")
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	tab.Click(`th[scope=row] a`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "fetch rates"`)
	live(tab)
	look("task")
	tab.Open(url)
	tab.Click(`.wrong a`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "parse prices"`)
	live(tab)
	look("ended")
	tab.Click(`button[value=restart]`)
	tab.Wait(`document.getElementById("did")?.textContent === "Started again."`)
}
