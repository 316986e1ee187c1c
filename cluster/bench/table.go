package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// A table is what a workload has found.
type table struct {
	workload workload
	systems  []string
	rounds   map[string][][]float64 // of each system: a list of figures for each round
}

// medians of the rounds of a system; none if it was not measured.
func (t table) medians(system string) (list []float64) {
	rounds := t.rounds[system]
	if len(rounds) == 0 {
		return nil
	}
	for c := range t.workload.columns {
		var values []float64
		for _, figures := range rounds {
			values = append(values, figures[c])
		}
		list = append(list, median(values))
	}
	return list
}

// write writes Markdown. Ratios are to the first row.
func (t table) write(w io.Writer) {
	fmt.Fprintf(w, "### %s\n\n%s\n\n|  |", t.workload.title, t.workload.note)
	for _, c := range t.workload.columns {
		fmt.Fprintf(w, " %s |", c.title)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" ---: |", len(t.workload.columns)))
	var first []float64
	for _, system := range t.systems {
		values := t.medians(system)
		if first == nil {
			first = values
		}
		writeRow(w, system, t.cells(values, first))
	}
	for _, r := range t.workload.documented {
		writeRow(w, r.system, r.cells)
	}
	fmt.Fprintln(w)
}

func (t table) cells(values, first []float64) (cells []string) {
	for c, column := range t.workload.columns {
		if values == nil {
			cells = append(cells, "–")
			continue
		}
		cell := figure(values[c])
		if ratio := values[c] / first[c]; column.ratio && &values[0] != &first[0] &&
			ratio > 0 && !math.IsInf(ratio, 0) {
			cell += " (" + figure(ratio) + " ×)"
		}
		cells = append(cells, cell)
	}
	return cells
}

func writeRow(w io.Writer, system string, cells []string) {
	fmt.Fprintf(w, "| %s | %s |\n", system, strings.Join(cells, " | "))
}
