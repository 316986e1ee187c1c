package run

import (
	"context"
	"runtime/pprof"

	"github.com/punctual-go/punctual/internal/cell"
)

// carry makes the runs of pl know the values of the context that its options name. It calls methods
// of that, so the owner's lock must not be held. The context itself is not kept: it may be that of
// a task, which would be kept with it, and so would all those that have submitted each other.
func (pl *Plan) carry() {
	ctx := pl.Values
	pl.Values = nil
	values := cell.ValuesOf(ctx, pl.Host)
	if values == nil {
		return
	}
	var labels context.Context
	if given := pairsOf(ctx); given != nil {
		labels = pl.labelled(given)
		pl.Labels = labels
	}
	pl.Base = values.Over(pl.Base, labels)
}

// labelled returns a context with the labels given by the submitter added to those of the plan, and
// with nothing else. Which pool and task a submitter is itself is left out: it would be wrong here.
func (pl *Plan) labelled(given []string) context.Context {
	var pairs []string
	if pl.Base != nil {
		pairs = pairsOf(pl.Base)
	}
	for i := 0; i < len(given); i += 2 {
		if key := given[i]; key != "pool" && key != "task" {
			pairs = append(pairs, key, given[i+1])
		}
	}
	return pprof.WithLabels(context.Background(), pprof.Labels(pairs...))
}

// Carrying returns body as one whose context also knows the values of ctx, for an executor that is
// not one of this module. Where the two have the same key, ctx wins; but the labels stay those of
// the executor if it has set any.
func Carrying(
	ctx context.Context, body func(context.Context) error,
) func(context.Context) error {
	values := cell.ValuesOf(ctx, nil)
	if values == nil {
		return body
	}
	return func(run context.Context) error {
		return body(values.Over(run, LabelsOf(run)))
	}
}

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
