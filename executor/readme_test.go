package executor_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages are the documents whose Go code is tested, from this folder.
var pages = []string{"../README.md", "../CONTRIBUTING.md", "../docs/*.md", "../bench/README.md"}

// block is the text between two lines of three backquotes.
type block struct {
	page, language, text string
}

func (b block) program() bool {
	return b.language == "go" && strings.HasPrefix(b.text, "package main\n")
}

func blocks(t *testing.T) (found []block) {
	fence := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	for _, pattern := range pages {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
				found = append(found, block{file, m[1], m[2]})
			}
		}
	}
	return found
}

// TestTheReadmeQuotesCodeThatRuns looks for all Go code of the documents that is not a whole program in
// the tests of this module: only indentation may differ.
func TestTheReadmeQuotesCodeThatRuns(t *testing.T) {
	var tests []string
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		tests = append(tests, unindented(string(text)))
		return err
	}))
	quotes := 0
	for _, b := range blocks(t) {
		if b.language != "go" || b.program() {
			continue
		}
		quotes++
		quote := unindented(b.text)
		stands := false
		for _, test := range tests {
			stands = stands || strings.Contains(test, quote)
		}
		assert.True(t, stands, "%s has code that is in no test:\n%s", b.page, b.text)
	}
	assert.Positive(t, quotes)
}

// unindented returns the lines of text without the space around them, each after a new line.
func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("\n" + strings.TrimSpace(line))
	}
	return out.String() + "\n"
}

// TestTheReadmeProgramPrintsWhatItSays runs each whole program of the documents. What it prints and logs is
// the block that follows, in which lines of the log begin with their level. On a machine that stands still for
// longer than a time-out of the program, the log has a line more: then it may try again.
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
		wantPrinted, wantLogged := separated(all[i+1].text)
		file := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(file, []byte(b.text), 0o600))
		var printed, logged string
		for range 3 {
			printed, logged = ran(t, goCommand, file)
			if logged == wantLogged {
				break
			}
		}
		assert.Equal(t, wantPrinted, printed, "%s", b.page)
		assert.Equal(t, wantLogged, logged, "%s", b.page)
	}
	assert.Positive(t, programs)
}

// separated returns what is printed of output, and what is logged.
func separated(output string) (printed, logged string) {
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "ERROR ") || strings.HasPrefix(line, "INFO ") {
			logged += line
		} else {
			printed += line
		}
	}
	return printed, logged
}

var logTime = regexp.MustCompile(`(?m)^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d `)

// ran returns what a program prints, and logs, without the times.
func ran(t *testing.T, goCommand, file string) (printed, logged string) {
	var stdout, stderr bytes.Buffer
	run := exec.Command(goCommand, "run", file)
	run.Stdout, run.Stderr = &stdout, &stderr
	require.NoError(t, run.Run(), "%s", &stderr)
	return stdout.String(), logTime.ReplaceAllString(stderr.String(), "")
}
