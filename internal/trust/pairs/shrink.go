package pairs

import (
	"slices"
	"testing"
)

// shrinkRuns is how many programs are tried at most to find a shorter one.
const shrinkRuns = 300

// shrink drops from a program what it does not need to be wrong in one of the ways of the report. A
// program that hangs is not shrunk: each try would take a minute.
func (p *program) shrink(t *testing.T, r Report) *program {
	tries := 0
	fails := func(q *program) bool {
		if tries++; tries > shrinkRuns {
			return false
		}
		s := q.run(t)
		return r.Lost > 0 && s.Lost > 0 || r.Duplicate > 0 && s.Duplicate > 0 || r.Early > 0 &&
			s.Early > 0 ||
			r.Late > 0 && s.Late > 0 || r.Wrong > 0 && s.Wrong > 0 || r.Stuck > 0 && s.Stuck > 0 ||
			r.Leaked > 0 && s.Leaked > 0
	}
	for {
		shorter := p.shorter(fails)
		if shorter == nil {
			return p
		}
		p = shorter
	}
}

// shorter returns the first program with something less that still fails; nil if there is none.
func (p *program) shorter(fails func(*program) bool) *program {
	for q := range p.parts {
		if fails(q) {
			return q
		}
	}
	return nil
}

// parts yields the programs that have something less.
func (p *program) parts(yield func(*program) bool) {
	less := func(change func(q *program)) bool {
		q := *p
		change(&q)
		return yield(&q)
	}
	for i := range p.tasks {
		if !less(func(q *program) { q.tasks = without(p.tasks, i) }) {
			return
		}
	}
	for i := range p.commands {
		if !less(func(q *program) { q.commands = without(p.commands, i) }) {
			return
		}
	}
	for i := range p.uses {
		if !less(func(q *program) { q.uses = without(p.uses, i) }) {
			return
		}
	}
	for i := range p.lapses {
		if !less(func(q *program) { q.lapses = without(p.lapses, i) }) {
			return
		}
	}
	if p.watch && !less(func(q *program) { q.watch = false }) {
		return
	}
	if len(p.ends) > 1 && !less(func(q *program) { q.ends = p.ends[:1] }) {
		return
	}
	for i, t := range p.tasks {
		for _, c := range t.parts() {
			if !less(func(q *program) { q.replace(i, c) }) {
				return
			}
		}
	}
}

// parts returns the task with something less.
func (t *task) parts() (all []*task) {
	less := func(change func(c *task)) {
		c := *t
		change(&c)
		all = append(all, &c)
	}
	for i := range t.options {
		less(func(c *task) { c.options = without(t.options, i) })
	}
	if len(t.bodies) > 1 {
		for i := range t.bodies {
			less(func(c *task) { c.bodies = without(t.bodies, i) })
		}
	}
	if t.takes > ms && t.holds == 0 {
		less(func(c *task) { c.takes = ms })
	}
	return all
}

// replace puts another task in the place of one, in the commands as well.
func (p *program) replace(i int, with *task) {
	old := p.tasks[i]
	p.tasks = slices.Clone(p.tasks)
	p.tasks[i] = with
	p.lapses = slices.Clone(p.lapses)
	for j, l := range p.lapses {
		if l.task == old {
			p.lapses[j].task = with
		}
	}
	p.commands = slices.Clone(p.commands)
	for j, c := range p.commands {
		if c.task == old {
			p.commands[j].task = with
		}
	}
}

// without returns a copy of all but one.
func without[E any](all []E, i int) []E {
	return append(slices.Clone(all[:i]), all[i+1:]...)
}
