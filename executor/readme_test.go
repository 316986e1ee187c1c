package executor_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages are the documents whose Go code and links are tested, from this folder.
var pages = []string{
	"../README.md", "../llms.txt", "../CONTRIBUTING.md", "../SECURITY.md", "../CHANGELOG.md",
	"../docs/*.md", "../bench/README.md", "../examples/README.md", "../tickers/README.md",
}

type document struct {
	file, text string
}

func documents(t *testing.T) (found []document) {
	for _, pattern := range pages {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			found = append(found, document{file, string(text)})
		}
	}
	return found
}

// TestTheReadmeProgramPrintsWhatItSays runs each whole program of the documents. What it prints and
// logs, in this order, is the block that follows. If the machine stands still for longer than a
// timeout of the program, the log is another: it may try again.
func TestTheReadmeProgramPrintsWhatItSays(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not on the PATH")
	}
	all := blocks(t)
	programs := 0
	for i, b := range all {
		if !b.program() {
			continue
		}
		programs++
		require.Less(t, i+1, len(all), "%s does not say what its program prints", b.page)
		want := all[i+1].text
		file := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(file, []byte(b.text), 0o600))
		var got string
		for range 3 {
			if got = ran(t, goCommand, file); got == want {
				break
			}
		}
		assert.Equal(t, want, got, "%s", b.page)
	}
	assert.Positive(t, programs)
}

// TestTheLinksOfTheDocumentsLeadSomewhere looks for the files and headings that the documents link
// to.
func TestTheLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	code := regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
	for _, page := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(page.text, ""), -1) {
			target := page.file
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page.file), m[1])
			}
			_, err := os.Stat(target)
			if !assert.NoError(t, err, "%s", page.file) || m[2] == "" {
				continue
			}
			text, err := os.ReadFile(target)
			require.NoError(t, err)
			assert.Contains(t, anchors(string(text)), m[2][1:], "%s links to %s", page.file, m[0])
		}
	}
}

// anchors are what the headings of a page can be linked to as.
func anchors(text string) (names []string) {
	drop := regexp.MustCompile(`[^a-z0-9 -]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := drop.ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// TestTheMapNamesWhatIsThere looks for every file and folder that a table of CONTRIBUTING.md names.
// A file without a folder stands in that of the name before.
func TestTheMapNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	require.NoError(t, err)
	name := regexp.MustCompile("`([a-z0-9_./]+)`")
	names := 0
	for row := range strings.Lines(string(text)) {
		if !strings.HasPrefix(row, "|") {
			continue
		}
		folder := ""
		for _, m := range name.FindAllStringSubmatch(row, -1) {
			path := m[1]
			switch {
			case strings.Contains(path, "/"):
				if folder = path; strings.HasSuffix(path, ".go") {
					folder = filepath.Dir(path)
				}
			case strings.HasSuffix(path, ".go"):
				path = filepath.Join(folder, path)
			default:
				continue
			}
			names++
			_, err := os.Stat(filepath.Join("..", path))
			assert.NoError(t, err, "%s", row)
		}
	}
	assert.Positive(t, names)
}

var logTime = regexp.MustCompile(`(?m)^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d `)

// ran returns what a program prints and logs, without the times.
func ran(t *testing.T, goCommand, file string) string {
	var out bytes.Buffer
	run := exec.Command(goCommand, "run", file)
	run.Stdout, run.Stderr = &out, &out // one pipe for both, which keeps the order
	require.NoError(t, run.Run(), "%s", &out)
	return logTime.ReplaceAllString(out.String(), "")
}
