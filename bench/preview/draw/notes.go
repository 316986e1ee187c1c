package draw

import (
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/bench/preview/plan"
)

// meant is a calendar that knows which of its slots are not at their own time, see crontab.
type meant interface{ Meant(slot time.Time) string }

// note returns the one thing to say about a row that one should not overlook, or "".
func (c *Chart) note(r row) string {
	slots, missed, late := 0, 0, 0
	var worst plan.Run
	for _, run := range r.runs {
		slots += 1 + run.Missed
		missed += run.Missed
		if wait := run.WaitsForWorker(); wait > 0 {
			late++
			if wait > worst.WaitsForWorker() {
				worst = run
			}
		}
	}
	switch {
	case slices.Contains(c.Plan.LeftOut, r.job):
		return "left out: too often"
	case r.job >= 0 && missed > 0:
		return fmt.Sprintf("%s of %s get no run", number(missed), number(slots))
	case late > 1:
		return fmt.Sprintf("%s× late, %s by %s", number(late), c.clock(worst.Ready),
			short(worst.WaitsForWorker()))
	case late == 1:
		return fmt.Sprintf("%s waits %s", c.clock(worst.Ready), short(worst.WaitsForWorker()))
	}
	return c.moved(r)
}

// moved tells the first slot that the clocks have moved, or "".
func (c *Chart) moved(r row) string {
	if r.job < 0 {
		return ""
	}
	calendar, ok := c.Plan.Jobs[r.job].Calendar.(meant)
	if !ok {
		return ""
	}
	for _, run := range r.runs {
		if text := calendar.Meant(c.Plan.At(run.Slot)); text != "" {
			return c.clock(run.Slot) + " for " + text
		}
	}
	return ""
}

// story tells what happens to a run, in a line.
func (c *Chart) story(r plan.Run) string {
	text := c.Plan.Jobs[r.Job].Name + ": due " + c.clock(r.Due)
	if r.Missed > 0 {
		text += fmt.Sprintf(", for %s until %s", count(r.Missed+1, "slot"), c.clock(r.Slot))
	}
	if calendar, ok := c.Plan.Jobs[r.Job].Calendar.(meant); ok {
		if at := calendar.Meant(c.Plan.At(r.Slot)); at != "" {
			text += ", for " + at
		}
	}
	if wait := r.WaitsForItself(); wait > 0 {
		text += ", waits " + short(wait) + " for its run before"
	}
	if wait := r.WaitsForWorker(); wait > 0 {
		text += ", waits " + short(wait) + " for a worker"
	}
	if r.End == r.Start {
		return text + ", starts " + c.clock(r.Start)
	}
	return text + ", runs " + c.span(plan.Span{From: r.Start, To: r.End}) +
		" (" + short(r.End-r.Start) + ")"
}

// facts are the sums in sentences.
func (c *Chart) facts() (all []string) {
	p, s := c.Plan, c.Sums
	say := func(form string, args ...any) { all = append(all, fmt.Sprintf(form, args...)) }
	say("%s of %s; at most %d of %s busy, all of them %s of the time", count(len(p.Runs), "run"),
		count(len(p.Jobs), "job"), s.Peak, count(p.Workers, "worker"), percent(s.Full, c.length()))
	if len(s.Collisions) > 0 {
		first, worst := s.Collisions[0], s.Worst()
		say("%s for a worker; first at %s, worst %s, which waits %s from %s on",
			verb(s.Late, "run", "waits", "wait"), c.clock(first.From),
			p.Jobs[p.Runs[worst.Worst].Job].Name,
			short(worst.Wait), c.clock(p.Runs[worst.Worst].Ready))
	}
	all = append(all, c.keepUp()...)
	if quiet := c.quiet(3); quiet != "" {
		say("quiet: %s", quiet)
	}
	for _, x := range c.changes() {
		say("clocks: %s", x.sentence())
	}
	if s.Unknown > 0 {
		all = append(all, noEstimate(s.Unknown))
	}
	return append(all, c.missing()...)
}

// keepUp tells the jobs that lose slots: three of them by name.
func (c *Chart) keepUp() (all []string) {
	behind := c.Sums.Behind
	for i, b := range behind {
		if i == 3 {
			return append(all, fmt.Sprintf("%s more like these", number(len(behind)-3)))
		}
		why := "comes too late"
		if b.CannotKeepUp() {
			why = "cannot keep up"
		}
		all = append(all, fmt.Sprintf("%s %s: no run for %s of %s",
			c.Plan.Jobs[b.Job].Name, why, number(b.Missed), count(b.Runs+b.Missed, "slot")))
	}
	return all
}

// quiet tells the longest times without work, or "".
func (c *Chart) quiet(most int) (text string) {
	for i, s := range c.Sums.Quiet {
		if i == most || s.Length() < c.length()/100 {
			break
		}
		if i > 0 {
			text += ", "
		}
		text += c.span(s) + " (" + short(s.Length()) + ")"
	}
	return text
}

// missing tells what has been left out of the plan.
func (c *Chart) missing() (all []string) {
	p := c.Plan
	for i, job := range p.LeftOut {
		if i == 3 {
			all = append(all, fmt.Sprintf("%s more like these", number(len(p.LeftOut)-3)))
			break
		}
		all = append(all, fmt.Sprintf("%s (%s) comes too often, and is left out of all figures",
			p.Jobs[job].Name, p.Jobs[job].Line))
	}
	if p.Cut {
		all = append(all, fmt.Sprintf("cut at %s: these are too many runs for one plan",
			c.clock(c.length())))
	}
	return all
}

// verb tells how many do something.
func verb(n int, what, one, many string) string {
	if n == 1 {
		return count(n, what) + " " + one
	}
	return count(n, what) + " " + many
}

// noEstimate tells how many jobs have none.
func noEstimate(jobs int) string {
	return "without an estimate, and taken for a moment: " + count(jobs, "job")
}
