package run

import (
	"context"
	"runtime/pprof"
)

// Labelled returns parent with the pprof labels "pool" and "task", of those that have a name; or parent
// itself, which may be nil, if neither has. The context of a run derives from it, so that pprof.Do takes
// them from there.
func Labelled(parent context.Context, executor, task string) context.Context {
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

// LabelsOf returns a context that has the pprof labels of ctx, which may be nil, and nothing else. To
// give them to a goroutine costs little, and calls no method of a context of the user's.
func LabelsOf(ctx context.Context) context.Context {
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

// SetLabels gives the calling goroutine the labels of the task, if it has a name.
func (pl *Plan) SetLabels() {
	if pl.Name != "" {
		pprof.SetGoroutineLabels(pl.Base)
	}
}
