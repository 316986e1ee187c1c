package pairs

import "slices"

// runsOutOfTurn reports whether tasks may run that a pause or a pace would hold up: because others
// wait for them, or because their submitters run them.
func (p *program) runsOutOfTurn() bool {
	for _, u := range p.uses {
		if u.Name == "CallerRuns" || u.Name == "Block" || u.Name == "own policy" {
			return true
		}
	}
	for _, c := range p.commands {
		if c.Name == "SetRejectionPolicy" {
			return true
		}
	}
	for _, t := range p.tasks {
		for _, f := range t.bodies {
			if f.Name == "body waits for a task" {
				return true
			}
		}
	}
	return false
}

// discards reports whether a policy may discard tasks.
func (p *program) discards() bool {
	return p.has("Discard") || p.has("DiscardOldest") || p.gives("SetRejectionPolicy")
}

// drains reports whether the pool may be drained.
func (p *program) drains() bool { return p.gives("Pool.Drain") || p.givesAny() }

func (p *program) gives(name string) bool {
	return slices.ContainsFunc(p.commands, func(c command) bool { return c.Name == name })
}

// givesAny reports whether bodies or callbacks give commands of any kind.
func (p *program) givesAny() bool {
	for _, l := range p.lapses {
		if l.behaviour.Name == "callback gives a command" {
			return true
		}
	}
	return p.hasBody("body gives a command")
}

func (p *program) hasBody(name string) bool {
	for _, t := range p.tasks {
		if slices.Contains(t.bodies, byName[name]) {
			return true
		}
	}
	return false
}
