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

// Only returns a context that has the pprof labels of ctx, which may be nil, and nothing else. To
// give them to a goroutine costs little, and calls no method of a context of the user's.
func Only(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	var pairs []string
	pprof.ForLabels(ctx, func(key, value string) bool {
		pairs = append(pairs, key, value)
		return true
	})
	if pairs == nil {
		return context.Background()
	}
	return pprof.WithLabels(context.Background(), pprof.Labels(pairs...))
}
