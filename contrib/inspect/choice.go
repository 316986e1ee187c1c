package inspect

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

// listed is a task of a list, with the pool that it is of.
type listed struct {
	of *seen
	*entry
}

// choice is the tasks that a query asks for: sections that are each in order by name or, where another
// order is asked for, all of them in that.
type choice struct {
	sections  []section
	sorted []listed
	total  int // of those that there are to choose from
}

// section is the tasks of one pool that are looked for, by name.
type section struct {
	of      *seen
	entries []*entry
}

// choose returns the tasks of some pools that are looked for. Only if a state or an order is asked
// for is each of the tasks looked at.
func choose(pools []*seen, q query) *choice {
	c := new(choice)
	by := comparison(q.Sort)
	var picks []pick
	for _, s := range pools {
		dead := s.ills().dead
		c.total += len(s.tasks().entries) + len(dead)
		if q.State == "" && by == nil {
			c.add(s, s.tasks().matching(q.Search))
			c.add(s, (&index{entries: dead}).matching(q.Search))
			continue
		}
		found, failed := s.picks(q)
		if by != nil {
			picks = append(append(picks, found...), failed...)
			continue
		}
		c.add(s, entriesOf(found))
		c.add(s, entriesOf(failed))
	}
	if by != nil {
		slices.SortStableFunc(picks, func(a, b pick) int { return by(a.brief, b.brief) })
		for _, p := range picks {
			c.sorted = append(c.sorted, p.listed)
		}
	}
	return c
}

func (c *choice) add(of *seen, entries []*entry) {
	if len(entries) > 0 {
		c.sections = append(c.sections, section{of, entries})
	}
}

// pick is a task that is looked for, with what it is chosen and sorted by.
type pick struct {
	listed
	brief
}

// picks returns the tasks of a pool that are in the state that is asked for and have the name, and
// those that a failure has ended; each by name.
func (s *seen) picks(q query) (living, dead []pick) {
	text := strings.ToLower(q.Search)
	fits := func(e *entry, b brief) bool {
		return strings.Contains(e.lower, text) &&
			(q.State == "" || b.state == q.State || s.illOf(e, b) == q.State)
	}
	briefs := s.briefs()
	for i, e := range s.tasks().entries {
		if fits(e, briefs[i]) {
			living = append(living, pick{listed{s, e}, briefs[i]})
		}
	}
	for _, e := range s.ills().dead {
		if b := briefOfDead(e.dead); fits(e, b) {
			dead = append(dead, pick{listed{s, e}, b})
		}
	}
	return living, dead
}

func entriesOf(picks []pick) []*entry {
	entries := make([]*entry, len(picks))
	for i, p := range picks {
		entries[i] = p.entry
	}
	return entries
}

// size returns how many have been found.
func (c *choice) size() int {
	n := len(c.sorted)
	for _, p := range c.sections {
		n += len(p.entries)
	}
	return n
}

// all returns those that have been found.
func (c *choice) all() []listed {
	all := append(make([]listed, 0, c.size()), c.sorted...)
	for _, p := range c.sections {
		for _, e := range p.entries {
			all = append(all, listed{p.of, e})
		}
	}
	return all
}

// window returns those from first on, n at most.
func (c *choice) window(first, n int) (shown []listed) {
	if c.sorted != nil {
		return c.sorted[first:min(first+n, len(c.sorted))]
	}
	at := c.split(first)
	for len(shown) < n {
		least := -1
		for i, p := range c.sections {
			if at[i] < len(p.entries) &&
				(least < 0 || byName(p.entries[at[i]], c.sections[least].entries[at[least]]) < 0) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		p := c.sections[least]
		shown = append(shown, listed{p.of, p.entries[at[least]]})
		at[least]++
	}
	return shown
}

// split returns how many of each section are among the first n of all by name. It narrows that down as
// quickselect does, by one of those in question drawn at random: to merge the sections would take time
// for each task, twice a second.
func (c *choice) split(n int) (low []int) {
	low, high := make([]int, len(c.sections)), make([]int, len(c.sections))
	for i, p := range c.sections {
		high[i] = len(p.entries)
	}
	for {
		before, open := 0, 0
		for i := range low {
			before, open = before+low[i], open+high[i]-low[i]
		}
		switch {
		case before == n || open == 0:
			return low
		case before+open <= n:
			return high
		}
		of, pivot := c.draw(rand.IntN(open), low, high)
		middle, sum := make([]int, len(low)), 0
		for i, p := range c.sections {
			middle[i] = low[i] + sort.Search(high[i]-low[i], func(k int) bool {
				order := byName(p.entries[low[i]+k], pivot)
				return order > 0 || order == 0 && i >= of
			})
			sum += middle[i]
		}
		switch {
		case sum > n:
			high = middle
		case sum < n: // the pivot is one of them as well
			middle[of]++
			low = middle
		default:
			return middle
		}
	}
}

// draw returns one of those in question, and the section that it is of.
func (c *choice) draw(n int, low, high []int) (of int, pivot *entry) {
	for i, p := range c.sections {
		if open := high[i] - low[i]; n >= open {
			n -= open
			continue
		}
		return i, p.entries[low[i]+n]
	}
	return 0, nil // n is less than all that are in question
}
