package plan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer/cron"
)

// crontabs is how many random ones are compared with the pool.
const crontabs = 150

// A plan is right if the pool does what it says, run by run, to the nanosecond.
func TestThePoolDoesWhatThePlanSays(t *testing.T) {
	seen := &features{}
	for seed := range uint64(crontabs) {
		r := rand.New(rand.NewPCG(seed, 1))
		jobs, window, workers := randomJobs(t, r), randomWindow(t, r), 1+r.IntN(4)
		p := plan.Calculate(jobs, window, workers, plan.Limit)
		seen.note(p)
		want, got := planned(p), ran(t, jobs, window, workers)
		for i, j := range jobs {
			if want[i] != got[i] {
				t.Fatalf("seed %d, from %v, %d workers: %s %q, which takes %v\nplan: %s\npool: %s",
					seed,
					window.From, workers, j.Name, j.Line, j.Estimate, want[i], got[i])
			}
		}
	}
	seen.check(t)
}

// What random crontabs leave out, because several workers would be at liberty: ends, starts and
// slots at the same instant.
func TestThePoolDoesWhatThePlanSaysOfEqualInstants(t *testing.T) {
	for _, jobs := range [][]plan.Job{
		{job("as long as its period", "0 * * * *", 60*m)},
		{job("twice as long", "0 * * * *", 120*m)},
		{job("a", "0 3 * * *", 30*m), job("a slot at the end of a", "10,30 3 * * *", m)},
		{job("a", "0 * * * *", 30*m), job("b", "0 * * * *", 30*m), job("c", "0 * * * *", 0)},
		{job("a", "0 * * * *", 0), job("b", "*/30 * * * *", 0), job("c", "*/20 * * * *", 90*m)},
	} {
		window := plan.Window{From: day.From.Add(-1), To: day.To}
		want, got := planned(plan.Calculate(jobs, window, 1, plan.Limit)), ran(t, jobs, window, 1)
		for i, j := range jobs {
			if want[i] != got[i] {
				t.Errorf("%s:\nplan: %s\npool: %s", j.Name, want[i], got[i])
			}
		}
	}
}

// entry is what is compared of a run.
func entry(start, slot time.Duration, missed int) string {
	return fmt.Sprintf("%v(%v,%d) ", start, slot, missed)
}

// planned returns the runs of each job in a plan.
func planned(p *plan.Plan) []string {
	all := make([]strings.Builder, len(p.Jobs))
	for _, r := range p.Runs {
		all[r.Job].WriteString(entry(r.Start, r.Slot, r.Missed))
	}
	return texts(all)
}

// ran returns the runs of each job in a pool whose bodies take as long as is estimated.
func ran(t *testing.T, jobs []plan.Job, w plan.Window, workers int) []string {
	all := make([]strings.Builder, len(jobs))
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(w.From))
		pool := executor.NewScheduledPool(workers, executor.Slack(0))
		var mu sync.Mutex
		for i, j := range jobs {
			body := func(ctx context.Context) error {
				run, _ := executor.RunFrom(ctx)
				mu.Lock()
				all[i].WriteString(entry(time.Since(w.From), run.Scheduled.Sub(w.From),
					int(run.Missed)))
				mu.Unlock()
				time.Sleep(j.Estimate)
				return nil
			}
			if j.Calendar.Next(w.From).Before(w.To) && !j.Calendar.Next(w.From).IsZero() {
				if _, err := pool.On(j.Calendar, body, executor.Until(w.To)); err != nil {
					t.Fatal(err)
				}
			}
		}
		time.Sleep(100 * w.Length())
		pool.Close()
	})
	return texts(all)
}

func texts(all []strings.Builder) (out []string) {
	for i := range all {
		out = append(out, all[i].String())
	}
	return out
}

// randomWindow returns a window of a day or two, about a night on which the clocks of some zone
// change. No slot falls on its beginning, as the pool begins with what comes after that.
func randomWindow(t *testing.T, r *rand.Rand) plan.Window {
	t.Helper()
	dates := []time.Time{
		time.Date(2000, 3, 25, 12, 0, 0, 0, time.UTC), // Berlin, Lord Howe
		time.Date(2000, 4, 1, 12, 0, 0, 0, time.UTC),  // New York
		time.Date(2000, 8, 26, 6, 0, 0, 0, time.UTC),  // Lord Howe
		time.Date(2000, 10, 28, 9, 0, 0, 0, time.UTC), // all but Lord Howe
		time.Date(2000, 2, 28, 18, 0, 0, 0, time.UTC), // a leap day
	}
	from := dates[r.IntN(len(dates))].Add(time.Duration(r.Int64N(int64(12 * time.Hour)))).Truncate(time.Second)
	from = from.Add(1 + time.Duration(r.IntN(1e9-1)))
	return plan.Window{From: from, To: from.Add(time.Duration(12+r.IntN(36)) * time.Hour)}
}

// randomJobs returns jobs that often fall due together. Their runs end at different instants, as
// the pool does not say in which order it goes on with runs that end at the same one.
func randomJobs(t *testing.T, r *rand.Rand) (jobs []plan.Job) {
	t.Helper()
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
		"America/Havana"}
	lines := []string{
		"30 2 * * *", "0 3 * * *", "0 */4 * * *", "*/30 * * * *", "0 0 * * *", "*/20 1-5 * * *", "0 * * * *",
		"15,30,45 2 * * *", "0 1-3 * * *", "0 0 * * SUN", "*/7 * * * *", "0 0 29 2 *", "@hourly", "@every 7m",
		"@every 1h", "0 12 * * *", "*/2 2 * * *",
	}
	for i := range 1 + r.IntN(12) {
		line := lines[r.IntN(len(lines))]
		s := cron.MustParse("CRON_TZ=" + zones[r.IntN(len(zones))] + " " + line)
		jobs = append(jobs, plan.Job{
			Name: fmt.Sprint("job ", i), Line: s.String(), Calendar: s,
			Estimate: 1 + time.Duration(r.Int64N(int64(time.Minute)<<r.IntN(8))),
		})
	}
	return jobs
}

// features are what the random crontabs must have had among them.
type features struct{ together, late, own, missed, idle int }

func (f *features) note(p *plan.Plan) {
	due := map[time.Duration]bool{}
	for _, r := range p.Runs {
		if due[r.Due] {
			f.together++
		}
		due[r.Due] = true
		if r.WaitsForWorker() > 0 {
			f.late++
		}
		if r.WaitsForItself() > 0 {
			f.own++
		}
		f.missed += r.Missed
	}
	if s := plan.Sum(p); len(s.Quiet) > 0 {
		f.idle++
	}
}

func (f *features) check(t *testing.T) {
	t.Helper()
	for what, n := range map[string]int{
		"equal times": f.together, "waits for a worker": f.late, "waits for the run before": f.own,
		"slots without a run": f.missed, "times without work": f.idle,
	} {
		if n < 20 {
			t.Errorf("the crontabs had only %d of: %s", n, what)
		}
	}
}
