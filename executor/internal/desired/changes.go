// Package desired says what Apply of a pool does with jobs, and why, in words.
package desired

import (
	"maps"
	"slices"
)

// Changes is the type of that name in package executor, field by field.
type Changes struct {
	Added     []string
	Changed   []string
	Removed   []string
	Unchanged []string
	Disabled  []string
	Paused    []string
	Resumed   []string
	Why       map[string]string
}

// Equal reports whether two say the same.
func (ch *Changes) Equal(other *Changes) bool {
	return slices.Equal(ch.Added, other.Added) && slices.Equal(ch.Changed, other.Changed) &&
		slices.Equal(ch.Removed, other.Removed) && slices.Equal(ch.Unchanged, other.Unchanged) &&
		slices.Equal(ch.Disabled, other.Disabled) && slices.Equal(ch.Paused, other.Paused) &&
		slices.Equal(ch.Resumed, other.Resumed) && maps.Equal(ch.Why, other.Why)
}

// Change adds a job that becomes another.
func (ch *Changes) Change(name, why string) {
	ch.Changed = append(ch.Changed, name)
	if ch.Why == nil {
		ch.Why = map[string]string{}
	}
	ch.Why[name] = why
}

// Pause adds a job if it is paused afterwards and was not before, or the other way round.
func (ch *Changes) Pause(name string, before, after bool) {
	switch {
	case before == after:
	case after:
		ch.Paused = append(ch.Paused, name)
	default:
		ch.Resumed = append(ch.Resumed, name)
	}
}
