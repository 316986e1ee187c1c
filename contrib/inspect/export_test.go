package inspect

import (
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Forget has the next viewer get a new snapshot.
func (p *Page) Forget() { p.forget() }

// Stand finds out where a run of a task stands, and tells how many goroutines were found, how long
// that took, and what no stop has reached.
func Stand(pool, task string) (found int, took, stopped time.Duration) {
	s := &standing{name: task}
	s.look(pool)
	return len(s.Found), time.Duration(s.Took), time.Duration(s.Stopped)
}

// VersionOf returns the version of a program of which that is known.
func VersionOf(info *debug.BuildInfo) string { return versionOf(info) }

// Window returns the names from first on, n at most, of lists that are each in order by name, as if
// all were one; each with the number of its list.
func Window(lists [][]string, first, n int) (names []string, of []int) {
	c, numbers := new(choice), map[*entry]int{}
	for i, list := range lists {
		entries := []*entry{}
		for k, name := range list {
			e := &entry{name: name, lower: strings.ToLower(name), number: k}
			entries, numbers[e] = append(entries, e), i
		}
		slices.SortFunc(entries, byName)
		c.add(nil, entries)
	}
	for _, t := range c.window(first, n) {
		names, of = append(names, t.name), append(of, numbers[t.entry])
	}
	return names, of
}

// SortWindow returns those from first up to last of some keys as if all were sorted, and the places
// that they had.
func SortWindow(keys []int64, first, last int) (sorted []int64, at []int) {
	var all []keyed
	for i, key := range keys {
		all = append(all, keyed{key: key, at: i})
	}
	sortWindow(all, first, last)
	for _, k := range all[first:last] {
		sorted, at = append(sorted, k.key), append(at, k.at)
	}
	return sorted, at
}
