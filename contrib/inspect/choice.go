package inspect

import (
	"math/rand/v2"
	"sort"
	"strings"
)

// listed is a task of a list, with the pool that it is of.
type listed struct {
	of *seen
	*entry
}

// choice is the tasks that a query asks for: sections that are each in order by name or, where
// another order is asked for, all of them with what they are sorted by.
type choice struct {
	sections []section
	keys     []keyed // in any order
	total    int     // of those that there are to choose from
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
	key := keyOf(q.Sort)
	for _, s := range pools {
		dead := s.ills().dead
		c.total += len(s.tasks().entries) + len(dead)
		if q.State == "" && key == nil {
			c.add(s, s.tasks().matching(q.Search))
			c.add(s, (&index{entries: dead}).matching(q.Search))
			continue
		}
		for _, g := range s.groups() {
			if key == nil {
				c.add(s, g.fitting(q))
			} else {
				c.keys = g.keys(q, key, c.keys)
			}
		}
	}
	return c
}

func (c *choice) add(of *seen, entries []*entry) {
	if len(entries) > 0 {
		c.sections = append(c.sections, section{of, entries})
	}
}

// group is tasks of one pool, by name, with what they are chosen and sorted by.
type group struct {
	section
	briefs []brief
}

// groups returns the tasks of a pool: those that there are, and those that a failure has ended.
func (s *seen) groups() []group {
	dead := group{section: section{s, s.ills().dead}}
	for _, e := range dead.entries {
		dead.briefs = append(dead.briefs, briefOfDead(e.dead))
	}
	return []group{{section{s, s.tasks().entries}, s.briefs()}, dead}
}

// fits reports whether one is in the state that is asked for.
func (g *group) fits(i int, q query) bool {
	b := &g.briefs[i]
	return q.State == "" || b.state == q.State || g.of.illOf(g.entries[i], b) == q.State
}

// fitting returns those that are looked for, by name.
func (g *group) fitting(q query) (found []*entry) {
	text := strings.ToLower(q.Search)
	for i, e := range g.entries {
		if strings.Contains(e.lower, text) && g.fits(i, q) {
			found = append(found, e)
		}
	}
	return found
}

// keyed is a task with what it is sorted by.
type keyed struct {
	key int64
	at  int // its place among those of the same key
	listed
}

// keys adds those that are looked for.
func (g *group) keys(q query, key func(*brief) int64, keys []keyed) []keyed {
	text := strings.ToLower(q.Search)
	for i, e := range g.entries {
		if strings.Contains(e.lower, text) && g.fits(i, q) {
			keys = append(keys, keyed{key(&g.briefs[i]), len(keys), listed{g.of, e}})
		}
	}
	return keys
}

func (k keyed) before(other keyed) bool {
	return k.key < other.key || k.key == other.key && k.at < other.at
}

// sortWindow puts those from first up to last in their places, as quicksort would, and others only
// on the side where they belong: to sort all would take several times as long.
func sortWindow(keys []keyed, first, last int) {
	for len(keys) > 1 && first < last {
		at := partition(keys)
		switch {
		case last <= at:
			keys = keys[:at]
		case first > at:
			keys, first, last = keys[at+1:], first-at-1, last-at-1
		default:
			sortWindow(keys[:at], first, at)
			keys, first, last = keys[at+1:], 0, last-at-1
		}
	}
}

// partition puts one that is drawn at random in its place, and others before and after it.
func partition(keys []keyed) (at int) {
	end := len(keys) - 1
	drawn := rand.IntN(len(keys))
	keys[drawn], keys[end] = keys[end], keys[drawn]
	for i := range end {
		if keys[i].before(keys[end]) {
			keys[i], keys[at] = keys[at], keys[i]
			at++
		}
	}
	keys[at], keys[end] = keys[end], keys[at]
	return at
}

// keyOf returns what tasks are sorted by for an order; nil for the order by name.
func keyOf(order string) func(*brief) int64 {
	switch order {
	case "next":
		return func(b *brief) int64 { return b.next }
	case "took":
		return func(b *brief) int64 { return -int64(b.took) }
	case "runs":
		return func(b *brief) int64 { return -int64(b.runs) }
	}
	return nil
}

// size returns how many have been found.
func (c *choice) size() int {
	n := len(c.keys)
	for _, p := range c.sections {
		n += len(p.entries)
	}
	return n
}

// all returns those that have been found.
func (c *choice) all() []listed {
	all := make([]listed, 0, c.size())
	for _, k := range c.keys {
		all = append(all, k.listed)
	}
	for _, p := range c.sections {
		for _, e := range p.entries {
			all = append(all, listed{p.of, e})
		}
	}
	return all
}

// window returns those from first on, n at most.
func (c *choice) window(first, n int) (shown []listed) {
	if len(c.keys) > 0 {
		last := min(first+n, len(c.keys))
		sortWindow(c.keys, first, last)
		for _, k := range c.keys[first:last] {
			shown = append(shown, k.listed)
		}
		return shown
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

// split returns how many of each section are among the first n of all by name. It narrows that down
// as quickselect does, by one of those in question drawn at random: to merge the sections would
// take time for each task, twice a second.
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
