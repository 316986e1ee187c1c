package draw

import (
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
)

// cellState is what is known of a cell of a row.
type cellState struct {
	ran    time.Duration // in it
	waited time.Duration
	starts int           // of runs, in it
	from   time.Duration // of the first run in it, from its left edge
	to     time.Duration // of the last
	seen   bool
}

// fill draws the runs of a row.
//
//	███▍   a run           ░░  waits for a worker
//	│      a moment        ▁▃  so much of the cell, where runs are too many for it
func (t *text) fill(cells []rune, r row) {
	states := make([]cellState, len(cells))
	crowded := r.dense
	for _, run := range r.runs {
		if run.Ready >= t.length() {
			continue
		}
		t.wait(states, run)
		if run.Start < t.length() {
			crowded = t.ran(states, run) || crowded
		}
	}
	for i, s := range states {
		switch {
		case s.waited > s.ran && (!s.seen || 2*s.waited >= t.column):
			cells[i] = '░'
		case !s.seen:
		case crowded:
			cells[i] = level(float64(s.ran) / float64(t.column))
		case s.ran == 0:
			cells[i] = '│'
		default:
			cells[i] = bar(float64(s.from)/float64(t.column), float64(s.to)/float64(t.column))
		}
	}
}

func (t *text) wait(states []cellState, run plan.Run) {
	for at := t.cell(run.Ready); run.Start > run.Ready && at <= t.cell(run.Start-1); at++ {
		from, to := t.within(at, run.Ready, run.Start)
		states[at].waited += to - from
	}
}

// ran notes a run, and reports whether it is not the first to begin in its cell.
func (t *text) ran(states []cellState, run plan.Run) (crowded bool) {
	last := t.cell(max(run.End-1, run.Start))
	for at := t.cell(run.Start); at <= last; at++ {
		s := &states[at]
		from, to := t.within(at, run.Start, run.End)
		if !s.seen {
			s.seen, s.from = true, from
		}
		s.to = to
		s.ran += to - from
	}
	first := &states[t.cell(run.Start)]
	first.starts++
	return first.starts > 1
}

// within returns which part of a cell a time takes, from the left edge of the cell.
func (t *text) within(cell int, from, to time.Duration) (time.Duration, time.Duration) {
	edge := time.Duration(cell) * t.column
	return max(from-edge, 0), max(min(to-edge, t.column), 0)
}

// level returns a bar that fills a cell to the given share from below: at least a little.
func level(share float64) rune {
	eighths := min(max(int(share*8+0.5), 1), 8)
	return '▁' + rune(eighths-1)
}

// bar returns a bar over a part of a cell. There are no letters for all of them: one that begins
// after the left edge and ends before the right one is drawn from the left edge on.
func bar(from, to float64) rune {
	switch {
	case to-from > 0.94 || to > 0.94 && from < 0.2:
		return '█'
	case to > 0.94 && from < 0.7:
		return '▐'
	case to > 0.94:
		return '▕'
	}
	eighths := min(max(int((to-from)*8+0.5), 1), 7)
	return '▏' - rune(eighths-1)
}
