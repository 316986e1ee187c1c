package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// matrix says who keeps which promise.
type matrix struct {
	systems  []string
	promises []string
	cells    [][]verdict // a row for each promise, a column for each system
}

func newMatrix(systems []string, all []promise) matrix {
	m := matrix{systems: systems}
	for _, p := range all {
		m.promises = append(m.promises, p.name)
		m.cells = append(m.cells, make([]verdict, len(systems)))
	}
	return m
}

// text writes the table for a terminal.
func (m matrix) text() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	rows, notes := m.rows()
	for _, row := range rows {
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	_ = t.Flush() // to memory
	b.WriteString("\n")
	for i, n := range notes {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, n)
	}
	return b.String()
}

// markdown writes the table as Markdown.
func (m matrix) markdown() string {
	var b strings.Builder
	rows, notes := m.rows()
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|:-:", len(row)-1) + "|\n")
		}
	}
	b.WriteString("\n")
	for i, n := range notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, n)
	}
	return b.String()
}

// rows returns the table, and the notes that its numbers stand for: what was seen where a promise
// is broken, and why a system cannot be asked. Cells with the same note share it.
func (m matrix) rows() (rows [][]string, notes []string) {
	rows = append(rows, append([]string{""}, m.systems...))
	for i, name := range m.promises {
		row := []string{name}
		for _, v := range m.cells[i] {
			cell := string(v.kind)
			if v.seen != "" {
				n := slices.Index(notes, v.seen)
				if n < 0 {
					n, notes = len(notes), append(notes, v.seen)
				}
				cell = fmt.Sprintf("%s (%d)", v.kind, n+1)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows, notes
}
