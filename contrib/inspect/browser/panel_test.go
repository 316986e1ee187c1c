//go:build unix

package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/contrib/inspect/panel"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// queue is a source of what has failed, some of it with hostile names.
type queue struct {
	mu   sync.Mutex
	ids  []string
	away bool
}

func (q *queue) About() panel.About {
	return panel.About{Name: "orders", Kind: "queue", Refresh: time.Second,
		Lists: []panel.List{{Name: "failed", Title: "Failed"}, {Name: "workers", Title: "Workers"}}}
}

func (q *queue) Read(_ context.Context, at panel.Query) (v panel.View, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.away {
		return v, errors.New("no route to host")
	}
	if at.ID != "" {
		return panel.View{Title: at.ID, Facts: []panel.Fact{{Name: "failed", Value: panel.Time(time.Now())}},
			Texts: []panel.Text{{Title: "Payload", Body: "{\n  \"to\": 1\n}", Private: true}}}, nil
	}
	t := panel.Table{Title: "Failed for good", List: "failed", Search: "Task", Choices: []string{"error", "panic"},
		Columns: []string{"id", "how", "error", "attempts", "failed", "took"}, Total: uint64(len(q.ids))}
	for _, id := range q.ids {
		ref := panel.Ref{List: "failed", ID: id}
		t.Rows = append(t.Rows, panel.Row{
			Values: []panel.Value{panel.Name(id).To("failed", id), panel.Badge("panic"),
				panel.Error("GET https://mail.example: 502 Bad Gateway"), panel.Count(3), panel.Time(time.Now()),
				panel.Span(1500 * ms)},
			Actions: []panel.Action{{Ref: ref, Verb: "redrive", Label: "Run again", Vanishes: true},
				{Ref: ref, Verb: "discard", Label: "Discard", Confirm: "It is removed for good.", Vanishes: true},
				{Ref: ref, Verb: "pause", Label: "Pause", Why: "it does not run"}}})
	}
	v.Tables = []panel.Table{t}
	if at.List == "" {
		v.Facts = []panel.Fact{{Name: "failed", Value: panel.Count(uint64(len(q.ids))).To("failed", "")},
			{Name: "oldest", Value: panel.Time(time.Now().Add(-time.Hour))}}
		v.Troubles = []panel.Trouble{{What: insight.Dead, Of: panel.Name("mail").To("failed", "mail"),
			Says: fmt.Sprint(len(q.ids), " have failed for good"), Since: time.Now().Add(-time.Hour)}}
	}
	return v, nil
}

func (q *queue) Act(_ context.Context, c panel.Command) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, id := range q.ids {
		if id == c.ID {
			q.ids = append(q.ids[:i:i], q.ids[i+1:]...)
			return true, nil
		}
	}
	return false, nil
}

// TestAPanel goes from the index to what has failed elsewhere, has one run again and discards one,
// and sees the source go away and come back, by mouse.
func TestAPanel(t *testing.T) {
	q := &queue{ids: append([]string{"first", "second", "third"}, hostile...)}
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _ = p.Close() })
	url := mounted(t, inspect.Handler(p).With(inspect.Panels(q), inspect.Actions(anybody),
		inspect.Logger(slog.New(slog.DiscardHandler))))
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
				tab.Screenshot(picture(fmt.Sprintf("panel-%s-%d-%s", name, width, theme)))
			}
		}
	}
	tab.Open(url)
	live(tab)
	assert.Contains(t, tab.Text("main .wrong"), "have failed for good")
	look("index")
	tab.Click(`.panels h2 a`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "orders"`)
	live(tab)
	look("overview")
	tab.Click(`nav.lists a`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "Failed"`)
	live(tab)
	look("list")
	tab.Click(`button[aria-label="Run again: first"]`)
	tab.Wait(`document.getElementById("did")?.textContent === "Queued again."`)
	live(tab)
	assert.NotContains(t, tab.Text("main"), "first")
	tab.Click(`summary[aria-label="Discard: second"]`)
	tab.Click(`button[aria-label="Discard: second"]`)
	tab.Wait(`document.getElementById("did")?.textContent === "Discarded."`)
	live(tab)
	assert.NotContains(t, tab.Text("main"), "second")
	q.mu.Lock()
	q.away = true
	q.mu.Unlock()
	tab.Wait(`document.querySelector("main .ending")?.textContent.includes("no route to host")`)
	assert.Contains(t, tab.Text("main"), "third", "what it said last is still there")
	look("away")
	q.mu.Lock()
	q.away = false
	q.mu.Unlock()
	tab.Wait(`!document.querySelector("main .ending")`)
	tab.Click(`tbody th a`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "third"`)
	live(tab)
	assert.Contains(t, tab.Text("pre"), `"to": 1`)
	look("detail")
}
