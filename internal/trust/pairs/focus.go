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

// late has the features whose effect comes in a later run than the first, or after some time.
var late = map[string]bool{
	"SlowDown": true, "BeginWithin": true, "CatchUp": true, "ExplainLate": true, "OnLate": true,
	"Observer.Late": true, "Observer.Missed": true, "Observer.Paused": true,
	"Observer.Resumed": true, "PauseAfter": true, "Logger": true, "Retry": true,
}

// again reports whether both features show on one task rather if that runs again.
func (p Pair) again() bool {
	a, b := p.A, p.B
	return a.kind == aBody && b.kind == aBody || abrupt[a.Name]+abrupt[b.Name] > 0 ||
		a.Name == "Logger" && b.kind == aBody || a.Name == "Observer.Expired" ||
		a.Name == "Observer.Dropped" && (b.kind == aTaskOption || b.kind == aBody)
}

// inGroup reports whether the pair is about a command to a member of a group.
func (p Pair) inGroup() bool {
	both := p.A.waysOf() & p.B.waysOf()
	return (p.A.ofTask || p.B.ofTask) && both != 0 && both&^groupWays == 0
}

// preferred returns those of the ways by which the focus shows more often: what a task does in two
// runs needs a series, or several bodies, and what waits over a hand-off a lane.
func (d *draft) preferred(of ways) ways {
	focus := Pair{d.focus[0], d.focus[1]}
	switch {
	case focus.again() && of&seriesWays != 0 && d.rng.IntN(3) > 0:
		return of & seriesWays
	case focus.A.kind == aBody && focus.B.kind == aBody && of&bulkWays != 0 && d.rng.IntN(3) > 0:
		return of & bulkWays
	case d.about("HandOff") && of&laneWays != 0 && (d.about("Withdraw") ||
		d.about("Pool.Drain") || d.about("Observer.Dropped")):
		return of & laneWays
	case d.about("Group.SetLimit") && of&wGo != 0 && focus.inGroup(): // it waits for its turn
		return of & wGo
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
	d.resume(stars[0])
	if stars[0] == stars[1] {
		d.adjustCommands(stars[0])
	}
	d.adjustEnd(stars[0])
	for i, f := range d.focus {
		if f.ender && d.rng.IntN(2) == 0 { // so that it comes during a run
			stars[i].takes = max(stars[i].takes, d.between(20, 60))
		}
	}
}

// resume has a task that pauses go on, as the program is about something that comes later.
func (d *draft) resume(t *task) {
	if !d.about("PauseAfter") && !d.about("Observer.Paused") && !d.about("Pause") {
		return
	}
	for _, f := range d.focus {
		if f.ender && f.kind == aTaskOption || f.kind == aBody || f.Name == "Logger" {
			for at := t.at + t.delay; at < t.at+t.delay+5*t.period; at += t.period + 3*ms {
				d.commandAt("Resume", at)
				d.commands[len(d.commands)-1].task = t
			}
			return
		}
	}
}

// orderBodies has the runs of a task go on in the two ways of the focus, the abrupt one last; and
// the one run of a task in that of the focus.
func (d *draft) orderBodies(t *task) {
	a, b := d.focus[0], d.focus[1]
	if t.way.way&(seriesWays|bulkWays) == 0 && t.using(byName["Retry"]) == nil {
		for _, f := range d.focus {
			if f.kind == aBody && slices.Contains(t.bodies, f) {
				t.bodies = []*Feature{f}
			}
		}
		return
	}
	if a.kind == aBody && b.kind == aBody && slices.Contains(t.bodies, a) &&
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
	panics := d.about("body panics") || d.about("body calls Goexit") || d.about("Logger")
	if !panics || t.way.way&seriesWays == 0 || t.using(byName["FailurePolicy"]) != nil ||
		d.rng.IntN(3) == 0 {
		return
	}
	u := &use{byName["FailurePolicy"], d.rng.Uint64()}
	for onError(u) != executor.Continue {
		u.n++
	}
	t.options = append(t.options, u)
}

// adjustCommands moves the commands to a task of the focus to when the other feature has probably
// had its effect.
func (d *draft) adjustCommands(t *task) {
	due := t.at + t.delay
	series := t.way.way&seriesWays != 0
	a, b := d.focus[0], d.focus[1]
	switch {
	case (late[a.Name] || late[b.Name]) && series:
		d.move(t, due+2*t.period, due+5*t.period)
	case late[a.Name] || late[b.Name]:
		d.move(t, due+3*ms, due+40*ms)
	case d.about("Priority"):
		if a.ender || b.ender {
			d.addBody(t, "body blocks")
		}
		d.move(t, t.at+12*ms, t.at+75*ms)
	case d.about("Group.SetLimit"):
		t.takes = 60 * ms
		d.move(t, t.at+8*ms, t.at+70*ms)
	case a.group == "policy":
		d.move(t, t.at+3*ms, t.at+60*ms)
	case d.about("AfterShutdown"), d.about("SetContinuePeriodicAfterShutdown"):
		d.move(t, d.endAt+ms, d.endAt+20*ms)
	case d.about("body closes the executor") && (a.ofTask || b.ofTask ||
		d.about("Observer.Cancelled")):
		t.takes = 60 * ms
		if series {
			due += t.period
		}
		d.move(t, due+ms, due+30*ms)
	case a.kind == aBehaviour || b.kind == aBehaviour:
		d.move(t, due+ms, due+30*ms)
		t.takes = max(t.takes, d.between(10, 60))
	}
}

// move gives the commands to a task some time between the two, and those for the executor that the
// program is about and that end a task. Those that let it go on stay.
func (d *draft) move(t *task, from, to time.Duration) {
	for i, c := range d.commands {
		own := c.Feature == d.focus[0] || c.Feature == d.focus[1]
		cancels := d.about("Observer.Cancelled") && c.ender
		if c.task != t && !(own && c.ender) || !own && !cancels || c.Name == "Resume" {
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
	if f := d.other("body closes the executor"); f != nil && f.kind == anEnding &&
		f.Name != "Shutdown" {
		d.ends = append([]*Feature{byName["Shutdown"]}, d.ends...)
		d.endAt, d.calm, t.takes = due+d.between(0, 15), false, 60*ms
	}
	if f := d.other("SetContinuePeriodicAfterShutdown"); f != nil &&
		(f.Name == "body closes the executor" || f.kind == aBehaviour) {
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
