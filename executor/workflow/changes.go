package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/punctual-go/punctual/executor"
)

// relinked adds to changes what has become of what jobs follow.
func (s step) relinked(ch executor.Changes) executor.Changes {
	unchanged, changed := ch.Unchanged, ch.Changed
	ch.Unchanged, ch.Changed, ch.Why = nil, nil, maps.Clone(ch.Why)
	for _, at := range s.to.nodes {
		before := s.from.named[at.name]
		relinks := before != nil && before.upstream() != at.upstream()
		switch {
		case slices.Contains(changed, at.name), relinks && slices.Contains(unchanged, at.name):
			ch.Changed = append(ch.Changed, at.name)
			if relinks {
				because(&ch, at.name, "after "+before.upstream()+" -> "+at.upstream())
			}
		case slices.Contains(unchanged, at.name):
			ch.Unchanged = append(ch.Unchanged, at.name)
		}
	}
	return ch
}

// because adds why a job is changed.
func because(ch *executor.Changes, name, text string) {
	if ch.Why == nil {
		ch.Why = map[string]string{}
	}
	if by := ch.Why[name]; by != "" {
		text = by + "; " + text
	}
	ch.Why[name] = text
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
