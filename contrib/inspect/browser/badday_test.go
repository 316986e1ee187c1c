//go:build unix

package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
)

// screens are those of a telephone, of a desk and of a wall.
var screens = []struct{ width, height int }{{360, 800}, {1280, 900}, {2560, 1300}}

// faults are what is wrong in a replica of the shop, in order; each in the words of one line.
var faults = []string{
	`dead|parse prices|in run 1|no digits in "n/a"`,
	`stuck|sync stock|run 1 has taken|its timeout was 1 s`,
	`failing|fetch rates|runs in a row failed, since|502 Bad Gateway`,
	`failing|charge cards|runs in a row failed, since|no column "currency"`,
	`refusing|mail|submissions refused since`,
	`overdue|imports|no worker has been free for|import of Ångström AB`,
	`overdue|mail|no worker has been free for|order confirmation 1`,
	`behind|export orders|its runs take longer than its period of 100 ms since|periods missed in all`,
}

// firstScreen returns the texts of the elements that are shown whole without scrolling.
func firstScreen(tab *chrome.Tab, selector string) (texts []string) {
	tab.Eval(fmt.Sprintf(`(scrollTo(0, 0), [...document.querySelectorAll(%q)].filter(e => {
		const box = e.getBoundingClientRect();
		return box.height && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight &&
			box.right <= innerWidth;
	}).map(e => e.textContent.replace(/\s+/g, " ")))`, selector), &texts)
	return texts
}

// says reports whether a text has all of these words.
func says(text, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// faulty waits until all lines of what is wrong are there, in their order.
func faulty(tab *chrome.Tab, faults ...string) {
	tab.Wait(fmt.Sprintf(`(() => {
		const lines = [...document.querySelectorAll(".wrong li")].map(e => e.textContent);
		return %#q.split("\n").every((words, i) =>
			words.split("|").every(word => lines[i].includes(word)));
	})()`, strings.Join(faults, "\n")))
}

// press presses an element, wherever it stands: new faults push down what is below them, so a mouse
// might miss it.
func press(tab *chrome.Tab, js string) {
	tab.Wait(js)
	tab.Eval(js+`.click()`, nil)
}

// link follows the first link of the main part that has a text.
func link(tab *chrome.Tab, text string) {
	press(tab, fmt.Sprintf(
		`[...document.querySelectorAll("main a")].find(a => a.textContent === %q)`, text))
}

// look looks at a view on each screen, in each theme. What is wrong has to be the first thing there:
// all of it, or as many lines as a small screen has room for.
func look(
	t *testing.T, tab *chrome.Tab, picture func(string) string, name string, small int, first []string,
) {
	t.Helper()
	for _, screen := range screens {
		tab.Size(screen.width, screen.height)
		var over int
		tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
		assert.LessOrEqual(t, over, 0, "%s at %d pixels is too wide", name, screen.width)
		headings := firstScreen(tab, "main :is(h1, h2, caption)")
		if assert.GreaterOrEqual(t, len(headings), 2) {
			assert.Equal(t, "What is wrong", headings[1], "%s at %d", name, screen.width)
		}
		shown := firstScreen(tab, ".wrong li")
		for i, words := range first {
			if i == small && screen.width < 1000 {
				break
			}
			if assert.Greater(t, len(shown), i, "%s at %d: %s", name, screen.width, words) {
				assert.True(t, says(shown[i], words), "%s at %d: %s\nis not %s",
					name, screen.width, shown[i], words)
			}
		}
		for _, theme := range []string{"light", "dark"} {
			tab.Dark(theme == "dark")
			assert.Empty(t, tab.Axe(), "%s, %s at %d", name, theme, screen.width)
			tab.Screenshot(picture(fmt.Sprintf("badday-%s-%d-%s", name, screen.width, theme)))
		}
	}
	tab.Size(1280, 900)
	tab.Dark(false)
}

// TestABadDay has two replicas of a service with all that can be wrong at once. Each fault has to be
// on the first screen, the worst first, and each question that one asks then has to be answered
// within three clicks from there.
func TestABadDay(t *testing.T) {
	start := processes(t, "./internal/shop/replica")
	before := start("-version", "v1")
	after := start("-version", "v2", "-cards-fail")
	fleet := inspect.FleetHandler(inspect.Address("http://"+before.address+"/punctual/"),
		inspect.Address("http://"+after.address+"/punctual/"))
	t.Cleanup(fleet.Close)
	ofFleet := mounted(t, fleet)
	url := "http://" + after.address + "/punctual/"
	picture := pictures(t)
	tab := tab(t, chrome.Start(t))
	tab.ReduceMotion()
	tab.Size(1280, 900)
	tab.Zone("America/New_York")

	index := func() {
		tab.Open(url)
		live(tab)
	}
	index()
	link(tab, "All periodic tasks")
	link(tab, "reconcile")
	tab.Click(`button[value=pause]`)
	tab.Wait(`document.getElementById("did")?.textContent === "Paused."`)
	// What is wrong? No click.
	index()
	faulty(tab, faults...) // the last of them takes ten seconds, and gets worse after a minute
	look(t, tab, picture, "index", 5, faults)
	done := strings.Join(firstScreen(tab, ".deeds li"), "")
	assert.True(t, says(done, "reconcile|in jobs|paused by alice"), done)

	// Who paused this? The index says it, and the task with one click.
	index()
	link(tab, "reconcile")
	tab.Wait(`/Paused on this page at .* by alice\./.test(document.querySelector(".note").textContent)`)
	usable(t, tab, picture, "badday-paused")

	// When does it run next, in my time zone? One click.
	index()
	link(tab, "All periodic tasks")
	tab.Wait(`/GMT-[45] here\)/.test([...document.querySelectorAll("table.tasks tbody tr")].find(row =>
		row.textContent.includes("nightly report")).textContent)`)

	// Why did the nightly job not run? Two clicks.
	link(tab, "nightly report")
	tab.Wait(`["before this process", "02:30 comes twice: the first", "the clock goes from 02:00 to 03:00",
		"at 02:30 on the last Sunday of March and October, Europe/Berlin", "here)"].every(
			words => document.querySelector("main").textContent.includes(words))`)
	usable(t, tab, picture, "badday-nightly")

	// What is this worker doing? Two clicks, in the code of the service. It is asked of the other
	// replica, as each rests after a stack.
	tab.Open("http://" + before.address + "/punctual/")
	live(tab)
	link(tab, "imports")
	press(tab, `document.querySelector("td button[value=stack]")`)
	tab.Wait(`document.querySelector("#stood pre")?.textContent.includes("shop.(*Shop).hang")`)
	assert.Empty(t, tab.Axe())

	// Where does it hang, and what has it said? One click each.
	index()
	press(tab, `document.querySelector(".wrong button[value=stack]")`)
	tab.Wait(`document.querySelector("#stood pre")?.textContent.includes("shop.(*Shop).waitForWarehouse")`)
	index()
	link(tab, "sync stock")
	tab.Wait(`["waiting for the warehouse", "120 of 800"].every(
		words => document.querySelector("main").textContent.includes(words))`)

	// Where did it panic? One click.
	index()
	link(tab, "parse prices")
	tab.Wait(`document.querySelector("main").textContent.includes("shop.parsePrices")`)
	assert.Empty(t, tab.Axe())

	// Which jobs fail since the deploy? The fleet says it, also when a replica has been killed.
	tab.Open(ofFleet)
	live(tab)
	failing := `failing|only in this version|charge cards|no column "currency"|v2`
	faulty(tab, "dead|parse prices|2 processes", "stuck|sync stock|2 processes", failing,
		"failing|fetch rates|up to|2 processes")
	before.kill()
	faulty(tab, "silent|connection refused|v1", "dead|parse prices|ended by a failure|v2")
	look(t, tab, picture, "fleet", 4, []string{"silent|connection refused|" + before.address,
		"dead|parse prices", "stuck|sync stock", failing, "failing|fetch rates", "refusing|mail",
		"overdue|imports", "overdue|mail", "behind|export orders"})
}
