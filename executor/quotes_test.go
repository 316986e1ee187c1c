package executor_test

import (
	"go/build"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// block is the text between two lines of three backquotes.
type block struct {
	page, language, text string
}

func (b block) program() bool {
	return b.language == "go" && strings.HasPrefix(b.text, "package main\n")
}

func blocks(t *testing.T) (found []block) {
	fence := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	for _, page := range documents(t) {
		for _, m := range fence.FindAllStringSubmatch(page.text, -1) {
			found = append(found, block{page.file, m[1], m[2]})
		}
	}
	return found
}

// quoted is a text in two forms in which it is looked for.
type quoted struct {
	lines  string // without the space around them
	tokens string // without comments: what only a comment says does not run
}

func newQuoted(text string) quoted { return quoted{unindented(text), tokens(text)} }

func (q quoted) contains(other quoted) bool {
	return strings.Contains(q.lines, other.lines) && strings.Contains(q.tokens, other.tokens)
}

// unindented returns the lines of text without the space around them, each after a new line.
func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("\n" + strings.TrimSpace(line))
	}
	return out.String() + "\n"
}

// tokens returns the tokens of Go code, each after a zero byte.
func tokens(code string) string {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, []byte(code), func(token.Position, string) {}, 0)
	var out strings.Builder
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return out.String() + "\x00"
		case tok == token.SEMICOLON && text == "\n":
			continue // the end of a line
		case text == "":
			text = tok.String()
		}
		out.WriteString("\x00" + text)
	}
}

// TestTheReadmeQuotesCodeThatRuns looks in the tests of this repository for all Go code of the
// documents that is not a whole program: only indentation may differ.
func TestTheReadmeQuotesCodeThatRuns(t *testing.T) {
	tests := builtTests(t)
	quotes := 0
	for _, b := range blocks(t) {
		if b.language != "go" || b.program() {
			continue
		}
		quotes++
		quote := newQuoted(b.text)
		stands := false
		for _, test := range tests {
			stands = stands || test.contains(quote)
		}
		stands = stands && len(quote.tokens) > 1
		assert.True(t, stands, "%s has code that is in no test:\n%s", b.page, b.text)
	}
	assert.Positive(t, quotes)
}

// builtTests returns the text of each file of tests that the go command builds here, and of each
// program that has a test beside it.
func builtTests(t *testing.T) (tests []quoted) {
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			if name == "testdata" || name != ".." && strings.ContainsAny(name[:1], "._") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") && !testedProgram(path) {
			return nil
		}
		built, err := build.Default.MatchFile(filepath.Dir(path), d.Name())
		if err != nil || !built {
			return err
		}
		text, err := os.ReadFile(path)
		tests = append(tests, newQuoted(string(text)))
		return err
	}))
	return tests
}

// testedProgram tells whether a file is a program that a test beside it runs.
func testedProgram(path string) bool {
	if filepath.Base(path) != "main.go" {
		return false
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(path), "main_test.go"))
	return err == nil
}
