package report

import (
	"strings"
	"unicode/utf8"
)

// table is one in Markdown, laid out to be read as text, too. The first column is words, the others
// are numbers.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var b strings.Builder
	t.line(&b, t.head, widths)
	rule := make([]string, len(widths))
	for i, w := range widths {
		rule[i] = strings.Repeat("-", w-1) + ":"
		if i == 0 {
			rule[i] = strings.Repeat("-", w)
		}
	}
	t.line(&b, rule, widths)
	for _, row := range t.rows {
		t.line(&b, row, widths)
	}
	return b.String()
}

func (t *table) line(b *strings.Builder, cells []string, widths []int) {
	b.WriteString("|")
	for i, cell := range cells {
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			b.WriteString(" " + cell + pad + " |")
		} else {
			b.WriteString(" " + pad + cell + " |")
		}
	}
	b.WriteString("\n")
}
