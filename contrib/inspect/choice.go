package inspect

import (
	"cmp"
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

// choice is the tasks that a query asks for: sections that are each in order by name or, where
// another order is asked for, all of them in that.
type choice struct {
	sections []section
	sorted   []listed
	total    int // of those that there are to choose from
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
	var keys []keyed
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
				keys = g.keys(q, key, keys)
			}
		}
	}
	if key != nil {
		c.sort(keys)
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

func (c *choice) sort(keys []keyed) {
	slices.SortFunc(keys, func(a, b keyed) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		return a.at - b.at
	})
	c.sorted = make([]listed, len(keys))
	for i, k := range keys {
		c.sorted[i] = k.listed
	}
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
