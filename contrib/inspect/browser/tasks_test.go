//go:build unix

package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/executor"
)

// TestAHundredThousandTasks lists, searches, sorts and turns to page 500 of 1,000.
func TestAHundredThousandTasks(t *testing.T) {
	p := executor.NewScheduledPool(2, executor.Name("many"))
	t.Cleanup(func() { _ = p.Close() })
	for i := range 100_000 {
		_, err := p.AtFixedRate(time.Hour, time.Hour, sleep(0), executor.Name(fmt.Sprintf("tenant %06d", i)))
		require.NoError(t, err)
	}
	url := mounted(t, inspect.Handler(p))
	tab := tab(t, chrome.Start(t))
	loaded := func() string {
		var took float64
		tab.Eval(`performance.getEntriesByType("navigation")[0].loadEventEnd`, &took)
		return fmt.Sprintf("%.0f ms", took)
	}
	tab.Open(url + "pool/many/tasks")
	assert.Contains(t, tab.Text("#found"), "100\u202f000")
	t.Log("first page: ", loaded())
	live(tab)
	tab.Eval(`document.querySelector("input[name=page]").value = ""`, nil)
	tab.Type(`input[name=page]`, "500")
	tab.Press("Enter")
	tab.Wait(`document.querySelector("tbody th")?.textContent === "tenant 049900"`)
	t.Log("page 500: ", loaded())
	assert.Contains(t, tab.Text(".pages"), "1\u202f000")
	tab.Click(`a[rel=next]`)
	tab.Wait(`document.querySelector("tbody th")?.textContent === "tenant 050000"`)
	tab.Type(`input[name=q]`, "TENANT 01234")
	tab.Press("Enter")
	tab.Wait(`document.querySelectorAll("tbody tr").length === 10`)
	t.Log("search: ", loaded())
	tab.Open(url + "pool/many/tasks?sort=next&state=waiting&page=1000")
	tab.Wait(`document.querySelector("tbody tr:last-child th")?.textContent === "tenant 099999"`)
	t.Log("sorted: ", loaded())
	tab.Open(url + "pool/many/")
	live(tab)
	t.Log("pool: ", loaded())
}

// TestActions does everything that can be done, by mouse.
func TestActions(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := tab(t, chrome.Start(t))
	h := s.fetched.Handle
	done := func(text string) {
		t.Helper()
		tab.Wait(fmt.Sprintf(`document.getElementById("did")?.textContent === %q`, text))
		var address string
		tab.Eval(`location.search`, &address)
		assert.NotContains(t, address, "did", "the address is the view's again")
	}
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	tab.Click(`td.buttons button[value=pause]`)
	done("Paused.")
	assert.True(t, h.Paused())
	assert.Equal(t, "paused", tab.Text("tbody .badge"))
	tab.Click(`td.buttons button[value=resume]`)
	done("Resumed.")
	assert.False(t, h.Paused())
	tab.Click(`td.buttons button[value=trigger]`)
	done("Asked to run now.")
	require.Eventually(t, func() bool { return s.runs.Load() == 1 }, 20*time.Second, ms)
	tab.Click(`th[scope=row] a`)
	tab.Wait(`document.querySelector("h1 bdi").textContent === "fetch"`)
	tab.Click(`#move summary`)
	tab.Type(`input[name=after]`, "soon") // that can't be read, but nothing else is held up
	tab.Click(`#move summary`)
	tab.Click(`button[value=pause]`)
	done("Paused.")
	tab.Click(`button[value=resume]`)
	done("Resumed.")
	tab.Click(`#move summary`)
	tab.Type(`input[name=after]`, "1h30m")
	tab.Press("Enter")
	done("The next run has been moved.")
	assert.False(t, h.Paused(), "Enter is of the field, and of no other button")
	next, _ := h.Next()
	assert.Greater(t, time.Until(next), 80*time.Minute)
	tab.Click(`button[value=pause]`)
	done("Paused.")
	tab.Click(`button[value=resume]`)
	done("Resumed.")
	tab.Click(`#end summary`)
	live(tab)
	time.Sleep(1500 * ms)
	tab.Click(`button[value=cancel]`) // what is folded out stays so when the page changes
	done("Cancelled.")
	assert.Equal(t, "Tasks of jobs", tab.Text("h1"), "the task has no view any more")
	assert.True(t, h.State().Settled())
}

// TestActionsOverPlainHTTP acts where the browser tells less of where a form comes from: without
// TLS, on a host that is not this one.
func TestActionsOverPlainHTTP(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	url = strings.Replace(url, "127.0.0.1", chrome.PlainHost, 1)
	tab := chrome.Start(t).Tab(t)
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	var trusted bool
	tab.Eval(`isSecureContext`, &trusted)
	require.False(t, trusted)
	tab.Click(`td.buttons button[value=pause]`)
	tab.Wait(`document.getElementById("did")?.textContent === "Paused."`)
	assert.True(t, s.fetched.Handle.Paused())
	for _, p := range tab.Problems() {
		assert.Contains(t, p, "Cross-Origin-Opener-Policy header has been ignored", "it is of no use here")
	}
}

// TestAStaleTab has a tab in which a task is shown that has been replaced by another of its name.
func TestAStaleTab(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := chrome.Start(t).Tab(t) // that it is refused is logged by the browser
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	tab.Click(`th[scope=row] a`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "fetch"`)
	tab.Hidden(true) // it gets nothing new
	require.True(t, s.fetched.Cancel())
	other, err := s.pool.AtFixedRate(time.Hour, time.Hour, sleep(0), executor.Name("fetch"))
	require.NoError(t, err)
	tab.Click(`button[value=pause]`)
	tab.Wait(`document.body.textContent.includes("another task")`)
	assert.False(t, other.Handle.Paused())
}

func TestActionsOnPoolsAndSupervisors(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := tab(t, chrome.Start(t))
	tab.Open(url + "pool/jobs/")
	tab.Click(`button[value=pause]`)
	tab.Wait(`document.querySelector("button[value=resume]")`)
	assert.True(t, s.pool.Paused())
	tab.Click(`button[value=resume]`)
	tab.Wait(`document.querySelector("button[value=pause]")`)
	assert.False(t, s.pool.Paused())
	tab.Open(url + "supervisor/registry/")
	tab.Click(`button[value=suspend]`)
	tab.Wait(`document.querySelector("button[value=resume]")`)
	assert.Equal(t, "suspended", s.supervisor.Stats().State)
	tab.Click(`button[value=resume]`)
	tab.Wait(`document.querySelector("button[value=suspend]")`)
	tab.Click(`button[value=trigger]`)
	tab.Wait(`document.getElementById("did")`)
}

// TestKeyboardOnly goes from the overview to a task, pauses it, and reads the time strip, without a
// mouse.
func TestKeyboardOnly(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := tab(t, chrome.Start(t))
	tab.Open(url)
	live(tab)
	focus := func(js string) {
		t.Helper()
		for range 200 {
			var there bool
			tab.Eval(`(e => `+js+`)(document.activeElement)`, &there)
			if there {
				return
			}
			tab.Press("Tab")
		}
		t.Fatalf("the focus does not get to where %s", js)
	}
	tab.Press("Tab")
	assert.Equal(t, "Skip to content", tab.Text(":focus"))
	focus(`e.textContent === "jobs"`)
	tab.Press("Enter")
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "jobs"`)
	live(tab)
	focus(`e.id === "strip"`)
	text := func() (text string) {
		tab.Eval(`document.activeElement.getAttribute("aria-valuetext")`, &text)
		return text
	}
	tab.Press("ArrowRight")
	ahead := text()
	assert.Contains(t, ahead, "planned")
	tab.Press("Home")
	behind := text()
	assert.Contains(t, behind, "late")
	tab.Press("End")
	assert.NotEqual(t, ahead, text())
	time.Sleep(1500 * ms)
	assert.Contains(t, tab.Text("#tell"), "planned", "what is chosen stays when the page changes")
	tab.Press("Escape")
	tab.Wait(`document.getElementById("tell").textContent.includes("Ten minutes back")`)
	tab.Press("Shift+Tab") // back to the tasks
	focus(`e.textContent.endsWith("periodic tasks")`)
	tab.Press("Enter")
	tab.Wait(`document.querySelector("h1")?.textContent === "Tasks of jobs"`)
	focus(`e.name === "q"`)
	tab.Type(":focus", "fetch")
	tab.Press("Enter")
	tab.Wait(`document.querySelectorAll("tbody tr").length === 1`)
	live(tab)
	focus(`e.getAttribute("aria-label") === "Pause: fetch"`)
	time.Sleep(1500 * ms)
	var stays bool
	tab.Eval(`document.activeElement.getAttribute("aria-label") === "Pause: fetch"`, &stays)
	assert.True(t, stays, "the focus stays when the page changes")
	tab.Press("Space")
	tab.Wait(`document.querySelector("td.buttons button[value=resume]")`)
	assert.True(t, s.fetched.Handle.Paused())
}
