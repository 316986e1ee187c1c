package draw

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// The parts of a line of text, in letters.
const (
	mostName   = 22
	mostLine   = 18
	mostNote   = 30
	leastChart = 24
)

// columns are how long one may be.
var columns = []time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour,
	12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour,
}

// Text writes the chart as text, in lines of at most so many letters, if that is enough for the
// least of charts.
func (c *Chart) Text(w io.Writer, width int) error {
	out := bufio.NewWriter(w)
	t := c.layout(width)
	t.out = out
	t.header()
	for i, r := range t.rows {
		t.row(r, t.notes[i])
	}
	t.busy()
	fmt.Fprintln(out)
	return errors.Join(out.Flush(), c.Facts(w))
}

// Facts writes what the chart comes to, in sentences.
func (c *Chart) Facts(w io.Writer) error {
	_, err := fmt.Fprintln(w, strings.Join(c.facts(), "\n"))
	return err
}

// text is a chart being written.
type text struct {
	*Chart
	out              io.Writer
	rows             []row
	notes            []string
	name, line, long int // widths of what stands before the chart
	column           time.Duration
	cells            int
	ground           []rune // what is seen where nothing is
}

func (c *Chart) layout(width int) *text {
	t := &text{Chart: c, rows: c.rows(), name: len("busy")}
	noted := 0
	for _, r := range t.rows {
		note := cut(c.note(r), mostNote)
		t.notes = append(t.notes, note)
		noted = max(noted, utf8.RuneCountInString(note))
		t.name = max(t.name, min(utf8.RuneCountInString(r.name), mostName))
		t.line = max(t.line, min(utf8.RuneCountInString(r.line), mostLine))
		t.long = max(t.long, len(r.estimate))
	}
	room := max(width-t.left()-noted-2, leastChart)
	for _, t.column = range columns {
		if t.cells = int((c.length() + t.column - 1) / t.column); t.cells <= room {
			break
		}
	}
	t.ground = []rune(strings.Repeat(" ", t.cells))
	for _, tick := range c.ticks() {
		if tick.day && tick.at > 0 && c.days() {
			t.ground[t.cell(tick.at)] = '┊'
		}
	}
	return t
}

// left returns how wide is what stands before the chart.
func (t *text) left() int { return t.name + t.line + t.long + 6 }

func (t *text) cell(at time.Duration) int {
	return min(max(int(at/t.column), 0), t.cells-1)
}

// header writes what the chart shows, and the hours.
func (t *text) header() {
	fmt.Fprintf(t.out, "%s, %s, %s; a column is %s\n\n", t.title(), t.zone(),
		count(t.Plan.Workers, "worker"), short(t.column))
	marks := newMarks(t.cells)
	for _, x := range t.changes() {
		marks.put(t.cell(x.at)-1, "|")
		if t.column <= time.Hour {
			marks.put(t.cell(x.at), x.to.Format("15"))
		}
	}
	if t.days() {
		days := newMarks(t.cells)
		for _, tick := range t.ticks() {
			if tick.day || tick.at == 0 {
				days.put(t.cell(tick.at), tick.time.Format("Mon 2"))
			}
		}
		fmt.Fprintf(t.out, "%*s%s\n", t.left(), "", days.text())
	}
	step := t.every(t.cells / 4)
	for _, tick := range t.ticks() {
		if tick.hour%step == 0 && (step < 24 || !t.days()) {
			marks.put(t.cell(tick.at), fmt.Sprintf("%02d", tick.hour))
		}
	}
	if line := marks.text(); line != "" {
		fmt.Fprintf(t.out, "%*s%s\n", t.left(), "", line)
	}
}

func (t *text) row(r row, note string) {
	cells := append([]rune(nil), t.ground...)
	t.fill(cells, r)
	t.write(r.name, r.line, r.estimate, string(cells), note)
}

func (t *text) write(name, line, estimate, cells, note string) {
	text := fmt.Sprintf("%s  %s  %*s  %s  %s",
		padded(name, t.name), padded(line, t.line), t.long, estimate, cells, note)
	fmt.Fprintln(t.out, strings.TrimRight(text, " "))
}

// busy writes how many workers are busy, on the average of a cell, and where that is not enough.
func (t *text) busy() {
	cells := append([]rune(nil), t.ground...)
	work := make([]time.Duration, len(cells))
	steps := t.Sums.Steps
	for i, s := range steps {
		to := t.length()
		if i+1 < len(steps) {
			to = min(to, steps[i+1].At)
		}
		for at := t.cell(s.At); s.Busy > 0 && s.At < to && at <= t.cell(to-1); at++ {
			from, to := t.within(at, s.At, to)
			work[at] += time.Duration(s.Busy) * (to - from)
		}
	}
	for at, d := range work {
		if d > 0 {
			cells[at] = level(float64(d) / float64(t.column) / float64(t.Plan.Workers))
		}
	}
	t.collisions(cells)
	note := ""
	if len(t.Sums.Collisions) > 0 {
		note = "! due, no worker"
	}
	t.write("busy", "", "", string(cells), note)
}

// collisions marks where runs wait for a worker: the worst place, and where they do for a good part
// of the cell. In a chart of a week little waits would else be all that one sees.
func (t *text) collisions(cells []rune) {
	if len(t.Sums.Collisions) == 0 {
		return
	}
	waited := make([]time.Duration, len(cells))
	for _, x := range t.Sums.Collisions {
		for at := t.cell(x.From); x.From < t.length() && at <= t.cell(x.To-1); at++ {
			from, to := t.within(at, x.From, x.To)
			waited[at] += to - from
		}
	}
	for at, d := range waited {
		if d >= t.column/5 {
			cells[at] = '!'
		}
	}
	cells[t.cell(t.Sums.Worst().From)] = '!'
}

func padded(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", width-utf8.RuneCountInString(s))
}
