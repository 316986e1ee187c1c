package faults

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// verdict is what the journals of a trial say. All but the counts of what happened must be zero.
type verdict struct {
	counts

	Unfinished int // accepted tasks without an outcome, or whose outcome nobody saw
	Disagree   int // tasks of which two observers saw different outcomes
	Twice      int // runs that were executed again although there was no fault
	Overlaps   int // runs of a series at the same time, with neither worker dead nor its lease lost
	ArmedTwice int // numbers of a series stored twice
	Skipped    int // numbers of a series that never began
	Fences     int // runs of a series whose fence is not above that of the one before
	Replaced   int // runs of a series by a declaration that must not hold
	Early      int // runs that began before their time
	Revived    int // runs that began after it was said that they are cancelled
	Ignored    int // tasks that are said to be cancelled, and have another outcome
	Gone       int // accepted tasks that were not on the queue any more, and had no outcome
	Unrun      int // tasks with a result that never ran
	Abandoned  int // tasks given up that kill no process
	Unkept     int // tasks that have failed, and are not in the failed set
	Retried    int // attempts that began before their time, or after the next one was stored
	Keys       int // keys with two tasks at a time
	Failed     int // calls that failed without need, and workers that ended so
	details    []string
}

// counts are what happened.
type counts struct {
	Runs, Faults, Lost int // runs begun, processes killed or stopped, leases lost
	Again              int // runs that were executed again because of a fault, as is promised

	Accepted, Cancelled, Uncertain int // submissions, and cancellations; calls without an answer
	Repeated                       int // runs that began more often than once
	Distinct                       int // runs, however often they began
}

func (v verdict) String() string { return fmt.Sprintf("%+v; sins: %v", v.counts, v.sins()) }

// sins are what must not be, and how often it was.
func (v verdict) sins() (all []string) {
	fields := reflect.ValueOf(v)
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Int && f.Int() > 0 {
			name := strings.ToLower(fields.Type().Field(i).Name)
			all = append(all, fmt.Sprint(f.Int(), " ", name))
		}
	}
	return all
}

// span is one attempt of a run, in one process.
type span struct {
	event
	end   time.Time
	ended bool // it came to its end, and with its lease
	stale bool // its process was stopped right before it began: perhaps after it had asked
}

// judge reads the journals of a trial.
func judge(t testing.TB, dir string) verdict {
	t.Helper()
	v := verdict{}
	events := readJournals(t, dir)
	spans := spansOf(events, &v)
	v.judgeTasks(events, spans)
	v.judgeRetries(events, spans)
	byRun := map[string][]span{}
	bySeries := map[string][]span{}
	for _, s := range spans {
		byRun[s.Task+"/"+s.ID] = append(byRun[s.Task+"/"+s.ID], s)
		if s.Series != "" {
			life := fmt.Sprint(s.Series, " ", s.Life)
			bySeries[life] = append(bySeries[life], s)
		}
		if s.At.Before(s.Planned.Add(-earliest)) {
			v.note(&v.Early, "early: %v", s.event)
		}
		if s.Life < 0 {
			v.note(&v.Replaced, "an old declaration holds: %v", s.event)
		}
	}
	v.judgeRepeated(byRun, faultsOf(events))
	for _, runs := range bySeries {
		v.judgeSeries(runs)
	}
	return v
}

// earliest is by how much the clocks of two processes may seem to differ.
const earliest = 5 * time.Millisecond

// note counts what must not be, and says what it is.
func (v *verdict) note(n *int, format string, a ...any) {
	*n++
	v.details = append(v.details, fmt.Sprintf(format, a...))
}

// judgeSeries judges the runs of a series, from its beginning to its end: begun anew it is another.
func (v *verdict) judgeSeries(runs []span) {
	numbers := map[uint64]bool{}
	most := uint64(0)
	var before span
	for i, s := range runs {
		numbers[s.Number], most = true, max(most, s.Number)
		if i > 0 && s.stale && s.Fence <= before.Fence {
			continue // it was before the other, but for the stop
		}
		if i > 0 && s.At.Before(before.end) {
			v.note(&v.Overlaps, "overlap: %v until %v, and %v", before.event, before.end, s.event)
		}
		if i > 0 && s.Fence <= before.Fence {
			v.note(&v.Fences, "fences: %v, and then %v", before.event, s.event)
		}
		before = s
	}
	for n := uint64(1); n < most; n++ {
		if !numbers[n] {
			v.note(&v.Skipped, "skipped: number %d of %s, life %d", n, runs[0].Series, runs[0].Life)
		}
	}
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
	lives := map[string]int{} // of the last run of a series that a worker began
	stopped, continued := map[string]time.Time{}, map[string]time.Time{}
	key := func(e event) string {
		return fmt.Sprintf("%s|%s|%s|%d", e.Who, e.Task, e.ID, e.Fence)
	}
	for _, e := range events {
		switch e.Kind {
		case "start":
			v.Runs++
			open[key(e)] = len(spans)
			lives[e.Who+"|s."+e.Series] = e.Life
			spans = append(spans, span{event: e, end: e.At.AddDate(1, 0, 0),
				stale: e.At.Sub(continued[e.Who]) < tolerance})
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
		case "left", "retries": // it could not store what came of it, or another attempt follows
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
			} else {
				continued[e.Who] = e.At
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
			armed[fmt.Sprintf("%s|%d|%d", e.ID, e.Number, lives[e.Who+"|"+e.ID])]++
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

// requireSound fails the test unless the journals show none of what must not be.
func requireSound(t testing.TB, dir string) verdict {
	t.Helper()
	v := judge(t, dir)
	t.Log(v)
	for _, d := range v.details {
		t.Log(d)
	}
	require.Empty(t, v.sins())
	return v
}
