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
	"github.com/punctual-go/punctual/executor/insight"
)

// TestEachView goes to each view by its links, in each theme and at each width, and has it checked
// for what keeps people out.
func TestEachView(t *testing.T) {
	s := newService(t)
	time.Sleep(3 * time.Second) // so that there is something to see
	url := mounted(t, s.page(inspect.Actions(anybody)))
	picture := pictures(t)
	tab := tab(t, chrome.Start(t))
	tab.ReduceMotion()
	for _, view := range []struct{ name, path, heading string }{
		{"overview", "", "Schedulers"},
		{"pool", "pool/jobs/", "jobs"},
		{"plain", "pool/-2/", "mail, and more"},
		{"tasks", "pool/jobs/tasks", "Tasks of jobs"},
		{"all tasks", "tasks", "Tasks of all pools"},
		{"loop", "loop/session/", "session"},
		{"supervisor", "supervisor/registry/", "registry"},
		{"task", "", "broken"},
	} {
		t.Run(view.name, func(t *testing.T) {
			tab.Size(1280, 800)
			switch view.name {
			case "task":
				tab.Open(url + "pool/jobs/tasks")
				tab.Click(`th[scope=row] a[href*="task/"]`)
				tab.Wait(`document.querySelector("h1 bdi")?.textContent === "broken"`)
			default:
				tab.Open(url + view.path)
			}
			assert.Contains(t, tab.Text("h1"), view.heading)
			live(tab)
			for _, width := range []int{320, 1280, 2560} {
				tab.Size(width, 900)
				var over int
				tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
				assert.LessOrEqual(t, over, 0, "at %d pixels the page itself is too wide", width)
				for _, theme := range []string{"light", "dark"} {
					tab.Dark(theme == "dark")
					assert.Empty(t, tab.Axe(), "%s at %d", theme, width)
					tab.Screenshot(picture(fmt.Sprintf("%s-%d-%s", view.name, width, theme)))
				}
			}
		})
	}
}

// TestLive waits for a run to be seen that has just been.
func TestLive(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page())
	tab := tab(t, chrome.Start(t))
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	tab.Eval(`window.before = document.querySelector("tbody tr")`, nil)
	live(tab)
	tab.Eval(`new Promise(done => {
		const row = window.before;
		window.seen = 0;
		new MutationObserver(() => {
			if (!seen && row.lastElementChild.textContent === "1") seen = performance.timeOrigin + performance.now();
		}).observe(document.getElementById("live"), {subtree: true, childList: true, characterData: true});
		done(0);
	})`, nil)
	asked := time.Now()
	require.True(t, s.fetched.Trigger())
	tab.Wait(`window.seen > 0`)
	var seen float64
	tab.Eval(`window.seen`, &seen)
	t.Logf("a run was seen after %v", time.UnixMilli(int64(seen)).Sub(asked).Round(ms))
	var kept bool
	tab.Eval(`window.before === document.querySelector("tbody tr")`, &kept)
	assert.True(t, kept, "what has not changed stays")
}

// TestTheServerIsStartedAgain ends the server under a page that is open. Its shutdown does not wait
// for the stream; and when another is there, the page goes on by itself.
func TestTheServerIsStartedAgain(t *testing.T) {
	s := newService(t)
	l := listen(t, "127.0.0.1:0")
	address := l.Addr().String()
	server := serve(t, l, mux(s.page()))
	tab := chrome.Start(t).Tab(t) // that the server is away is logged by the browser
	tab.Open("http://" + address + "/punctual/pool/jobs/")
	live(tab)
	shutDown(t, server)
	tab.Wait(`document.getElementById("state").className === "off"`)
	require.NoError(t, s.pool.Close())
	serve(t, listen(t, address), mux(s.page()))
	live(tab)
	tab.Wait(`document.querySelector(".ending")?.textContent.startsWith("Shut down")`)
	for _, p := range tab.Problems() {
		assert.True(t, strings.Contains(p, "ERR_") || strings.Contains(p, "Failed to load"), p)
	}
}

// TestTenTabs has more tabs than a browser has connections to a server: those that are hidden need
// none.
func TestTenTabs(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page())
	b := chrome.Start(t)
	for i := range 10 {
		tab := tab(t, b)
		tab.Open(url + "pool/jobs/")
		live(tab)
		if i < 9 {
			tab.Hidden(true)
		}
	}
}

func TestAHiddenTabHasNoStream(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page())
	tab := tab(t, chrome.Start(t))
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	live(tab)
	tab.Hidden(true)
	time.Sleep(1500 * ms)
	require.True(t, s.fetched.Trigger())
	time.Sleep(2500 * ms)
	var runs string
	tab.Eval(`document.querySelector("tbody tr").lastElementChild.textContent`, &runs)
	assert.Equal(t, "0", runs)
	tab.Hidden(false)
	tab.Wait(`document.querySelector("tbody tr").lastElementChild.textContent === "1"`)
}

func TestWithoutScript(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page(inspect.Actions(anybody)))
	tab := tab(t, chrome.Start(t))
	tab.Script(false)
	tab.Open(url)
	assert.Contains(t, tab.Text("#state"), "as of")
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	tab.Click(`td.buttons button[value=pause]`)
	require.Eventually(t, s.fetched.Handle.Paused, 20*time.Second, ms)
}

// TestHostileNames looks at names that try to become something else: nothing of them is run or
// shown as what it is not.
func TestHostileNames(t *testing.T) {
	s := newService(t)
	for _, name := range hostile {
		_, err := s.pool.AtFixedRate(0, 300*ms, sleep(20*ms), executor.Name(name))
		require.NoError(t, err)
	}
	evil := executor.NewScheduledPool(1, executor.Name(hostile[0]),
		executor.Watch(insight.Config{History: true}))
	t.Cleanup(func() { _ = evil.Close() })
	page := inspect.Handler(s.pool, evil).With(inspect.Actions(anybody))
	url := mounted(t, page)
	tab := tab(t, chrome.Start(t))
	tab.Size(1280, 900)
	for _, path := range []string{"", "pool/jobs/", "pool/jobs/tasks", "pool/-2/", "pool/-2/tasks",
		"pool/jobs/tasks?q=%3Cscript%3E&state=%22%3E&sort='"} {
		tab.Open(url + path)
		live(tab)
		time.Sleep(1200 * ms) // the next snapshot comes by the stream
		var strangers, over int
		tab.Eval(`document.querySelectorAll("main script, img, main b, [onmouseover], [onerror]").length`, &strangers)
		assert.Zero(t, strangers, path)
		tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
		assert.LessOrEqual(t, over, 0, path)
		assert.NotContains(t, tab.Text("body"), "\u202e")
		assert.Empty(t, tab.Axe())
	}
	tab.Open(url + "pool/jobs/tasks")
	assert.Contains(t, tab.Text("main"), `<script>alert(1)</script>`)
	assert.Contains(t, tab.Text("main"), `right\u202eto left`)
	assert.Contains(t, tab.Text("main"), `nul\x00byte`)
}

// TestMoreViewersThanStreams: whoever gets no stream is still shown what happens, now and then.
func TestMoreViewersThanStreams(t *testing.T) {
	s := newService(t)
	page := s.page()
	page.Close() // no stream begins
	url := mounted(t, page)
	tab := chrome.Start(t).Tab(t) // that it is refused is logged by the browser
	tab.Open(url + "pool/jobs/tasks?q=fetch")
	tab.Wait(`document.getElementById("state").className === "off"`)
	require.True(t, s.fetched.Trigger())
	tab.Wait(`document.querySelector("tbody tr").lastElementChild.textContent === "1"`)
	for _, p := range tab.Problems() {
		assert.Contains(t, p, "503")
	}
}

// TestThePointerTellsABin moves it over the strip.
func TestThePointerTellsABin(t *testing.T) {
	s := newService(t)
	url := mounted(t, s.page())
	tab := tab(t, chrome.Start(t))
	tab.Open(url + "pool/jobs/")
	live(tab)
	tab.Click(`#strip g:last-of-type rect:last-of-type`)
	tab.Wait(`document.getElementById("tell").textContent.includes("planned,")`)
}
