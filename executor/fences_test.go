package executor_test

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNoCodeOfTheDocumentsEscapes refuses each way to write code in Markdown that the other tests
// do not read.
func TestNoCodeOfTheDocumentsEscapes(t *testing.T) {
	for _, page := range documents(t) {
		for _, text := range escapes(page.text) {
			t.Errorf("%s: %q: code stands between ```go, ```sh or ```text and ```", page.file, text)
		}
	}
}

func TestWaysToEscapeAreFound(t *testing.T) {
	for _, text := range []string{
		"```golang\nf()\n```\n", "```Go\nf()\n```\n", "```go \nf()\n```\n",
		"```go title=a\nf()\n```\n", "```go\r\nf()\r\n```\r\n", "  ```go\n  f()\n  ```\n",
		"~~~go\nf()\n~~~\n", "````go\nf()\n````\n",
		"```\nf()\n```\n", "text\n\n    f()\n", "\n\tfunc f() {}\n", "> ```go\n> f()\n> ```\n",
		"<pre>f()</pre>\n", "```go\nf()\n", "* text\n\n      f()\n",
	} {
		assert.NotEmpty(t, escapes(text), "%q", text)
	}
	assert.Empty(t, escapes("```go\nif a {\n\n    f()\n}\n```\n\n    late 4ms poll#17: wake 4ms\n"))
	quote := newQuoted("f(1)\n")
	assert.False(t, newQuoted("/*\nf(1)\n*/\n").contains(quote))
	assert.False(t, newQuoted("var text = `\nf(1)\n`\n").contains(quote))
	assert.True(t, newQuoted("func g() {\n\tf(1)\n}\n").contains(quote))
}

var otherFence = regexp.MustCompile("```|~~~|<pre")

// escapes returns the lines of a page that begin or end code in another way than blocks knows.
func escapes(page string) (found []string) {
	inside, before, indented := false, "", ""
	end := func() {
		if isGo(indented) {
			found = append(found, indented)
		}
		indented = ""
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		opens := line == "```go" || line == "```sh" || line == "```text"
		switch {
		case strings.Contains(line, "\r"):
			found = append(found, line)
		case inside && line == "```":
			inside = false
		case !inside && opens:
			inside = true
		case otherFence.MatchString(line):
			found = append(found, line)
		case inside:
		case isIndented(line) && (before == "" || indented != ""):
			indented += line + "\n"
		case line != "":
			end()
		}
		before = strings.TrimSpace(line)
	}
	end()
	if inside {
		found = append(found, "a block without an end")
	}
	return found
}

func isIndented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// isGo reports whether an indented block is Go: a list may be indented as well, and output.
func isGo(text string) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	files := token.NewFileSet()
	_, declarations := parser.ParseFile(files, "", "package p\n"+text, 0)
	_, statements := parser.ParseFile(files, "", "package p\nfunc _() {\n"+text+"\n}", 0)
	return declarations == nil || statements == nil
}
