package main

import (
	"fmt"
	"strings"
	"time"
)

// The marks of a timeline, in order of height.
const (
	markNothing = '·'
	markStall   = '░'
	markRun     = '▂'
	markBurst   = '█'
)

const timelineLegend = `▂ runs as usual   ░ a run stalls   █ burst: runs back to back   · nothing runs`

// timeline draws the runs of each system as a line of characters, one for each slice of time, on
// one axis.
type timeline struct {
	scenario
	cells int // per line
}

// drawTimeline returns the lines of all systems, with the axis below, in at most width columns.
func drawTimeline(sc scenario, systems []system, width int) string {
	margin := nameWidth(systems) + 4
	t := timeline{scenario: sc, cells: max(width-margin, 10)}
	var b strings.Builder
	for _, s := range systems {
		fmt.Fprintf(&b, "  %-*s%s\n", margin-2, s.Name, t.line(s.Runs))
	}
	indent := strings.Repeat(" ", margin)
	rule, labels := t.axis()
	fmt.Fprintf(&b, "%s%s\n%s%s\n", indent, rule, indent, labels)
	fmt.Fprintf(&b, "\n  %s\n", timelineLegend)
	return b.String()
}

// cell returns the slice of time that d falls into.
func (t timeline) cell(d time.Duration) int {
	n := int(int64(d) * int64(t.cells) / int64(t.window()))
	return min(max(n, 0), t.cells-1)
}

func (t timeline) line(runs []mark) string {
	line := []rune(strings.Repeat(string(markNothing), t.cells))
	begun := make([]int, t.cells)
	for _, m := range runs {
		begun[t.cell(m.Started)]++
		if m.took() >= t.period {
			t.drawStall(line, m)
		}
	}
	usual := 1 + int(t.window()/time.Duration(t.cells)/t.period)
	for i, n := range begun {
		switch {
		case n > 2*usual:
			line[i] = markBurst
		case n > 0:
			line[i] = markRun
		}
	}
	return string(line)
}

// drawStall fills the cells of a run that stalls, with a word in the middle if there is room.
func (t timeline) drawStall(line []rune, m mark) {
	first, last := t.cell(m.Started), t.cell(m.Ended)
	for i := first; i <= last; i++ {
		line[i] = markStall
	}
	label := []rune(" stall " + m.took().Round(10*time.Millisecond).String() + " ")
	if room := last - first - 1; len(label)+2 <= room {
		copy(line[first+1+(room-len(label))/2:], label)
	}
}

// axis returns a rule with a tick at each step, and the labels that go below.
func (t timeline) axis() (rule, labels string) {
	line := []rune(strings.Repeat("─", t.cells))
	text := []rune(strings.Repeat(" ", t.cells))
	step := t.step()
	for at := time.Duration(0); at <= t.length; at += step {
		i := t.cell(at)
		line[i] = '┴'
		label := []rune(fmt.Sprintf("%g s", at.Seconds()))
		copy(text[max(min(i, t.cells-len(label)), 0):], label)
	}
	return string(line), strings.TrimRight(string(text), " ")
}

// step is the distance of ticks: round, and with room for the labels.
func (t timeline) step() time.Duration {
	const room = 9 // cells; a label takes up to five
	return roundStep(t.window() * room / time.Duration(t.cells))
}

// roundStep returns the smallest duration of at least d that people count in.
func roundStep(d time.Duration) time.Duration {
	for unit := 100 * time.Millisecond; ; unit *= 10 {
		for _, factor := range []time.Duration{1, 2, 5} {
			if unit*factor >= d {
				return unit * factor
			}
		}
	}
}

func nameWidth(systems []system) (w int) {
	for _, s := range systems {
		w = max(w, len(s.Name))
	}
	return w
}
