package pairs

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"
)

// draft is a program that is being drawn.
type draft struct {
	*program
	rng   *rand.Rand
	depth int // of features that include others
}

// draw makes the program of a seed: its focus, what that needs, and some more at random.
func draw(seed uint64, about []Pair) *program {
	focus := focusOf(seed, about)
	d := &draft{
		program: &program{seed: seed, focus: [2]*Feature{focus.A, focus.B}},
		rng:     rand.New(rand.NewPCG(seed, 1)),
	}
	on := focus.hosts()
	if focus.again() && on&timed != 0 && d.rng.IntN(4) > 0 {
		on &= timed
	}
	if focus.inGroup() && on&pools != 0 { // a loop does not find the handle of a member
		on &= pools
	}
	d.host = d.drawHost(on)
	d.size = 1 + d.rng.IntN(3)
	if d.about("PrestartWorkers") {
		d.size = 3
	}
	if d.host == loop {
		d.size = 1
	}
	d.single = d.size == 1 && d.host != loop && d.rng.IntN(3) == 0 && !d.about("MaximumSize") &&
		!d.about("SetCoreSize") && !d.about("SetMaximumSize")
	d.watch = d.rng.IntN(4) > 0
	d.endAt = d.between(100, 220)
	d.calm = d.rng.IntN(2) == 0
	stars := d.stars(focus)
	for i, f := range d.focus {
		d.include(f, stars[i])
	}
	d.adjust(stars)
	for range d.rng.IntN(6) {
		d.includeAny(stars[0])
	}
	for range d.rng.IntN(4) {
		d.extraTask()
	}
	if len(d.ends) == 0 {
		d.ends = append(d.ends, d.anyEnding())
	}
	if d.rng.IntN(3) == 0 {
		d.ends = append(d.ends, d.anyEnding())
	}
	d.single = d.single && !d.has("MaximumSize")
	for _, t := range d.tasks {
		if t.ticks() {
			t.delay = t.period
		}
	}
	slices.SortStableFunc(d.tasks, func(a, b *task) int { return int(a.at - b.at) })
	slices.SortStableFunc(d.commands, func(a, b command) int { return int(a.at - b.at) })
	return d.program
}

// hosts returns where the pair can be shown: best on one task.
func (p Pair) hosts() (best hosts) {
	all := p.A.hosts & p.B.hosts
	for _, h := range []hosts{plain, scheduled, loop} {
		if all&h != 0 && p.A.waysOf()&p.B.waysOf()&waysOn(h) != 0 {
			best |= h
		}
	}
	if best != 0 {
		return best
	}
	return all
}

// focusOf returns the pair that a seed is about: one of those given, the first more often than the
// last, or else of all, or of those that are hard to show.
func focusOf(seed uint64, about []Pair) Pair {
	from := allPairs
	switch x := mix(seed); {
	case len(about) > 0:
		u := float64(mix(seed+1<<40)) / (1 << 64)
		return about[min(int(u*u*float64(len(about))), len(about)-1)]
	case x%4 == 0:
		from = hardest
	case x%4 == 1:
		from = harder
	}
	return from[mix(seed+1<<40)%uint64(len(from))]
}

// drawHost picks one; a scheduled pool knows most and is drawn most.
func (d *draft) drawHost(of hosts) hosts {
	for {
		h := []hosts{plain, scheduled, scheduled, loop}[d.rng.IntN(4)]
		if h&of != 0 {
			return h
		}
	}
}

func (d *draft) between(from, to int) time.Duration {
	return ms * time.Duration(from+d.rng.IntN(to-from))
}

func (d *draft) oneOf(names ...string) string { return names[d.rng.IntN(len(names))] }

// stars makes the tasks on which the focus is to act: one for both features, if it can be.
func (d *draft) stars(focus Pair) (stars [2]*task) {
	on := waysOn(d.host)
	a, b := focus.A, focus.B
	both := a.waysOf() & b.waysOf() & on
	if both != 0 && (!focus.beside() || d.rng.IntN(2) == 0) {
		star := d.newTask(d.drawWay(d.preferred(both)), d.between(18, 24))
		return [2]*task{star, star}
	}
	for i, f := range d.focus {
		stars[i] = d.newTask(d.drawWay(d.preferred(f.waysOf()&on)), d.between(18, 24))
	}
	return stars
}

func (d *draft) drawWay(of ways) *Feature {
	nth := d.rng.IntN(bits.OnesCount32(uint32(of)))
	for _, f := range allWays {
		if f.way&of == 0 {
			continue
		}
		if nth == 0 {
			return f
		}
		nth--
	}
	panic("pairs: no way in")
}

// newTask adds a task.
func (d *draft) newTask(way *Feature, at time.Duration) *task {
	t := &task{
		id: len(d.tasks), way: &use{way, d.rng.Uint64()}, at: at,
		period: d.between(8, 30), lane: d.rng.IntN(2), takes: d.between(1, 12),
		bodies: []*Feature{byName["body succeeds"]}, salt: d.rng.Uint64(),
	}
	if way.way&(delayedWays|wTurn) != 0 {
		t.delay = d.between(0, 20)
	}
	if t.ticks() {
		t.delay = t.period
	}
	t.unnamed = way.way != wApply && d.rng.IntN(8) == 0 || way.way&bulkWays != 0
	d.tasks = append(d.tasks, t)
	return t
}

// extraTask adds a task that has nothing to do with the focus.
func (d *draft) extraTask() {
	t := d.newTask(d.drawWay(waysOn(d.host)), d.between(0, 60))
	for range d.rng.IntN(3) {
		d.includeAny(t)
	}
}

// includeAny includes a feature at random, seldom one after which nothing more happens.
func (d *draft) includeAny(t *task) {
	for range 20 {
		f := allFeatures[d.rng.IntN(len(allFeatures))]
		abrupt := f.Name == "body closes the executor" || f.behave != nil
		if f.hosts&d.host == 0 || f.ways&t.way.way == 0 || f.end != nil || f.way != 0 ||
			abrupt && d.rng.IntN(6) > 0 {
			continue
		}
		d.include(f, t)
		return
	}
}

func (d *draft) anyEnding() *Feature {
	for {
		if f := allEndings[d.rng.IntN(len(allEndings))]; f.hosts&d.host != 0 {
			return f
		}
	}
}

// include adds a feature, and what it needs to have an effect on the task.
func (d *draft) include(f *Feature, t *task) {
	if f.hosts&d.host == 0 || d.depth > 3 {
		return
	}
	u := &use{f, d.rng.Uint64()}
	switch {
	case f.option != nil, f.lane != nil:
		if d.has(f.Name) {
			return
		}
		if f.group != "" && d.hasOf(f.group) {
			if f.policy != nil {
				d.commands = append(d.commands, command{use: policyCommand(f, u.n), at: t.at - ms})
			}
			return
		}
		d.uses = append(d.uses, u)
	case f.task != nil:
		if t.using(f) != nil || f.ways&t.way.way == 0 {
			return
		}
		t.options = append(t.options, u)
	case f.body != nil:
		if f.ways&t.way.way == 0 {
			return
		}
		d.addBody(t, f.Name)
	case f.command != nil:
		c := command{use: u, at: t.at + d.between(1, 50)}
		if d.rng.IntN(2) == 0 {
			c.at = t.at + t.delay + d.between(1, 8)
		}
		if f.ofTask {
			c.task = t
		}
		d.commands = append(d.commands, c)
	case f.behave != nil:
		d.lapse(f, t)
	case f.end != nil:
		d.ends = append(d.ends, f)
		if d.rng.IntN(2) == 0 {
			d.addBody(t, d.oneOf("body blocks", "body is deaf"))
		}
		d.endAt = min(d.endAt, t.at+d.between(0, 50))
		d.calm = false
	}
	if f.shape != nil {
		d.depth++
		f.shape(d, t, u)
		d.depth--
	}
}

// policyCommand sets the given policy.
func policyCommand(f *Feature, n uint64) *use {
	u := &use{byName["SetRejectionPolicy"], n}
	for allPolicies[u.pick(0, len(allPolicies))] != f {
		u.n++
	}
	return u
}

func (d *draft) hasOf(group string) bool {
	return slices.ContainsFunc(d.uses, func(u *use) bool { return u.group == group })
}

// about reports whether a feature is of the focus.
func (d *draft) about(name string) bool {
	return d.focus[0].Name == name ||
		d.focus[1].Name == name
}

// aboutOf reports whether a feature of the group is of the focus, or there is one already.
func (d *draft) aboutOf(group string) bool {
	return d.focus[0].group == group || d.focus[1].group == group || d.hasOf(group)
}

// unbounded reports whether the program has, or will have, a queue without bounds.
func (d *draft) unbounded() bool {
	for _, name := range []string{"FIFO", "PriorityFIFO", "CustomQueue"} {
		if d.about(name) || d.has(name) {
			return true
		}
	}
	return false
}

func (d *draft) without(name string) {
	if d.about(name) {
		return
	}
	d.uses = slices.DeleteFunc(d.uses, func(u *use) bool { return u.Name == name })
}

// lapse has a callback behave so: the one that the program is about, or another that there is.
func (d *draft) lapse(behaviour *Feature, t *task) {
	var callback *Feature
	for _, f := range d.focus {
		if f.callback && mayBehave(f, behaviour) {
			callback = f
		}
	}
	if callback == nil && (d.about("SetContinuePeriodicAfterShutdown") || d.rng.IntN(3) == 0) {
		callback = byName[d.oneOf("AfterRun", "Observer.Began", "Observer.Ended")] // of every run
		if callback.hosts&d.host == 0 {
			callback = byName["Observer.Began"]
		}
		d.include(callback, t)
	}
	for callback == nil {
		f := allFeatures[d.rng.IntN(len(allFeatures))]
		if f.callback && f.hosts&d.host != 0 && f.ways&t.way.way != 0 && mayBehave(f, behaviour) {
			callback = f
			if f.way == 0 {
				d.include(f, t)
			}
		}
	}
	d.lapses = append(d.lapses, lapse{callback, behaviour, t, d.rng.IntN(3) / 2 * d.rng.IntN(3)})
}

// addBody has some runs of the task go on in this way.
func (d *draft) addBody(t *task, name string) {
	f := byName[name]
	if slices.Contains(t.bodies, f) || t.holds > 0 {
		return
	}
	if f.Name == "body closes the executor" && t.way.way&seriesWays != 0 {
		t.bodies = append(t.bodies[:len(t.bodies):len(t.bodies)], t.bodies[0], f)
		return
	}
	if len(t.bodies) == 1 && t.bodies[0].Name == "body succeeds" && f.Name != "body succeeds" &&
		(t.way.way&seriesWays == 0 || d.rng.IntN(2) == 0) {
		t.bodies = nil
	}
	t.bodies = append(t.bodies, f)
	t.bodies = t.bodies[:len(t.bodies):len(t.bodies)]
}

// crowdAt has all workers occupied for a while from just before that time on.
func (d *draft) crowdAt(at time.Duration) {
	long := d.between(12, 35)
	if d.about("BeginWithin") {
		long = d.between(3, 20)
	}
	if d.about("PrestartWorkers") && d.rng.IntN(2) == 0 {
		at += 4 * ms // when those have been started
	}
	for range d.size {
		t := d.newTask(byName["Execute"], max(0, at-ms))
		t.holds, t.takes = long, 0
	}
}

// crowdDuring has all workers occupied when the task is due, or a little later.
func (d *draft) crowdDuring(t *task) {
	at := t.at + t.delay
	if t.way.way&seriesWays != 0 && d.rng.IntN(2) == 0 {
		at += t.period
	}
	d.crowdAt(at)
}

// companions are other tasks about the same time.
func (d *draft) companions(t *task, n int) {
	for range n {
		way := "Submit"
		if t.way.way&delayedWays != 0 && d.host != plain {
			way = "Schedule"
		}
		c := d.newTask(byName[way], max(0, t.at+d.between(-2, 2)))
		c.delay, c.takes = max(0, t.delay+d.between(-2, 2)), ms
	}
}

// neighbours are other tasks of the same lane, before and after it.
func (d *draft) neighbours(t *task, n int) {
	if t.way.way&laneWays == 0 {
		return
	}
	for i := range n {
		way := "Serial.Submit"
		if t.way.way&serialWays == 0 {
			way = "KeyedSerial.Submit"
		}
		c := d.newTask(byName[way], t.at+t.delay+ms*time.Duration(i-1))
		c.lane = t.lane
	}
}

// members are other tasks of the group.
func (d *draft) members(t *task, n int) {
	for range n {
		c := d.newTask(byName["Group.Go"], t.at-ms)
		c.holds = d.between(8, 25)
	}
}

// endDuring has the executor end while the task probably waits.
func (d *draft) endDuring(t *task) {
	switch {
	case d.about("HandOff"):
		d.ahead(t)
		d.endAt = min(d.endAt, t.at+t.delay+d.between(1, 10))
	case d.about("Gap"), d.about("Pace of a lane"): // whose lanes must have begun something
		d.endAt = min(d.endAt, t.at+t.delay+d.between(1, 12))
	case t.way.way&seriesWays == 0:
		d.crowdDuring(t)
		d.endAt = min(d.endAt, t.at+t.delay+d.between(0, 10))
	default:
		d.endAt = min(d.endAt, t.at+t.delay+d.between(0, 70))
	}
	d.calm = false
	if len(d.ends) == 0 {
		d.ends = append(d.ends, byName[d.oneOf("ShutdownNow", "Close", "CloseContext")])
	}
}

// endBy has the executor end in this way while the task lives.
func (d *draft) endBy(name string, t *task) {
	d.endAt = min(d.endAt, t.at+d.between(2, 60))
	if t.way.way&delayedWays != 0 && t.way.way&seriesWays == 0 {
		t.delay = d.endAt - t.at + d.between(0, 10)
	}
	d.calm = false
	d.ends = append([]*Feature{byName[name]}, d.ends...)
	for i, c := range d.commands {
		if c.at >= d.endAt {
			d.commands[i].at = d.endAt - ms
		}
	}
}

// command adds a command some time after the last one.
func (d *draft) command(name string, t *task, from, to int) {
	last := time.Duration(0)
	for _, c := range d.commands {
		last = max(last, c.at)
	}
	d.commands = append(d.commands,
		command{use: &use{byName[name], d.rng.Uint64()}, task: t, at: last + d.between(from, to)})
}

// commandBefore adds a command before the last one that was added.
func (d *draft) commandBefore(name string, by int) {
	last := d.commands[len(d.commands)-1]
	d.commandAt(name, max(0, last.at-d.between(1, by)))
}

func (d *draft) commandAt(name string, at time.Duration) {
	d.commands = append(d.commands, command{use: &use{byName[name], d.rng.Uint64()}, at: at})
}
