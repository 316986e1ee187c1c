//go:build unix

package browser

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/chrome"
)

// worker is a process of a fleet.
type worker struct {
	cmd     *exec.Cmd
	address string
}

// kill ends the process at once, as a machine that fails does.
func (w *worker) kill() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// workers builds the program and returns what starts processes of it.
func workers(t *testing.T) func(args ...string) *worker {
	t.Helper()
	start := processes(t, "./internal/worker")
	return func(args ...string) *worker { return start(append(args, "-token", "secret")...) }
}

// processes builds a program, which prints its address when it listens, and returns what starts it.
func processes(t *testing.T, source string) func(args ...string) *worker {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", program, source)
	build.Stderr = os.Stderr
	require.NoError(t, build.Run())
	return func(args ...string) *worker {
		w := &worker{cmd: exec.Command(program, args...)}
		w.cmd.Stderr = os.Stderr
		out, err := w.cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, w.cmd.Start())
		t.Cleanup(w.kill)
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		w.address = strings.TrimSpace(line)
		return w
	}
}

// row waits for a row of a table that has all of these texts.
func row(tab *chrome.Tab, caption string, has ...string) {
	tab.Wait(fmt.Sprintf(`[...document.querySelectorAll("table")].some(table =>
		table.caption.textContent === %q && [...table.tBodies[0].rows].some(row =>
			%#q.split("|").every(text => row.textContent.includes(text))))`, caption, strings.Join(has, "|")))
}

// TestAFleet watches three processes on one page while one of them is killed and then started again,
// in another version that fails.
func TestAFleet(t *testing.T) {
	start := workers(t)
	var members []inspect.Member
	var list []*worker
	for range 3 {
		w := start()
		list = append(list, w)
		members = append(members, inspect.Address("http://"+w.address+"/"))
	}
	fleet := inspect.FleetHandler(members...).With(inspect.BearerToken("secret"))
	t.Cleanup(fleet.Close)
	url := mounted(t, fleet)
	picture := pictures(t)
	tab := tab(t, chrome.Start(t))
	tab.Size(1280, 900)
	tab.Open(url)
	live(tab)
	for _, w := range list {
		row(tab, "Processes", w.address, "ok", "v1")
	}
	row(tab, "Tasks, by version", "import", "v1", "3")
	usable(t, tab, picture, "fleet")

	gone := list[2]
	gone.kill()
	row(tab, "Processes", gone.address, "silent", "connection refused")
	tab.Wait(`document.querySelector(".wrong")?.textContent.includes("connection refused")`)
	start("-address", gone.address, "-version", "v2", "-fail", "<b>no such column</b>")
	row(tab, "Processes", gone.address, "failing", "v2")
	row(tab, "Gone", gone.address, "another process has its address", "v1")
	row(tab, "Tasks, by version", "import", "v2", "failing", "only in this version", "<b>no such column</b>")
	row(tab, "Tasks, by version", "import", "v1", "1 gone")
	usable(t, tab, picture, "fleet-deployed")

	tab.Click(`.wrong a[href*="task/"]`)
	tab.Wait(`document.querySelector("h1 bdi")?.textContent === "import"`)
	live(tab)
	usable(t, tab, picture, "fleet-task")
	tab.Click(`table.past tbody a`)
	tab.Wait(`document.querySelector("h1")?.textContent.includes("due at")`)
	usable(t, tab, picture, "fleet-run")
	tab.Click(`table.past a[href*="process/"]`)
	tab.Wait(`document.querySelector("dl.facts")?.textContent.includes("its own page")`)
	usable(t, tab, picture, "fleet-process")
	tab.Open(url + "tasks?q=imp")
	row(tab, "Tasks, by version", "import", "v2")
	usable(t, tab, picture, "fleet-tasks")
	tab.Script(false)
	tab.Open(url)
	assert.Contains(t, tab.Text("main"), "no such column")
}

// usable has a view looked at in each theme at the widths of a telephone and of a desk.
func usable(t *testing.T, tab *chrome.Tab, picture func(string) string, name string) {
	t.Helper()
	for _, width := range []int{360, 1280} {
		tab.Size(width, 900)
		var over int
		tab.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
		assert.LessOrEqual(t, over, 0, "%s at %d pixels is too wide", name, width)
		for _, theme := range []string{"light", "dark"} {
			tab.Dark(theme == "dark")
			assert.Empty(t, tab.Axe(), "%s, %s at %d", name, theme, width)
			tab.Screenshot(picture(fmt.Sprintf("%s-%d-%s", name, width, theme)))
		}
	}
}
