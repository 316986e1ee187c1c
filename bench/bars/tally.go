package bars

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A tally lists what has been found, by file or by another heading.
type tally map[string][]string

func (t tally) add(heading, item string) { t[heading] = append(t[heading], item) }

// addOnce is add, unless the item is listed there already.
func (t tally) addOnce(heading, item string) {
	if !slices.Contains(t[heading], item) {
		t.add(heading, item)
	}
}

func (t tally) items() (n int) {
	for _, items := range t {
		n += len(items)
	}
	return n
}

// parts returns a line for each heading, that with most items first.
func (t tally) parts() []string {
	headings := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(len(t[b])-len(t[a]), cmp.Compare(a, b))
	})
	lines := make([]string, len(headings))
	for i, heading := range headings {
		lines[i] = fmt.Sprintf("%s %d: %s",
			heading, len(t[heading]), strings.Join(t[heading], " "))
	}
	return lines
}

// byItem returns the figure that counts items.
func (t tally) byItem() figure { return figure{t.items(), t.parts()} }

// byHeading returns the figure that counts headings.
func (t tally) byHeading() figure { return figure{len(t), t.parts()} }

// byCount returns a line for each heading, that with the greatest count first.
func byCount(counts map[string]int) []string {
	headings := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	lines := make([]string, len(headings))
	for i, heading := range headings {
		lines[i] = fmt.Sprintf("%s %d", heading, counts[heading])
	}
	return lines
}
