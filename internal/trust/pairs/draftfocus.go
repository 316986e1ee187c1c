package pairs

import "slices"

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

// about reports whether a feature is of the focus.
func (d *draft) about(name string) bool {
	return d.focus[0].Name == name ||
		d.focus[1].Name == name
}

// aboutOf reports whether a feature of the group is of the focus, or there is one already.
func (d *draft) aboutOf(group string) bool {
	return d.focus[0].group == group || d.focus[1].group == group || d.hasOf(group)
}

func (d *draft) hasOf(group string) bool {
	return slices.ContainsFunc(d.uses, func(u *use) bool { return u.group == group })
}
