package pairs

import (
	"math/rand/v2"
	"slices"
)

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

// drawHost picks one; a scheduled pool knows most and is drawn most.
func (d *draft) drawHost(of hosts) hosts {
	for {
		h := []hosts{plain, scheduled, scheduled, loop}[d.rng.IntN(4)]
		if h&of != 0 {
			return h
		}
	}
}
