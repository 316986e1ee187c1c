package figures

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
)

// Life is all that an executor tells of its tasks, after it has terminated.
type Life struct {
	Told     *Tally
	Stats    executor.Stats // of an event loop, the fields that it has too
	Measured insight.Measurements
	Past     insight.History
	Health   insight.Health
	Tape     []byte // the recording; empty if there is none

	lasted time.Duration
	bad    []string
}

// OfPool returns what a pool tells that has terminated. What [executor.Watch] has not asked for is
// left out.
func OfPool(p interface {
	insight.Source
	Stats() executor.Stats
}, told *Tally, recording []byte) *Life {
	return lifeOf(p, p.Stats(), told, recording)
}

// OfLoop is [OfPool] for an event loop.
func OfLoop(l *eventloop.Loop, told *Tally, recording []byte) *Life {
	s := l.Stats()
	return lifeOf(l, executor.Stats{
		State: s.State, Busy: s.Busy, Queued: s.Queued + s.Tombstones,
		Accepted: s.Accepted, Rejected: s.Rejected,
		Completed: s.Completed, Cancelled: s.Cancelled, Returned: s.Returned,
		Runs: s.Runs, Failures: s.Failures, Retries: s.Retries, Expired: s.Expired,
		Skipped: s.Skipped, TimedOut: s.TimedOut, Late: s.Late, Took: s.Took,
	}, told, recording)
}

func lifeOf(s insight.Source, stats executor.Stats, told *Tally, recording []byte) *Life {
	seen := s.Insight()
	return &Life{Told: told, Stats: stats, Measured: seen.Measurements(), Past: seen.History(),
		Health: seen.Health(), Tape: recording, lasted: time.Since(told.begun)}
}

// Disagreements returns where two figures differ, each as a sentence.
func (l *Life) Disagreements() []string {
	l.bad = nil
	l.checkStats()
	l.checkTold()
	if l.Stats.Took != nil {
		l.checkMeasured()
	}
	if len(l.Past.Seconds) > 0 && l.lasted < remembered {
		l.checkPast()
	}
	if len(l.Tape) > 0 {
		l.checkTape()
	}
	l.checkHealth()
	if len(l.bad) > 0 {
		l.bad = append(l.bad, fmt.Sprintf("Stats are %+v", l.Stats),
			fmt.Sprintf("observers were told %+v", l.Told.All()))
	}
	return l.bad
}

// remembered is for how long a History looks back, and a bit less.
const remembered = 590 * time.Second

// same demands that two figures are the same.
func (l *Life) same(what string, told int, where string, is uint64) {
	if uint64(told) != is {
		l.bad = append(l.bad, fmt.Sprintf("%s: %d, but by %s %d", what, told, where, is))
	}
}

// demand demands that something holds.
func (l *Life) demand(holds bool, text string, args ...any) {
	if !holds {
		l.bad = append(l.bad, fmt.Sprintf(text, args...))
	}
}

// checkStats checks that each task has one end.
func (l *Life) checkStats() {
	s := l.Stats
	l.demand(s.State == "terminated", "it is %s, and has not ended", s.State)
	l.demand(s.Queued+s.Busy+s.Blocked+s.Overrunning == 0,
		"at its end %d wait, %d run, %d of them too long, and %d wait for room",
		s.Queued, s.Busy, s.Overrunning, s.Blocked)
	l.demand(s.Accepted == s.Completed+s.Cancelled+s.Returned,
		"%d accepted, but %d completed, %d cancelled and %d returned",
		s.Accepted, s.Completed, s.Cancelled, s.Returned)
}

// checkTold compares Stats with what observers were told.
func (l *Life) checkTold() {
	s, told := l.Stats, l.Told.All()
	const stats = "Stats"
	l.same("told of as submitted", told.Submitted, stats, s.Accepted+s.Rejected)
	l.same("told of as rejected", told.Rejected, stats, s.Rejected)
	l.same("told of as cancelled", told.Cancelled, stats, s.Cancelled)
	l.same("told of as dropped", told.Dropped, stats, s.Returned)
	l.same("told of as expired", told.Expired, stats, s.Expired)
	l.same("told of as begun", told.Began, stats, s.Runs)
	l.same("told of as ended", told.Ended, stats, s.Runs)
	l.same("told of as overrun", told.Overran, stats, s.TimedOut)
	l.same("told of as skipped", told.Skipped, stats, s.Skipped)
	failed := uint64(told.failed())
	// The error of a run is no failure if its task has been cancelled, and that may have been
	// handed back before.
	excused := s.Cancelled + s.Returned
	l.demand(s.Failures+s.Retries <= failed && failed <= s.Failures+s.Retries+excused,
		"%d runs ended with an error, but by Stats %d failed, and %d were tried again",
		failed, s.Failures, s.Retries)
}

const measured = "Measurements"

// checkMeasured compares Measurements with Stats, and by name with what observers were told.
func (l *Life) checkMeasured() {
	s, m := l.Stats, l.Measured
	l.same("runs", int(s.Runs), measured+".Took", m.Took.Count())
	l.same("runs", int(s.Runs), measured+".Late", m.Late.Count())
	l.same("runs", int(s.Runs), "Stats.Took", s.Took.Count)
	l.same("runs", int(s.Runs), "Stats.Late", s.Late.Count)
	l.same("failures", int(s.Failures), measured, m.Failures)
	l.same("skipped runs", int(s.Skipped), measured, m.Skipped)
	l.same("expired runs", int(s.Expired), measured, m.Expired)
	l.demand(m.LastSuccess.IsZero() == (l.Told.All().Succeeded == 0),
		"%d runs have succeeded, but the last of them at %v", l.Told.All().Succeeded, m.LastSuccess)
	l.checkNames()
}

// checkNames is checkMeasured for each name.
func (l *Life) checkNames() {
	named, failures, skipped, expired := map[string]bool{}, uint64(0), uint64(0), uint64(0)
	for _, task := range l.Measured.Tasks {
		named[task.Name] = true
		failures += task.Failures
		skipped += task.Skipped
		expired += task.Expired
		if task.Name == "other" {
			continue
		}
		told := l.Told.Of(task.Name)
		what := fmt.Sprintf("runs of %q", task.Name)
		l.same(what, told.Ended, "Measurements.Took", task.Took.Count())
		l.same(what, told.Began, "Measurements.Late", task.Late.Count())
		l.same("skipped "+what, told.Skipped, measured, task.Skipped)
		l.same("expired "+what, told.Expired, measured, task.Expired)
		l.demand(task.Failures <= uint64(told.failed()),
			"%d failures of %q, of which %d runs ended with an error",
			task.Failures, task.Name, told.failed())
		l.demand(task.LastSuccess.IsZero() == (told.Succeeded == 0),
			"%d runs of %q have succeeded, but the last of them at %v",
			told.Succeeded, task.Name, task.LastSuccess)
	}
	l.demand(failures <= l.Measured.Failures, "%d failures by name, but %d in all",
		failures, l.Measured.Failures)
	l.demand(skipped <= l.Measured.Skipped, "%d skipped by name, but %d in all", skipped,
		l.Measured.Skipped)
	l.demand(expired <= l.Measured.Expired, "%d expired by name, but %d in all", expired,
		l.Measured.Expired)
	for _, name := range l.Told.named() {
		told := l.Told.Of(name)
		l.demand(named[name] || named["other"] || told.Began+told.Expired == 0,
			"%q has runs, begun or expired, and no Measurements", name)
	}
}

// named returns the names of all tasks that have one.
func (y *Tally) named() []string {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(y.names)),
		func(name string) bool { return name == "" })
}

// checkPast compares History with Stats, and the runs that have expired with what observers were
// told of them.
func (l *Life) checkPast() {
	const history = "History"
	var runs, failures, skipped, expired uint64
	for _, second := range l.Past.Seconds {
		runs += second.Runs
		failures += second.Failures
		skipped += second.Skipped
		expired += second.Expired
	}
	l.same("runs", int(l.Stats.Runs), history, runs)
	l.same("failures", int(l.Stats.Failures), history, failures)
	l.same("skipped runs", int(l.Stats.Skipped), history, skipped)
	l.same("expired runs", int(l.Stats.Expired), history, expired)
	l.checkExplained()
}

// checkExplained checks the runs that History tells by themselves: a part of all.
func (l *Life) checkExplained() {
	expired := map[string]int{}
	for _, past := range l.Past.Late {
		l.demand(past.Why != nil && past.Why.Total == past.Late && past.Why.Expired == past.Expired,
			"a late run of %q does not go with its reasons: %+v", past.Name, past)
		l.demand(past.Skipped == skipped(past.Err),
			"a late run of %q: skipped %t, but its error is %v", past.Name, past.Skipped, past.Err)
		if past.Expired {
			expired[past.Name]++
			l.demand(errors.Is(past.Err, executor.ErrExpired) && past.Took == 0,
				"a run of %q has expired, but took %v and failed with %v", past.Name, past.Took,
				past.Err)
		}
	}
	for name, n := range expired {
		l.demand(n <= l.Told.Of(name).Expired, "%d runs of %q have expired, but by History %d",
			l.Told.Of(name).Expired, name, n)
	}
}

// checkTape compares the recording with Stats, and by name with what observers were told.
func (l *Life) checkTape() {
	r := readTape(l.Tape)
	l.bad = append(l.bad, r.bad...)
	if r.partial {
		return
	}
	l.demand(r.complete, "the recording does not go on to the end")
	l.compareTape("", l.Told.All(), r.all)
	for _, name := range l.Told.named() {
		of := r.names[name]
		if of == nil {
			of = new(events)
		}
		l.compareTape(fmt.Sprintf(" of %q", name), l.Told.Of(name), *of)
	}
	for task, ends := range r.ends {
		l.demand(ends == 1, "task %d has %d ends in the recording", task, ends)
	}
}

func (l *Life) compareTape(whose string, told Told, r events) {
	const recording = "the recording"
	l.same("submissions"+whose, told.Submitted, recording, uint64(r.submitted))
	l.same("rejections"+whose, told.Rejected, recording, uint64(r.rejected))
	l.same("begun runs"+whose, told.Began, recording, uint64(r.began))
	l.same("ended runs"+whose, told.Ended, recording, uint64(r.ended))
	l.same("successful runs"+whose, told.Succeeded, recording, uint64(r.succeeded))
	l.same("skipped runs"+whose, told.Skipped, recording, uint64(r.skipped))
	l.same("overruns"+whose, told.Overran, recording, uint64(r.overran))
	l.same("expired runs"+whose, told.Expired, recording, uint64(r.expired))
	// What settles a task during a run may be noted after that has ended, and is then left out.
	l.demand(r.cancelled <= told.Cancelled, "cancellations%s: %d, but by the recording %d", whose,
		told.Cancelled, r.cancelled)
	l.demand(r.dropped <= told.Dropped, "drops%s: %d, but by the recording %d", whose,
		told.Dropped, r.dropped)
}

// checkHealth compares Health with what observers were told.
func (l *Life) checkHealth() {
	l.demand(l.Health.Status == insight.HealthDown, "it has ended, and its health is %s",
		l.Health.Status)
	for _, task := range l.Health.Tasks {
		told := l.Told.Of(task.Name)
		l.demand(task.LastSuccess.IsZero() || told.Succeeded > 0,
			"%q has never succeeded, but by Health at %v", task.Name, task.LastSuccess)
		l.demand(task.State != "failed" || told.failed() > 0 || told.Expired > 0,
			"%q has never failed, but by Health it has", task.Name)
		l.demand(task.FailuresInRow <= uint64(told.failed()+told.Expired),
			"%q has failed %d times, but by Health %d times in a row",
			task.Name, told.failed(), task.FailuresInRow)
	}
}
