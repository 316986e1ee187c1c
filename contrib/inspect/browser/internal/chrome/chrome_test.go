//go:build unix

package chrome

import (
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// policy is a strict content security policy. The pages of the tests carry it
// to show that it does not hold up the tools of a tab.
const policy = "default-src 'self'; script-src 'self'; object-src 'none'; " +
	"require-trusted-types-for 'script'; trusted-types punctual"

// serve answers each path with a body. A path that ends in .js is a script and
// any other one a page, under the policy unless its path begins with /free/. Other paths are not
// found.
func serve(t *testing.T, bodies map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.URL.Path]
		switch {
		case r.URL.Path == "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
			return
		case !ok:
			http.NotFound(w, r)
			return
		case strings.HasSuffix(r.URL.Path, ".js"):
			w.Header().Set("Content-Type", "text/javascript")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		if !strings.HasPrefix(r.URL.Path, "/free/") {
			w.Header().Set("Content-Security-Policy", policy)
		}
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// html is a page with a title and a body.
func html(title, body string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>` + title +
		`</title></head><body><main><h1>` + title + `</h1>` + body + `</main></body></html>`
}

// quiet fails the test for each problem of a tab.
func quiet(t *testing.T, tab *Tab) {
	t.Helper()
	for _, line := range tab.Problems() {
		t.Errorf("problem: %s", line)
	}
}

// has fails the test unless a line holds all of the words.
func has(t *testing.T, lines []string, words ...string) {
	t.Helper()
	if !slices.ContainsFunc(lines, func(line string) bool {
		return !slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(line, word)
		})
	}) {
		t.Errorf("no line holds %q in\n%s", words, strings.Join(lines, "\n"))
	}
}

func TestTab(t *testing.T) {
	url := serve(t, pages)
	browser := Start(t)
	for _, test := range []struct {
		name string
		run  func(t *testing.T, tab *Tab, url string)
	}{
		{"open", testOpen},
		{"eval", testEval},
		{"mouse", testMouse},
		{"keyboard", testKeyboard},
		{"size", testSize},
		{"media", testMedia},
		{"script", testScript},
		{"hidden", testHidden},
		{"screenshot", testScreenshot},
		{"problems", testProblems},
		{"unreachable", testUnreachable},
		{"axe", testAxe},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, browser.Tab(t), url) })
	}
	t.Run("cookies", func(t *testing.T) { testCookies(t, browser, url) })
	t.Run("failures", func(t *testing.T) { testFailures(t, browser, url) })
}

var pages = map[string]string{
	"/":      html("Plain", `<p id="text">Some <b>text</b></p><p hidden>not seen</p>`),
	"/moved": html("Moved", `<script src="/moved.js"></script>`),
	"/moved.js": `location.replace("/");
		const end = Date.now() + 100; while (Date.now() < end);`,
	"/form": html("Form", `<form>
		<label>Name <input id="name" value="Dr. "></label>
		<label><input type="checkbox" id="box"> Box</label>
		<label><input type="radio" name="r" id="r1" checked> One</label>
		<label><input type="radio" name="r" id="r2"> Two</label>
		<canvas height="3000"></canvas><button type="button" id="go">Go</button></form>
		<output id="out"></output><script src="/form.js"></script>`),
	"/form.js": `const out = document.getElementById("out");
		const say = text => { out.textContent += text + ";"; };
		document.getElementById("go").addEventListener("click", e => say("go:" + e.isTrusted));
		document.querySelector("form").addEventListener("submit", e => {
			e.preventDefault(); say("submit");
		});
		addEventListener("keydown", e => { if (e.key === "Escape") say("escape"); });`,
	"/noscript": html("Script", `<p id="text">static</p><noscript><p id="no">no script</p>
		</noscript><script src="/noscript.js"></script>`),
	"/noscript.js": `document.getElementById("text").textContent = "dynamic";`,
	"/hidden":      html("Hidden", `<p id="text"></p><script src="/hidden.js"></script>`),
	"/hidden.js": `document.addEventListener("visibilitychange", () => {
		document.getElementById("text").textContent += document.visibilityState + ";"; });`,
	"/tall": html("Tall", `<canvas height="2500"></canvas>`),
	"/bad": html("Bad", `<p id="sink"></p><script>document.title = "inline";</script>
		<img src="/missing.png" alt="missing"><script src="/bad.js"></script>`),
	"/bad.js": `console.error("an error", 7, {a: 1}); console.warn("a warning");
		console.log("only a message"); console.assert(1 > 2, "an assertion");
		setTimeout(() => { throw new Error("uncaught one"); });
		Promise.reject(new Error("rejected one"));
		try { document.getElementById("sink").innerHTML = "<b>x</b>"; } catch {}
		const stop = new AbortController();
		fetch("/tall", {signal: stop.signal}).catch(() => {}); stop.abort();`,
	"/outside.js": `Promise.allSettled([fetch("//127.0.0.1:1/"), fetch("//example.com/")])
		.then(() => { document.title = "Done"; });`,
	"/outside":      html("Outside", `<script src="/outside.js"></script>`),
	"/free/outside": html("Outside", `<script src="/outside.js"></script>`),
	"/free/faults": html("Faults", `<input id="lost"><img src="data:image/gif;base64,`+
		`R0lGODlhAQABAAAAACw=">`),
}

func testOpen(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/")
	if got, want := tab.Text("#text"), "Some text"; got != want {
		t.Errorf("the text is %q, not %q", got, want)
	}
	if got := tab.Text("main"); strings.Contains(got, "not seen") {
		t.Errorf("the text has a hidden part: %q", got)
	}
	tab.Open(url + "/#text")
	tab.Wait(`location.hash === "#text"`)
	tab.Open(url + "/moved")
	if got, want := tab.Text("h1"), "Plain"; got != want {
		t.Errorf("after a redirect the heading is %q, not %q", got, want)
	}
	quiet(t, tab)
	tab.Open(url + "/nowhere")
	has(t, tab.Problems(), "404", "/nowhere")
}

func testEval(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/")
	var sum int
	tab.Eval(`1 + 2`, &sum)
	var late struct{ Title string }
	tab.Eval(`new Promise(done => setTimeout(() => done({title: document.title}), 10))`, &late)
	if sum != 3 || late.Title != "Plain" {
		t.Errorf("evaluated to %d and %+v", sum, late)
	}
	tab.Eval(`setTimeout(() => { document.body.append("later") }, 100)`, nil)
	tab.Wait(`document.body.textContent.includes("later")`)
	tab.Eval(`setTimeout(() => { window.late = {ready: Promise.resolve(true)} }, 100)`, nil)
	tab.Wait(`late.ready`)
	quiet(t, tab)
}

func testMouse(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/form")
	tab.Click("#go")
	tab.Wait(`document.getElementById("out").textContent === "go:true;"`)
	tab.Click("#box")
	tab.Wait(`document.getElementById("box").checked`)
	quiet(t, tab)
}

func testKeyboard(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/form")
	tab.Type("#name", "Zoë <1>")
	tab.Wait(`document.getElementById("name").value === "Dr. Zoë <1>"`)
	focus := func(id string) {
		t.Helper()
		tab.Wait(`document.activeElement.id === "` + id + `" && document.hasFocus() &&
			document.activeElement.matches(":focus-visible")`)
	}
	tab.Press("Enter", "Escape")
	tab.Wait(`document.getElementById("out").textContent === "submit;escape;"`)
	tab.Press("Tab")
	focus("box")
	tab.Press("Space")
	tab.Wait(`document.getElementById("box").checked`)
	tab.Press("Tab", "ArrowDown")
	focus("r2")
	tab.Press("ArrowLeft")
	focus("r1")
	tab.Press("Tab", "Enter")
	tab.Wait(`document.getElementById("out").textContent.endsWith("go:true;")`)
	tab.Press("Shift+Tab", "Shift+Tab", "Shift+Tab", "Control+a", "x", "y", "Backspace")
	focus("name")
	tab.Wait(`document.getElementById("name").value === "x"`)
	quiet(t, tab)
}

func testSize(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/")
	for _, size := range [][2]int{{320, 568}, {1440, 900}} {
		tab.Size(size[0], size[1])
		tab.Wait(fmt.Sprintf(`innerWidth === %d && innerHeight === %d`, size[0], size[1]))
	}
}

func testMedia(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/")
	tab.ReduceMotion()
	for _, on := range []bool{true, false} {
		tab.Dark(on)
		tab.Wait(fmt.Sprintf(`matchMedia("(prefers-color-scheme: dark)").matches === %t`, on))
		tab.Wait(`matchMedia("(prefers-reduced-motion: reduce)").matches`)
	}
}

func testScript(t *testing.T, tab *Tab, url string) {
	for _, on := range []bool{false, true} {
		tab.Script(on)
		tab.Open(url + "/noscript")
		want := map[bool]string{false: "static", true: "dynamic"}[on]
		if got := tab.Text("#text"); got != want {
			t.Errorf("with scripts %t the text is %q, not %q", on, got, want)
		}
		tab.Wait(fmt.Sprintf(`!document.getElementById("no") === %t`, on))
	}
	tab.Script(false)
	tab.Open(url + "/free/faults")
	has(t, tab.Axe(), "critical: label:", "#lost")
	tab.Open(url + "/form")
	tab.Click("#box")
	tab.Type("#name", "A")
	tab.Wait(`document.getElementById("box").checked`)
	tab.Wait(`document.getElementById("name").value === "Dr. A"`)
	tab.Wait(`document.getElementById("out").textContent === ""`)
	quiet(t, tab)
	tab.Open(url + "/noscript")
	if got, want := tab.Text("#text"), "static"; got != want {
		t.Errorf("after Axe the text is %q, not %q", got, want)
	}
	quiet(t, tab)
}

func testHidden(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/hidden")
	tab.Wait(`!document.hidden && document.visibilityState === "visible"`)
	tab.Hidden(true)
	tab.Wait(`document.hidden && document.getElementById("text").textContent === "hidden;"`)
	tab.Hidden(false)
	tab.Wait(`!document.hidden &&
		document.getElementById("text").textContent === "hidden;visible;"`)
	tab.Wait(`new Promise(requestAnimationFrame)`)
	quiet(t, tab)
}

func testScreenshot(t *testing.T, tab *Tab, url string) {
	tab.Size(400, 300)
	tab.Open(url + "/tall")
	path := filepath.Join(t.TempDir(), "tall.png")
	tab.Screenshot(path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	picture, err := png.DecodeConfig(file)
	if err != nil || picture.Width != 400 || picture.Height < 2500 {
		t.Errorf("the picture is %d by %d, %v", picture.Width, picture.Height, err)
	}
}

func testProblems(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/")
	quiet(t, tab)
	tab.Open(url + "/bad")
	tab.Wait(`document.title === "Bad"`)
	lines := tab.Problems()
	has(t, lines, "csp: script-src-elem blocked inline")
	has(t, lines, "csp: require-trusted-types-for blocked trusted-types-sink")
	has(t, lines, "console.error: an error 7", "/bad.js:1")
	has(t, lines, "console.warning: a warning")
	has(t, lines, "console.assert: an assertion")
	has(t, lines, "exception:", "uncaught one", "/bad.js:3")
	has(t, lines, "exception:", "rejected one")
	has(t, lines, "404", "/missing.png")
	for _, line := range lines {
		if strings.Contains(line, "only a message") || strings.Contains(line, "/tall") {
			t.Errorf("this is no problem: %s", line)
		}
	}
}

func testUnreachable(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/outside")
	tab.Wait(`document.title === "Done"`)
	has(t, tab.Problems(), "csp: connect-src blocked http://127.0.0.1:1/")
	tab.Open(url + "/free/outside")
	tab.Wait(`document.title === "Done"`)
	lines := tab.Problems()
	has(t, lines, "request failed: http://127.0.0.1:1/: net::ERR_UNSAFE_PORT")
	has(t, lines, "request failed: http://example.com/: net::ERR_NAME_NOT_RESOLVED")
}

func testAxe(t *testing.T, tab *Tab, url string) {
	tab.Open(url + "/")
	if lines := tab.Axe(); len(lines) > 0 {
		t.Errorf("a clean page has faults:\n%s", strings.Join(lines, "\n"))
	}
	tab.Open(url + "/free/faults")
	lines := tab.Axe()
	has(t, lines, "critical: label:", "#lost")
	has(t, lines, "critical: image-alt:", "img")
	tab.Eval(`document.getElementById("lost").remove(), document.querySelector("img").remove()`,
		nil)
	if lines := tab.Axe(); len(lines) > 0 {
		t.Errorf("a mended page has faults:\n%s", strings.Join(lines, "\n"))
	}
}

func testCookies(t *testing.T, browser *Browser, url string) {
	one, two := browser.Tab(t), browser.Tab(t)
	one.Open(url + "/")
	one.Eval(`document.cookie = "shared=yes"`, nil)
	two.Open(url + "/")
	two.Wait(`document.cookie === "shared=yes"`)
	// Both tabs are in front for their pages.
	for _, tab := range []*Tab{one, two} {
		tab.Wait(`!document.hidden && document.hasFocus()`)
		tab.Wait(`new Promise(requestAnimationFrame)`)
	}
}

// A recorder is a test that keeps its failure instead of failing.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	panic(r)
}

// failure runs f on the tab and returns what it failed with.
func failure(t *testing.T, tab *Tab, f func()) (text string) {
	t.Helper()
	held := &recorder{TB: t}
	tab.t = held
	defer func() {
		tab.t = t
		if cause := recover(); cause != nil && cause != any(held) {
			panic(cause)
		}
		text = held.failure
	}()
	f()
	return ""
}

func testFailures(t *testing.T, browser *Browser, url string) {
	tab := browser.Tab(t)
	tab.limit = 20 * pause
	tab.Open(url + "/")
	for _, test := range []struct {
		run   func()
		words []string
	}{
		{func() { tab.Wait(`document.missing`) },
			[]string{"document.missing", "title: Plain", "text: Plain", "Some text"}},
		{func() { tab.Wait(`nothing.at.all`) }, []string{"ReferenceError", "title: Plain"}},
		{func() { tab.Wait(`1 +`) }, []string{"SyntaxError"}},
		{func() { tab.Wait(`new Promise(() => {})`) }, []string{"deadline", "title: Plain"}},
		{func() { tab.Eval(`throw new Error("mine")`, nil) }, []string{"Error: mine"}},
		{func() { tab.Text("#none") }, []string{"#none", "title: Plain"}},
		{func() { tab.Click("#none") }, []string{"no such element"}},
		{func() { tab.Click("[hidden]") }, []string{"no size"}},
		{func() { tab.Press("Hyperspace") }, []string{"Hyperspace", "no key"}},
		{func() { tab.Open("http://example.com/") }, []string{"ERR_NAME_NOT_RESOLVED"}},
	} {
		text := failure(t, tab, test.run)
		has(t, []string{text}, test.words...)
	}
}
