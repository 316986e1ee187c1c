package executor_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const firstPage = "../README.md"

// TestEachGoBlockOfTheReadmeIsAWholeFile looks for each block that is no program among the files of
// docs/snippets/readme, where it is compiled with its imports, and run.
func TestEachGoBlockOfTheReadmeIsAWholeFile(t *testing.T) {
	files, err := filepath.Glob("../docs/snippets/readme/*_test.go")
	require.NoError(t, err)
	compiled := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		compiled[string(text)] = true
	}
	whole := 0
	for _, b := range blocks(t) {
		if b.page == firstPage && b.language == "go" && !b.program() {
			whole++
			assert.True(t, compiled[b.text], "no file of docs/snippets/readme is\n%s", b.text)
		}
	}
	assert.Positive(t, whole)
}

func TestTheReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(firstPage)
	require.NoError(t, err)
	prose := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(string(text), "")
	assert.LessOrEqual(t, len(strings.Fields(prose)), 1200, "words, without code")
}

// folders are the packages that the first page names. Of a pool it names methods.
var folders = map[string]string{
	"executor": ".", "pool": ".",
	"bulk": "bulk", "debounce": "debounce", "eventloop": "eventloop", "insight": "insight",
	"queue": "queue", "rejection": "rejection", "retry": "retry", "serial": "serial", "state": "state",
	"supervisor": "supervisor", "workflow": "workflow",
	"cron": "../timer/cron", "delayqueue": "../delayqueue", "inspect": "../contrib/inspect",
	"hashedwheel": "../timer/hashedwheel", "hierarchical": "../timer/hierarchical",
	"revolver": "../timer/revolver",
}

// entries are names that the first page need not have, and which need an example as well.
var entries = []string{
	"executor.SubmitContext", "executor.CatchUp", "executor.Ticks", "executor.Pace",
	"pool.Apply", "pool.Plan", "pool.Submit", "pool.Execute", "pool.SubmitContext", "pool.Run", "pool.CloseContext",
	"pool.ShutdownNow",
	"bulk.NewCompletionService", "bulk.InvokeAnyHedged",
	"queue.FIFO", "queue.HandOff", "queue.Priority", "queue.Custom",
	"rejection.Abort", "rejection.Discard", "rejection.DiscardOldest",
	"retry.Backoff", "retry.After", "retry.Permanent",
	"insight.SuccessWithin", "insight.StartWithin", "serial.Gap", "workflow.New",
}

// TestWhatTheFirstPageNamesHasAnExample looks for an example of each function, type and method that
// README.md names, as the documentation of its package shows it.
func TestWhatTheFirstPageNamesHasAnExample(t *testing.T) {
	text, err := os.ReadFile(firstPage)
	require.NoError(t, err)
	name := regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)
	found := 0
	for _, m := range name.FindAllStringSubmatch(string(text)+strings.Join(entries, " "), -1) {
		folder, ours := folders[m[1]]
		if !ours {
			continue // of the standard library, or a variable
		}
		found++
		receiver := ""
		if m[1] == "pool" {
			receiver = `(?:Pool|ScheduledPool)_`
		}
		example := regexp.MustCompile(`(?m)^func Example` + receiver + m[2] + `(?:_\w+)?\(\) \{$`)
		assert.True(t, matches(t, folder, example), "%s has no example", m[0])
	}
	assert.Greater(t, found, len(entries))
}

// matches reports whether a test file of a folder has what is looked for.
func matches(t *testing.T, folder string, wanted *regexp.Regexp) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if wanted.Match(text) {
			return true
		}
	}
	return false
}
