//go:build unix

package browser

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/calendar"
)

// TestTheTimeInTheViewersZone sees a time of a schedule in Berlin from India, also once the page
// has changed, and from Berlin as it is.
func TestTheTimeInTheViewersZone(t *testing.T) {
	p := executor.NewScheduledPool(1, executor.Name("jobs"))
	t.Cleanup(func() { _ = p.Close() })
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	yearly := calendar.Yearly(calendar.At(2, 30), time.January, calendar.Day(15)).In(berlin)
	_, err = p.On(yearly, sleep(0), executor.Name("report"))
	require.NoError(t, err)
	url := mounted(t, inspect.Handler(p))
	tab := tab(t, chrome.Start(t))
	for _, view := range []struct{ zone, own string }{
		{"Asia/Kolkata", " 07:00:00 GMT+5:30 here)"},
		{"America/New_York", " 20:30:00 GMT-5 here)"}, // the day before
	} {
		tab.Zone(view.zone)
		tab.Open(url + "pool/jobs/tasks")
		assert.Contains(t, tab.Text("tbody time"), " 02:30:00 CET (")
		assert.Contains(t, tab.Text("tbody time"), view.own)
		live(tab)
		time.Sleep(1500 * ms)
		assert.Contains(t, tab.Text("tbody time"), view.own)
		tab.Click(`th[scope=row] a`)
		tab.Wait(`document.querySelector("h1 bdi")?.textContent === "report"`)
		assert.Contains(t, tab.Text(".facts time"), view.own)
		tab.Size(320, 900)
		var over int
		tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
		assert.LessOrEqual(t, over, 0, "the page is too wide")
		assert.Empty(t, tab.Axe())
		tab.Size(1280, 800)
	}
	tab.Screenshot(pictures(t)("schedule"))
	tab.Zone("Europe/Madrid")
	tab.Open(url + "pool/jobs/tasks")
	assert.NotContains(t, tab.Text("tbody time"), "here")
}
