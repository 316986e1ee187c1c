package plan_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
	"github.com/punctual-go/punctual/timer/cron"
)

const m = time.Minute

var day = plan.Window{
	From: time.Date(2027, 5, 3, 0, 0, 0, 0, time.UTC),
	To:   time.Date(2027, 5, 4, 0, 0, 0, 0, time.UTC),
}

func job(name, line string, estimate time.Duration) plan.Job {
	c := cron.MustParse(line, cron.Zone(time.UTC))
	return plan.Job{Name: name, Line: line, Calendar: c, Estimate: estimate}
}

// check calculates a plan, and compares its runs with what is wanted: due, ready, start, end and
// slot in minutes, and what was missed.
func check(t *testing.T, workers int, jobs []plan.Job, want ...string) *plan.Plan {
	t.Helper()
	p := plan.Calculate(jobs, day, workers, plan.Limit)
	var got []string
	for _, r := range p.Runs {
		got = append(got, fmt.Sprintf("%s %d %d %d-%d for %d+%d", jobs[r.Job].Name,
			r.Due/m, r.Ready/m, r.Start/m, r.End/m, r.Slot/m, r.Missed))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	return p
}

func TestASlotAtTheBeginningOfTheWindowBelongsToItAndOneAtItsEndDoesNot(t *testing.T) {
	check(t, 1, []plan.Job{job("a", "0 0 * * *", m)}, "a 0 0 0-1 for 0+0")
}

func TestARunWaitsForAWorker(t *testing.T) {
	check(t, 1, []plan.Job{job("a", "0 3 * * *", 40*m), job("b", "10 3 * * *", 5*m)},
		"a 180 180 180-220 for 180+0", "b 190 190 220-225 for 190+0")
}

func TestWhatWasDueFirstGoesFirstAndThenWhatWasSubmittedFirst(t *testing.T) {
	check(t, 1, []plan.Job{
		job("late", "20 3 * * *", m), job("x", "10 3 * * *", m), job("y", "10 3 * * *", m),
		job("a", "0 3 * * *", 30*m),
	},
		"a 180 180 180-210 for 180+0", "x 190 190 210-211 for 190+0",
		"y 190 190 211-212 for 190+0", "late 200 200 212-213 for 200+0")
}

// The next run of x is submitted after that of y, although x was the first at the beginning.
func TestTheNextRunOfASeriesCountsAsSubmittedWhenTheLastHasEnded(t *testing.T) {
	check(t, 2, []plan.Job{
		job("x", "0 3,5 * * *", 30*m), job("y", "0 3,5 * * *", 20*m),
		job("long", "59 4 * * *", 120*m),
	},
		"x 180 180 180-210 for 180+0", "y 180 180 180-200 for 180+0", "long 299 299 299-419 for 299+0",
		"y 300 300 300-320 for 300+0", "x 300 300 320-350 for 300+0")
}

func TestARunWaitsForTheOneBeforeAndThenForAWorker(t *testing.T) {
	check(t, 1, []plan.Job{job("a", "0,10 3 * * *", 15*m), job("b", "5 3 * * *", 10*m)},
		"a 180 180 180-195 for 180+0", "b 185 185 195-205 for 185+0", "a 190 195 205-220 for 190+0")
}

func TestOneRunStandsForTheSlotsThatHavePassedWhenItBegins(t *testing.T) {
	check(t, 1, []plan.Job{job("a", "*/10 3 * * *", 25*m)},
		"a 180 180 180-205 for 180+0", "a 190 205 205-230 for 200+1", "a 210 230 230-255 for 230+2")
}

// As in a pool: a slot at which the run begins has passed, and one at which the last has ended is
// due.
func TestARunThatTakesAsLongAsItsPeriodIsNeverLate(t *testing.T) {
	check(t, 1, []plan.Job{job("a", "0 20-22 * * *", 60*m), job("b", "0 23 * * *", m)},
		"a 1200 1200 1200-1260 for 1200+0", "a 1260 1260 1260-1320 for 1260+0",
		"a 1320 1320 1320-1380 for 1320+0", "b 1380 1380 1380-1381 for 1380+0")
}

func TestASlotAtWhichALateRunBeginsHasPassed(t *testing.T) {
	check(t, 1, []plan.Job{job("a", "0 3 * * *", 30*m), job("b", "10,30 3 * * *", m)},
		"a 180 180 180-210 for 180+0", "b 190 190 210-211 for 210+1")
}

func TestAJobWithoutAnEstimateWaitsAndKeepsNobodyWaiting(t *testing.T) {
	p := check(t, 1, []plan.Job{job("?", "0,10 3 * * *", 0), job("a", "0 3 * * *", 15*m)},
		"? 180 180 180-180 for 180+0", "a 180 180 180-195 for 180+0", "? 190 190 195-195 for 190+0")
	if s := plan.Sum(p); s.Unknown != 1 || s.Peak != 1 || s.Late != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestRunsThatAreDueInTheWindowMayBeginAfterIt(t *testing.T) {
	p := check(t, 1, []plan.Job{job("a", "30 23 * * *", 60*m), job("b", "45 23 * * *", m)},
		"a 1410 1410 1410-1470 for 1410+0", "b 1425 1425 1470-1471 for 1425+0")
	if s := plan.Sum(p); s.Full != 30*m || s.Work != 30*m {
		t.Errorf("all were busy for %v, and worked for %v", s.Full, s.Work)
	}
}

type stuck struct{}

func (stuck) Next(after time.Time) time.Time { return after }

func TestACalendarThatDoesNotAdvanceEndsItsSeries(t *testing.T) {
	check(t, 1, []plan.Job{{Name: "stuck", Calendar: stuck{}}})
}

func TestSumsTellWhatAPlanComesTo(t *testing.T) {
	p := check(t, 1, []plan.Job{
		job("a", "0 3 * * *", 60*m), job("b", "30 3 * * *", 30*m),
		job("c", "45 3 * * *", 10*m), job("d", "0 9 * * *", m),
	},
		"a 180 180 180-240 for 180+0", "b 210 210 240-270 for 210+0", "c 225 225 270-280 for 225+0",
		"d 540 540 540-541 for 540+0")
	s := plan.Sum(p)
	if s.Peak != 1 || s.Demand != 3 || s.Full != 101*m || s.Late != 2 || s.Own != 0 ||
		len(s.Behind) != 0 {
		t.Errorf("got %+v", s)
	}
	span := plan.Span{From: 210 * m, To: 270 * m}
	want := []plan.Collision{{Span: span, Runs: 2, Worst: 2, Wait: 45 * m}}
	if !reflect.DeepEqual(s.Collisions, want) || s.Worst() != want[0] {
		t.Errorf("collisions: %+v", s.Collisions)
	}
	quiet := []plan.Span{{541 * m, 1440 * m}, {280 * m, 540 * m}, {0, 180 * m}}
	if !reflect.DeepEqual(s.Quiet, quiet) {
		t.Errorf("quiet: %v", s.Quiet)
	}
}

func TestAJobThatTakesTooLongCannotKeepUpAndOneThatWaitsForOthersCould(t *testing.T) {
	alone := []plan.Job{job("slow", "*/10 * * * *", 25*m)}
	slow := plan.Sum(plan.Calculate(alone, day, 2, plan.Limit)).Behind
	if len(slow) != 1 || !slow[0].CannotKeepUp() || slow[0].Runs+slow[0].Missed != 144 {
		t.Errorf("slow: %+v", slow)
	}
	quick := plan.Sum(plan.Calculate([]plan.Job{
		job("long", "0 3 * * *", 60*m), job("quick", "*/10 * * * *", m),
	}, day, 1, plan.Limit)).Behind
	if len(quick) != 1 || quick[0].CannotKeepUp() || quick[0].Missed != 6 {
		t.Errorf("quick: %+v", quick)
	}
}

func TestAJobThatComesTooOftenIsLeftOut(t *testing.T) {
	p := plan.Calculate([]plan.Job{
		job("flood", "@every 1ms", 0), job("dense", "@every 30s", 0), job("a", "0 3 * * *", m),
	}, day, 2, 10_000)
	if !reflect.DeepEqual(p.LeftOut, []int{0}) || p.Cut || len(p.Runs) != 2880 {
		t.Errorf("left out %v, cut %v, %d runs", p.LeftOut, p.Cut, len(p.Runs))
	}
}

func TestAPlanOfTooManyRunsIsCutInTime(t *testing.T) {
	p := plan.Calculate([]plan.Job{job("a", "* * * * *", 1), job("b", "* * * * *", 1)}, day, 1, 100)
	if !p.Cut || p.Window.Length() != 50*m || len(p.Runs) != 100 {
		t.Errorf("cut %v after %v, %d runs", p.Cut, p.Window.Length(), len(p.Runs))
	}
}

func TestSlotsThatAreMissedCountTowardsTheLimit(t *testing.T) {
	p := plan.Calculate([]plan.Job{job("a", "* * * * *", 12*time.Hour)}, day, 1, 100)
	if !p.Cut || p.Window.Length() != 12*time.Hour || len(p.Runs) != 2 {
		t.Errorf("cut %v after %v, %d runs", p.Cut, p.Window.Length(), len(p.Runs))
	}
}
