package faults

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// verdict is what the journals of a trial say. All but the counts of what happened must be zero.
type verdict struct {
	Runs, Faults, Lost int // what happened: runs begun, processes killed or stopped, leases lost
	Again              int // runs that were executed again because of a fault, as is promised

	Unfinished int // accepted tasks without an outcome, or whose outcome nobody saw
	Disagree   int // tasks of which two observers saw different outcomes
	Twice      int // runs that were executed again although there was no fault
	Overlaps   int // runs of a series at the same time, with neither worker dead nor its lease lost
	ArmedTwice int // numbers of a series stored twice
	Skipped    int // numbers of a series that never began
	details    []string
	Fences     int // runs of a series whose fence is not above that of the one before
}

func (v verdict) String() string {
	return fmt.Sprintf("%d runs, %d faults, %d leases lost, %d again; unfinished %d, disagreeing %d, twice %d, "+
		"overlaps %d, armed twice %d, skipped %d, fences %d", v.Runs, v.Faults, v.Lost, v.Again,
		v.Unfinished, v.Disagree, v.Twice, v.Overlaps, v.ArmedTwice, v.Skipped, v.Fences)
}

// span is one attempt of a run, in one process.
type span struct {
	event
	end   time.Time
	ended bool // it came to its end, and with its lease
}

// judge reads the journals of a trial.
func judge(t testing.TB, dir string) verdict {
	t.Helper()
	v := verdict{}
	spans := spansOf(readJournals(t, dir), &v)
	v.judgeOutcomes(readJournals(t, dir))
	byRun := map[string][]span{}
	bySeries := map[string][]span{}
	for _, s := range spans {
		byRun[s.Task+"/"+s.ID] = append(byRun[s.Task+"/"+s.ID], s)
		if s.Series != "" {
			bySeries[s.Series] = append(bySeries[s.Series], s)
		}
	}
	for _, attempts := range byRun {
		ends := 0
		for _, s := range attempts {
			if s.ended {
				ends++
			}
		}
		switch {
		case ends > 1 && v.Faults == 0:
			v.Twice++
		case ends > 1:
			v.Again++
		}
	}
	for _, runs := range bySeries {
		v.judgeSeries(runs)
	}
	return v
}

func (v *verdict) judgeSeries(runs []span) {
	numbers := map[uint64]bool{}
	most := uint64(0)
	for i, s := range runs {
		numbers[s.Number], most = true, max(most, s.Number)
		if i == 0 {
			continue
		}
		before := runs[i-1]
		if s.At.Before(before.end) {
			v.Overlaps++
			v.details = append(v.details, fmt.Sprintf("overlap: %+v until %v, and %+v", before.event, before.end, s.event))
		}
		if s.Fence <= before.Fence {
			v.Fences++
		}
	}
	v.Skipped += int(most) - len(numbers)
}

// theLease is that of the tasks in trials in which workers are stopped.
const (
	theLease  = 2 * time.Second
	tolerance = 200 * time.Millisecond
)

// spansOf pairs starts with ends. The span of a process that dies ends with it; one whose lease
// was lost ends, for the purpose of overlap, when it was stopped, or cut off: as it may have been
// replaced since then, rightly.
func spansOf(events []event, v *verdict) []span {
	open := map[string]int{} // who, run and attempt
	var spans []span
	armed := map[string]int{}
	stopped := map[string]time.Time{}
	key := func(e event) string {
		return fmt.Sprintf("%s|%s|%s|%d", e.Who, e.Task, e.ID, e.Fence)
	}
	for _, e := range events {
		switch e.Kind {
		case "start":
			v.Runs++
			open[key(e)] = len(spans)
			spans = append(spans, span{event: e, end: e.At.AddDate(1, 0, 0)})
		case "end":
			i, ok := open[key(e)]
			if !ok {
				continue
			}
			delete(open, key(e))
			spans[i].end, spans[i].ended = e.At, e.Text == ""
			if e.Text != "" {
				v.Lost++
				spans[i].end = spans[i].At
			}
		case "left": // it ended, but could not store what came of it
			for i := range spans {
				if spans[i].Who == e.Who && spans[i].ID == e.ID {
					spans[i].ended = false
				}
			}
		case "stopped":
			v.Faults++
			stopped[e.Who] = e.At
		case "dead", "continued":
			if e.Kind == "dead" {
				v.Faults++
			}
			// A beat may have been due when the process was stopped, so two thirds of a lease later
			// the run may be another's.
			since, lost := e.At, e.Kind == "dead"
			if at := stopped[e.Who]; e.Kind == "continued" && e.At.Sub(at) > theLease*2/3-tolerance {
				since, lost = at, true
			}
			for k, i := range open {
				if lost && spans[i].Who == e.Who {
					spans[i].end = since
					delete(open, k)
				}
			}
		case "server killed", "server stopped":
			v.Faults++
		case "armed":
			armed[fmt.Sprintf("%s|%d", e.ID, e.Number)]++
		}
	}
	for what, n := range armed {
		if n > 1 {
			v.ArmedTwice++
			v.details = append(v.details, "armed twice: "+what)
		}
	}
	return spans
}

// judgeOutcomes compares what was accepted with what observers saw.
func (v *verdict) judgeOutcomes(events []event) {
	seen := map[string][]string{}
	for _, e := range events {
		switch e.Kind {
		case "accepted":
			if seen[e.ID] == nil {
				seen[e.ID] = []string{}
			}
		case "outcome":
			seen[e.ID] = append(seen[e.ID], e.Text)
		}
	}
	for _, outcomes := range seen {
		slices.Sort(outcomes)
		switch distinct := slices.Compact(outcomes); {
		case len(distinct) == 0:
			v.Unfinished++
		case len(distinct) > 1:
			v.Disagree++
		}
	}
}

// requireSound fails the test unless the journals show none of what must not be.
func requireSound(t testing.TB, dir string) verdict {
	t.Helper()
	v := judge(t, dir)
	t.Log(v)
	for _, d := range v.details {
		t.Log(d)
	}
	v.details = nil
	want := verdict{Runs: v.Runs, Faults: v.Faults, Lost: v.Lost, Again: v.Again}
	require.Equal(t, want, v)
	return v
}
