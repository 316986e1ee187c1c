// Package labels names what runs, for profiles.
package labels

import (
	"context"
	"runtime/pprof"
)

// Context returns parent with the pprof labels "pool" and "task", of those that have a name; or parent
// itself, which may be nil, if neither has.
func Context(parent context.Context, executor, task string) context.Context {
	if executor == "" && task == "" {
		return parent
	}
	if parent == nil {
		parent = context.Background()
	}
	var pairs []string
	if executor != "" {
		pairs = append(pairs, "pool", executor)
	}
	if task != "" {
		pairs = append(pairs, "task", task)
	}
	return pprof.WithLabels(parent, pprof.Labels(pairs...))
}
