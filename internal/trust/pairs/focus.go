package pairs

import (
	"cmp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// abrupt are the bodies after which a task, or its executor, seldom goes on. The later of two comes
// last.
var abrupt = map[string]int{
	"body panics": 1, "body calls Goexit": 1, "body closes the executor": 2,
}

// preferred returns those of the ways by which the focus shows more often: what a task does in two
// runs needs a series, and what waits over a hand-off a lane.
func (d *draft) preferred(of ways) ways {
	a, b := d.focus[0], d.focus[1]
	again := a.body != nil && b.body != nil || abrupt[a.Name]+abrupt[b.Name] > 0 ||
		d.about("Logger") && b.body != nil
	switch {
	case again && of&seriesWays != 0 && d.rng.IntN(3) > 0:
		return of & seriesWays
	case d.about("HandOff") && (d.about("Withdraw") || d.about("Pool.Drain")) && of&laneWays != 0:
		return of & laneWays
	}
	return of
}

// other returns the feature of the focus beside the one of that name; nil if that is not of it.
func (d *draft) other(name string) *Feature {
	switch name {
	case d.focus[0].Name:
		return d.focus[1]
	case d.focus[1].Name:
		return d.focus[0]
	}
	return nil
}

// adjust changes what both features have made of the program, so that neither keeps the other from
// its effect.
func (d *draft) adjust(stars [2]*task) {
	for _, t := range stars {
		d.orderBodies(t)
		d.goOn(t)
	}
	d.adjustCommands(stars[0])
	d.adjustEnd(stars[0])
	if d.about("WithContext") || d.about("Group.Cancel") { // which come during a run
		stars[0].takes = max(stars[0].takes, d.between(20, 60))
	}
}

// orderBodies has the runs of a task go on in the two ways of the focus, the abrupt one last; and
// the one run of a task in that of the focus.
func (d *draft) orderBodies(t *task) {
	a, b := d.focus[0], d.focus[1]
	if t.way.way&seriesWays == 0 && t.using(byName["Retry"]) == nil {
		for _, f := range d.focus {
			if f.body != nil && slices.Contains(t.bodies, f) {
				t.bodies = []*Feature{f}
				return
			}
		}
	}
	if a.body != nil && b.body != nil && slices.Contains(t.bodies, a) &&
		slices.Contains(t.bodies, b) && d.rng.IntN(4) > 0 {
		t.bodies = []*Feature{a, b}
	}
	t.bodies = slices.Clone(t.bodies)
	slices.SortStableFunc(t.bodies, func(a, b *Feature) int {
		return cmp.Compare(abrupt[a.Name], abrupt[b.Name])
	})
}

// goOn has a series go on after a panic that the program is about.
func (d *draft) goOn(t *task) {
	panics := d.about("body panics") || d.about("body calls Goexit")
	if !panics || t.way.way&seriesWays == 0 || t.using(byName["OnError"]) != nil ||
		d.rng.IntN(3) == 0 {
		return
	}
	u := &use{byName["OnError"], d.rng.Uint64()}
	for onError(u) != executor.Continue {
		u.n++
	}
	t.options = append(t.options, u)
}

// adjustCommands moves the commands of the focus to when the other feature has probably had its
// effect.
func (d *draft) adjustCommands(t *task) {
	due := t.at + t.delay
	switch f := d.commanded(); {
	case f == nil:
	case d.about("BackOff"):
		d.move(f, due+4*t.period, due+5*t.period)
	case d.about("Priority") && f.ender:
		d.addBody(t, "body blocks")
		d.move(f, t.at+12*ms, t.at+75*ms)
	case d.focus[0].group == "policy" && f.ofTask:
		d.move(f, t.at+3*ms, t.at+60*ms)
	case f.ender && d.about("AfterShutdown"),
		f.ender && d.about("SetContinuePeriodicAfterShutdown"):
		d.move(f, d.endAt+ms, d.endAt+20*ms)
	}
}

// commanded returns a command of the focus, rather one that ends a task; nil if none is of it.
func (d *draft) commanded() (f *Feature) {
	for _, g := range d.focus {
		if g.command != nil && (f == nil || g.ender) {
			f = g
		}
	}
	return f
}

// move gives the commands of a feature some time between the two.
func (d *draft) move(f *Feature, from, to time.Duration) {
	for i, c := range d.commands {
		if c.Feature != f {
			continue
		}
		d.commands[i].at = from + time.Duration(d.rng.Int64N(int64(to-from))).Truncate(ms)
		if !d.obeyedAfterEnd(d.commands[i]) {
			d.endAt = max(d.endAt, d.commands[i].at+5*ms)
		}
	}
}

// adjustEnd has the executor end when a body, or a callback, that closes it has its effect on a
// task that the other end, or the other feature, has one on too.
func (d *draft) adjustEnd(t *task) {
	due := t.at + t.delay
	if t.way.way&seriesWays != 0 {
		due += t.period
	}
	if f := d.other("body closes the executor"); f != nil && f.end != nil && f.Name != "Shutdown" {
		d.ends = append([]*Feature{byName["Shutdown"]}, d.ends...)
		d.endAt, d.calm, t.takes = due+d.between(0, 15), false, 60*ms
	}
	if f := d.other("SetContinuePeriodicAfterShutdown"); f != nil &&
		(f.Name == "body closes the executor" || f.behave != nil) {
		d.endAt = due - t.period + max(ms, d.between(0, 8))
		for i, c := range d.commands {
			d.commands[i].at = min(c.at, d.endAt-ms)
		}
		for i := range d.lapses {
			d.lapses[i].call = 1 + d.rng.IntN(2)
		}
	}
}

// ahead has another task of the lane occupy it just before the task comes.
func (d *draft) ahead(t *task) {
	if t.way.way&laneWays == 0 {
		return
	}
	d.neighbours(t, 1)
	d.tasks[len(d.tasks)-1].holds = d.between(10, 25)
}

// crowdAround has all workers occupied, and more tasks come: before the task, after it, or both.
func (d *draft) crowdAround(t *task) {
	n := 2 + d.rng.IntN(2)
	before := d.rng.IntN(n + 1)
	for i := range n {
		at := t.at
		if i >= before {
			at += 2 * ms
		}
		d.crowdAt(at)
	}
}
