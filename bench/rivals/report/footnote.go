package report

import (
	"fmt"
	"slices"
	"strings"
)

// footnotes say why there is no figure where there could be one.
type footnotes struct{ texts []string }

// mark returns the reference to the note about a result, if it needs one.
func (f *footnotes) mark(workload string, r *Result) string {
	if r == nil || r.Failure == "" {
		return ""
	}
	text := fmt.Sprintf("%s: %s", workload, oneLine(r.Failure))
	i := slices.Index(f.texts, text)
	if i < 0 {
		i = len(f.texts)
		f.texts = append(f.texts, text)
	}
	return fmt.Sprintf("[^%d]", i+1)
}

func (f *footnotes) write(b *strings.Builder) {
	for i, text := range f.texts {
		fmt.Fprintf(b, "\n[^%d]: %s\n", i+1, text)
	}
}

// oneLine cuts a message down to what a reader wants to know; all of it is in the JSON.
func oneLine(message string) string {
	const enough = 200
	runes := []rune(strings.Join(strings.Fields(message), " "))
	if len(runes) > enough {
		return string(runes[:enough]) + "…"
	}
	return string(runes)
}
