package pairs

import (
	"math/bits"
	"slices"
	"time"
)

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

// extraTask adds a task that has nothing to do with the focus.
func (d *draft) extraTask() {
	t := d.newTask(d.drawWay(waysOn(d.host)), d.between(0, 60))
	for range d.rng.IntN(3) {
		d.includeAny(t)
	}
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
			way = "Keyed.Submit"
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
