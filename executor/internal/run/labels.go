package run

import (
	"context"
	"runtime/pprof"
)

// Labelled returns parent with the pprof labels "pool" and "task", or those of the two that have a
// name. If neither has, it returns parent itself, which may be nil. The contexts of runs derive
// from the result, so that pprof.Do adds to these labels.
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

// LabelsOf returns a context that has the pprof labels of ctx and nothing else. ctx may be nil.
// Giving the labels of the result to a goroutine is cheap, and calls no method of a context of the
// user's.
func LabelsOf(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	pairs := pairsOf(ctx)
	if pairs == nil {
		return context.Background()
	}
	return pprof.WithLabels(context.Background(), pprof.Labels(pairs...))
}

// pairsOf returns the pprof labels of ctx, each key followed by its value.
func pairsOf(ctx context.Context) (pairs []string) {
	pprof.ForLabels(ctx, func(key, value string) bool {
		pairs = append(pairs, key, value)
		return true
	})
	return pairs
}

// SetLabels gives the calling goroutine the labels of the task, if the task has a name, or was
// given any by its submitter.
func (pl *Plan) SetLabels() {
	if pl.labels != nil {
		pprof.SetGoroutineLabels(pl.labels)
	}
}
