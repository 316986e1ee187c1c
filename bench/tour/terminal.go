package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Everything is drawn at most maxColumns wide, and no narrower than its words need.
const minColumns, maxColumns = 80, 100

// isTerminal reports whether w understands control codes.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// columns returns how wide to draw on w: as wide as the terminal, within reason.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return maxColumns
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil || n <= 0 {
		return maxColumns
	}
	return min(max(n, minColumns), maxColumns)
}

// painter returns what colours the marks of timelines drawn on w, if it shows colours and the user
// has nothing against them.
func painter(w io.Writer) func(string) string {
	if !isTerminal(w) || os.Getenv("NO_COLOR") != "" {
		return func(s string) string { return s }
	}
	const red, yellow, off = "\x1b[31m", "\x1b[33m", "\x1b[0m"
	return strings.NewReplacer(
		string(markBurst), red+string(markBurst)+off,
		string(markStall), yellow+string(markStall)+off,
	).Replace
}
