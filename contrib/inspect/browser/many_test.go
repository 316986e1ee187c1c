//go:build unix

package browser

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/executor"
)

// rows returns the tasks of a pool by name.
func rows(p *executor.ScheduledPool) map[string]executor.Handle {
	all := map[string]executor.Handle{}
	for h := range p.Tasks() {
		all[h.Name()] = h
	}
	return all
}

// box is the selector of the checkbox of a task.
func box(name string) string {
	return fmt.Sprintf(`input[type=checkbox][aria-label="Select: %s"]`, name)
}

// TestSeveralAtOnce chooses by pool, state and name, ticks rows, and has them paused.
func TestSeveralAtOnce(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
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
				assert.Empty(t, tab.Axe(), "%s at %d", name, width)
				tab.Screenshot(picture(fmt.Sprintf("many-%s-%d-%s", name, width, theme)))
			}
		}
	}
	tab.Open(url)
	tab.Click(`a[href$="/tasks"]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Tasks of all pools"`)
	look("list")
	tab.Eval(`document.querySelector("select[name=pool]").value = "jobs"`, nil)
	tab.Type(`input[name=q]`, "tenant-0")
	tab.Press("Enter")
	tab.Wait(`document.querySelectorAll("tbody tr").length === 10`)
	live(tab)
	tab.Click(box("tenant-03"))
	tab.Click(box("tenant-07"))
	assert.Equal(t, ": 2", tab.Text("#picked"))
	tab.Click(`.many button[value=pause]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Pause 2 tasks?"`)
	look("preview")
	tasks := rows(s.pool)
	assert.False(t, tasks["tenant-03"].Paused(), "nothing is done yet")
	tab.Click(`main button`)
	tab.Wait(`document.querySelector("h1")?.textContent === "2 tasks paused"`)
	look("done")
	assert.True(t, tasks["tenant-03"].Paused())
	assert.True(t, tasks["tenant-07"].Paused())
	assert.False(t, tasks["tenant-04"].Paused())
	tab.Click(`main a`)
	tab.Wait(`document.querySelectorAll(".s-paused").length === 2`)
	tab.Eval(`document.querySelector("select[name=state]").value = "paused"`, nil)
	tab.Click(`.search button`)
	tab.Wait(`document.querySelectorAll("tbody tr").length === 2`)
	tab.Click(`input[value=found]`)
	tab.Click(`.many button[value=resume]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Resume 2 tasks?"`)
	tab.Click(`main button`)
	tab.Wait(`document.querySelector("h1")?.textContent === "2 tasks resumed"`)
	assert.False(t, tasks["tenant-03"].Paused())
}

// TestWhatIsTickedStays has rows change, go and come back under a selection.
func TestWhatIsTickedStays(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := tab(t, chrome.Start(t))
	tab.Open(url + "tasks?pool=jobs&state=waiting&q=tenant")
	live(tab)
	tab.Click(`#pick-all`)
	assert.Equal(t, ": 20", tab.Text("#picked"))
	tab.Click(box("tenant-05"))
	assert.Equal(t, ": 19", tab.Text("#picked"))
	checked := func() (n int) {
		tab.Eval(`document.querySelectorAll("input[name=t]:checked").length`, &n)
		return n
	}
	tasks := rows(s.pool)
	require.True(t, tasks["tenant-01"].Pause())
	tab.Wait(`document.querySelectorAll("tbody tr").length === 19`)
	assert.Equal(t, 18, checked())
	tab.Wait(`document.getElementById("picked").textContent === ": 19, 1 of them not on this page any more"`)
	require.True(t, tasks["tenant-01"].Resume())
	tab.Wait(`document.querySelectorAll("tbody tr").length === 20`)
	assert.Equal(t, 19, checked(), "it is ticked when it is back")
	require.True(t, tasks["tenant-01"].Pause())
	tab.Wait(`document.querySelectorAll("tbody tr").length === 19`)
	tab.Click(`.many button[value=trigger]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Run 19 tasks now?"`)
}

// TestSeveralAtOnceByKeyboard ticks a row and confirms without a mouse.
func TestSeveralAtOnceByKeyboard(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := tab(t, chrome.Start(t))
	tab.Open(url + "tasks?q=fetch")
	live(tab)
	focus := func(js string) {
		t.Helper()
		for range 60 {
			var there bool
			tab.Eval(`(e => `+js+`)(document.activeElement)`, &there)
			if there {
				return
			}
			tab.Press("Tab")
		}
		t.Fatalf("the focus does not get to where %s", js)
	}
	focus(`e.name === "t"`)
	tab.Press("Space")
	time.Sleep(1500 * ms)
	var stays bool
	tab.Eval(`document.activeElement.name === "t" && document.activeElement.checked`, &stays)
	assert.True(t, stays, "the focus and the tick stay when the page changes")
	for range 40 {
		tab.Press("Shift+Tab")
		var there bool
		tab.Eval(`document.activeElement.textContent === "Pause…"`, &there)
		if there {
			break
		}
	}
	tab.Press("Space")
	tab.Wait(`document.querySelector("h1")?.textContent === "Pause 1 task?"`)
	focus(`e.textContent === "Pause 1 task"`)
	tab.Press("Enter")
	tab.Wait(`document.querySelector("h1")?.textContent === "1 task paused"`)
	assert.True(t, s.fetched.Handle.Paused())
}

// TestSeveralAtOnceWithoutScript does the same by forms alone: the list stays while rows are ticked.
func TestSeveralAtOnceWithoutScript(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := tab(t, chrome.Start(t))
	tab.Script(false)
	tab.Open(url + "pool/jobs/tasks?q=tenant-1")
	assert.Contains(t, tab.Text("body"), "Load it again")
	tab.Click(box("tenant-11"))
	tab.Click(box("tenant-12"))
	tab.Click(`.many button[value=pause]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Pause 2 tasks?"`)
	tab.Click(`main button`)
	tab.Wait(`document.querySelector("h1")?.textContent === "2 tasks paused"`)
	tab.Open(url + "pool/jobs/tasks?q=tenant-1")
	tab.Click(`input[value=page]`)
	tab.Click(`.many button[value=cancel]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Cancel 10 tasks?"`)
	tab.Click(`main button`)
	tab.Wait(`document.querySelector("h1")?.textContent === "10 tasks cancelled"`)
	assert.NotContains(t, rows(s.pool), "tenant-15")
	assert.Contains(t, rows(s.pool), "tenant-05")
}

// TestWhatIsTickedIsOfOneProcess starts the program again under a list in which a row is ticked: the
// tasks are others then.
func TestWhatIsTickedIsOfOneProcess(t *testing.T) {
	s := newService(t)
	first := s.page(inspect.Actions(anybody))
	var page atomic.Pointer[inspect.Page]
	page.Store(first)
	url := mounted(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page.Load().ServeHTTP(w, r)
	}))
	tab := chrome.Start(t).Tab(t) // that the stream ends is logged by the browser
	tab.Open(url + "tasks?q=tenant-00")
	live(tab)
	tab.Click(box("tenant-00"))
	assert.Equal(t, ": 1", tab.Text("#picked"))
	page.Store(s.page(inspect.Actions(anybody)))
	first.Close()
	tab.Wait(`document.getElementById("picked").textContent === ""`)
	var ticked bool
	tab.Eval(`document.querySelector("input[name=t]").checked`, &ticked)
	assert.False(t, ticked)
}

// TestAStaleSelection has a list that is open when the program is started again, a form from
// elsewhere, and a viewer who may not act any more.
func TestAStaleSelection(t *testing.T) {
	s := newService(t)
	var page atomic.Pointer[inspect.Page]
	page.Store(s.page(inspect.Actions(anybody)))
	url := mounted(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page.Load().ServeHTTP(w, r)
	}))
	tab := chrome.Start(t).Tab(t) // that it is refused is logged by the browser
	open := func() {
		t.Helper()
		tab.Open(url + "tasks?q=fetch")
		tab.Click(box("fetch"))
	}
	refused := func(why string) {
		t.Helper()
		tab.Wait(fmt.Sprintf(`document.body.textContent.includes(%q)`, why))
		assert.False(t, s.fetched.Handle.Paused())
	}
	open()
	tab.Eval(`document.querySelector("#many input[name=token]").value = "A".repeat(26)`, nil)
	tab.Click(`.many button[value=pause]`)
	refused("the token is missing")
	open()
	tab.Eval(`document.querySelector("input[name=of]").value = "another";
		document.querySelector(".many button[value=pause]").click()`, nil)
	refused("of another process")
	open()
	tab.Click(`.many button[value=pause]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Pause 1 task?"`)
	page.Store(s.page(inspect.Actions(anybody))) // started again
	tab.Click(`main button`)
	refused("select again")
	open()
	tab.Click(`.many button[value=pause]`)
	tab.Wait(`document.querySelector("h1")?.textContent === "Pause 1 task?"`)
	page.Store(s.page())
	tab.Click(`main button`)
	refused("changes nothing")
	page.Store(s.page(inspect.Actions(anybody)))
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<form method="post" action="%stasks/preview"><button name="do" value="pause">Win</button></form>`, url)
	}))
	t.Cleanup(evil.Close)
	tab.Open(evil.URL)
	tab.Click(`button`)
	refused("comes from elsewhere")
}

// TestHostileNamesAreSelected has them in a preview and in what was done.
func TestHostileNamesAreSelected(t *testing.T) {
	s := newService(t)
	p := executor.NewScheduledPool(1, executor.Name(hostile[1]))
	t.Cleanup(func() { _ = p.Close() })
	for _, name := range hostile {
		_, err := p.AtFixedRate(time.Hour, time.Hour, sleep(0), executor.Name(name))
		require.NoError(t, err)
	}
	url := mounted(t, inspect.Handler(s.pool, p).With(inspect.Actions(anybody),
		inspect.Logger(slog.New(slog.DiscardHandler))))
	tab := tab(t, chrome.Start(t))
	harmless := func(h1 string) {
		t.Helper()
		tab.Wait(fmt.Sprintf(`document.querySelector("h1")?.textContent === %q`, h1))
		for _, width := range []int{360, 1280} {
			tab.Size(width, 900)
			var strangers, over int
			tab.Eval(`document.querySelectorAll("main script, img, main b, [onmouseover], [onerror]").length`, &strangers)
			assert.Zero(t, strangers)
			tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
			assert.LessOrEqual(t, over, 0, "%s at %d", h1, width)
			assert.NotContains(t, tab.Text("body"), "\u202e")
			assert.Empty(t, tab.Axe())
		}
	}
	tab.Open(url + "tasks?pool=-2")
	live(tab)
	tab.Click(`#pick-all`)
	harmless("Tasks of all pools")
	tab.Click(`.many button[value=pause]`)
	harmless(fmt.Sprintf("Pause %d tasks?", len(hostile)))
	for _, h := range rows(p) {
		h.Pause()
	}
	tab.Click(`main button`)
	harmless(fmt.Sprintf("0 of %d tasks paused", len(hostile)))
	assert.Contains(t, tab.Text("main"), `<script>alert(1)</script>`)
	assert.Contains(t, tab.Text("main"), `right\u202eto left`)
}
