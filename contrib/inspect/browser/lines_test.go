//go:build unix

package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/runlog"
)

// newLogging returns the page of a pool whose runs log, say how far they are, and have traces.
func newLogging(t *testing.T) *inspect.Page {
	t.Helper()
	kept := runlog.New(runlog.Config{Lines: 20, Trace: func(context.Context) string {
		return "4bf92f3577b34da6a3ce929d0e0e4736"
	}})
	log := slog.New(runlog.Handler(nil))
	p := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Observe(kept.Observer()),
		executor.Watch(insight.Config{History: true}), executor.Logger(slog.New(slog.DiscardHandler)))
	t.Cleanup(func() { _ = p.ShutdownNow() })
	_, err := p.AtFixedRate(0, 700*ms, func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		log.InfoContext(ctx, "copies rows", "run", run.Number, "table", "users")
		log.WarnContext(ctx, "slow disk", "took", 3*time.Second)
		for _, name := range hostile {
			log.ErrorContext(ctx, name, name, name)
		}
		if run.Number%2 == 0 {
			return fmt.Errorf("disk full: %s", strings.Repeat("very ", 300))
		}
		return nil
	}, executor.Name("copy"))
	require.NoError(t, err)
	_, err = p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
		log.InfoContext(ctx, "begins")
		for i := int64(0); ctx.Err() == nil; i++ {
			runlog.Progress(ctx, i, 1000, "rows of <b>users</b> "+hostile[4])
			sleepFor(ctx, 100*ms)
		}
		return nil
	}, executor.Name("import"))
	require.NoError(t, err)
	for range 2 {
		_, err = p.Submit(func(ctx context.Context) error {
			runlog.Progress(ctx, 7, 0, "")
			log.WarnContext(ctx, "no answer", "host", hostile[1])
			return errors.New(hostile[0])
		}, executor.Name("send "+hostile[0]))
		require.NoError(t, err)
	}
	_, err = p.Submit(func(ctx context.Context) error {
		runlog.Progress(ctx, 7, 0, "")
		log.WarnContext(ctx, "waits", "host", hostile[1])
		<-ctx.Done()
		return nil
	}, executor.Name("send "+hostile[0]))
	require.NoError(t, err)
	return inspect.Handler(p).With(inspect.RunLog(kept), inspect.Actions(anybody),
		inspect.Logger(slog.New(slog.DiscardHandler)), inspect.TraceURL(func(id string) string {
			return "https://traces.example/trace/" + id
		}))
}

func sleepFor(ctx context.Context, d time.Duration) { _ = sleep(d)(ctx) }

// TestLinesOfRuns: they are folded out, stay so while others come, and are text whatever they say.
func TestLinesOfRuns(t *testing.T) {
	url := mounted(t, newLogging(t))
	picture := pictures(t)
	tab := tab(t, chrome.Start(t))
	tab.ReduceMotion()
	tab.Size(1280, 900)
	look := func(name string) {
		t.Helper()
		for _, width := range []int{360, 1280} {
			tab.Size(width, 900)
			var over, strangers int
			tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
			assert.LessOrEqual(t, over, 0, "%s at %d", name, width)
			tab.Eval(`document.querySelectorAll("main script, img, main b, [onmouseover], [onerror]").length`, &strangers)
			assert.Zero(t, strangers, name)
			for _, theme := range []string{"light", "dark"} {
				tab.Dark(theme == "dark")
				assert.Empty(t, tab.Axe(), "%s, %s at %d", name, theme, width)
				tab.Screenshot(picture(fmt.Sprintf("lines-%s-%d-%s", name, width, theme)))
			}
		}
		tab.Size(1280, 900)
	}
	tab.Open(url + "pool/jobs/")
	live(tab)
	tab.Wait(`document.querySelector("progress")?.value >= 1`)
	assert.Contains(t, tab.Text("main"), "rows of <b>users</b>")
	look("pool")

	tab.Click(`#logged summary`)
	tab.Click(`#logged li:last-child a`)
	tab.Wait(`document.querySelectorAll(".going details.log, #last-runs details.log").length === 3`)
	live(tab)
	tab.Click(`.going details.log summary`)
	assert.Contains(t, tab.Text("main"), `host="\"><img src=x onerror=alert(1)>"`)
	look("runs")

	tab.Open(url + "pool/jobs/tasks?q=import")
	tab.Click(`th[scope=row] a`)
	tab.Wait(`document.querySelector(".going progress")?.value >= 1`)
	look("running")

	tab.Open(url + "pool/jobs/tasks?q=copy")
	tab.Click(`th[scope=row] a`)
	tab.Wait(`document.querySelectorAll("details.log").length > 1`)
	live(tab)
	tab.Click(`details.log summary`)
	var first, again string
	tab.Wait(`document.querySelector("details.log[open]") !== null`)
	tab.Eval(`document.querySelector("details.log[open]").closest("tr").id`, &first)
	tab.Wait(`document.querySelectorAll("details.log")[2] && !document.querySelectorAll("details.log")[0].open`)
	tab.Eval(`document.querySelector("details.log[open]").closest("tr").id`, &again)
	assert.Equal(t, first, again, "the lines of the same run are folded out while others come")
	said := tab.Text("details.log[open] pre")
	assert.Contains(t, said, `<script>alert(1)</script>`)
	assert.Contains(t, said, `right\u202eto left`)
	assert.Contains(t, said, `nul\x00byte`)
	assert.Contains(t, said, "WARN slow disk took=3s")
	assert.NotContains(t, said, "\u202e")
	var to string
	tab.Eval(`document.querySelector(".trace a").href`, &to)
	assert.Equal(t, "https://traces.example/trace/4bf92f3577b34da6a3ce929d0e0e4736", to)
	look("task")
}

// TestLinesWithoutScript: what is folded in can be folded out.
func TestLinesWithoutScript(t *testing.T) {
	url := mounted(t, newLogging(t))
	tab := tab(t, chrome.Start(t))
	tab.Script(false)
	tab.Open(url + "pool/jobs/tasks?q=copy")
	tab.Click(`th[scope=row] a`)
	require.Eventually(t, func() bool { return strings.Contains(tab.Text("main"), "log lines") },
		20*time.Second, 100*ms)
	tab.Click(`details.log summary`)
	assert.Contains(t, tab.Text("details.log[open]"), "copies rows")
}
