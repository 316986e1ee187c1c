package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/punctual-go/punctual/executor"
)

// relinked adds to changes what has become of what jobs follow.
func relinked(ch executor.Changes, from, to *network) executor.Changes {
	was := ch.Unchanged
	ch.Why, ch.Unchanged = maps.Clone(ch.Why), nil
	var changed []string
	for _, at := range to.nodes {
		before := from.named[at.name]
		same, other := slices.Contains(was, at.name), slices.Contains(ch.Changed, at.name)
		relinks := before != nil && before.upstream() != at.upstream()
		switch {
		case same && !relinks:
			ch.Unchanged = append(ch.Unchanged, at.name)
		case same || other:
			changed = append(changed, at.name)
		}
		if !relinks || !same && !other {
			continue
		}
		if ch.Why == nil {
			ch.Why = map[string]string{}
		}
		text := fmt.Sprintf("after %s -> %s", before.upstream(), at.upstream())
		if other {
			text = ch.Why[at.name] + "; " + text
		}
		ch.Why[at.name] = text
	}
	ch.Changed = changed
	return ch
}

// upstream says in words which jobs a job follows.
func (at *node) upstream() string {
	if len(at.after) == 0 {
		return "none"
	}
	words := make([]string, len(at.after))
	for i, e := range at.after {
		words[i] = fmt.Sprintf("%s (%s)", e.from, e.when)
	}
	by := " and "
	if at.any {
		by = " or "
	}
	return strings.Join(words, by)
}

// equal reports whether two plans say the same.
func equal(a, b executor.Changes) bool {
	return slices.Equal(a.Added, b.Added) && slices.Equal(a.Changed, b.Changed) &&
		slices.Equal(a.Removed, b.Removed) && slices.Equal(a.Unchanged, b.Unchanged) &&
		slices.Equal(a.Disabled, b.Disabled) && slices.Equal(a.Paused, b.Paused) &&
		slices.Equal(a.Resumed, b.Resumed) && maps.Equal(a.Why, b.Why)
}
