package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/punctual-go/punctual/bench/rivals/process"
	"github.com/punctual-go/punctual/bench/rivals/report"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

const (
	idleKind = "idle" // which is measured from outside

	// together is how many drivers there are at once. Each keeps still while it is not measured,
	// but it is in memory.
	together = 32

	// patience is for a driver to get ready, and for a round: a little longer than a driver's own,
	// as it can say what is missing. To see that all works, there is no need to wait for those who
	// are very slow.
	patience      = 6 * time.Minute
	quickPatience = 5 * time.Second
)

// measure does the plan. When ctx ends it returns what there is.
func (p plan) measure(ctx context.Context, progress *progress) []report.Workload {
	results := []report.Workload{}
	for _, w := range p.workloads {
		if ctx.Err() != nil {
			break
		}
		progress.begin(w)
		r := report.NewWorkload(w.Workload, w.params, w.rounds)
		for some := range slices.Chunk(w.contenders, together) {
			r.Results = append(r.Results, w.measure(ctx, some, progress)...)
		}
		if len(r.Results) > 0 {
			results = append(results, r)
		}
	}
	return results
}

// turn is one contender at one workload.
type turn struct {
	*planned
	contender
	result *report.Result
	driver *process.Driver // nil if it could not be started, or is closed
}

// measure lets those contenders do all rounds, each round in another order. It returns the results
// of those that have come to do something.
func (p planned) measure(ctx context.Context, contenders []contender, progress *progress) (results []*report.Result) {
	turns := make([]*turn, len(contenders))
	var starting errgroup.Group
	starting.SetLimit(p.startTogether())
	for i, c := range contenders {
		turns[i] = &turn{planned: &p, contender: c, result: &report.Result{System: c.name, Rounds: []workload.Figures{}}}
		starting.Go(func() error {
			turns[i].start(ctx, progress)
			return nil
		})
	}
	_ = starting.Wait() // who has failed has noted it down
	for range p.rounds {
		for _, i := range rand.Perm(len(turns)) {
			turns[i].round(ctx, progress)
		}
	}
	for _, t := range turns {
		t.close()
		if len(t.result.Rounds) > 0 || t.result.Failure != "" {
			results = append(results, t.result)
		}
	}
	return results
}

// startTogether returns how many drivers warm up at once: one after another, as that takes
// processors, unless it does not matter how well.
func (p planned) startTogether() int {
	if p.quick {
		return 4
	}
	return 1
}

func (t *turn) start(ctx context.Context, progress *progress) {
	defer progress.done(*t.planned)
	if ctx.Err() != nil {
		return
	}
	o := process.Options{Name: t.name, Ready: patience, Round: patience}
	if t.quick {
		o.Ready, o.Round = quickPatience, quickPatience
	}
	if t.Kind == idleKind {
		o.Quiet = time.Duration(t.params["for_ms"]) * time.Millisecond
	}
	d, err := process.Start(ctx, t.command(ctx, t.Kind, t.sizes()), o)
	if err != nil {
		t.fail(ctx, err, progress)
		return
	}
	t.driver = d
}

func (t *turn) round(ctx context.Context, progress *progress) {
	defer progress.done(*t.planned)
	if t.driver == nil || ctx.Err() != nil {
		return
	}
	figures, err := t.driver.Measure(ctx)
	if err == nil {
		err = t.checkFigures(figures)
	}
	if err != nil {
		t.close()
		t.fail(ctx, err, progress)
		return
	}
	t.result.Rounds = append(t.result.Rounds, figures)
}

// checkFigures returns an error unless the figures are among those of the workload.
func (t *turn) checkFigures(figures workload.Figures) error {
	if len(figures) == 0 {
		return fmt.Errorf("%s: it has measured nothing", t.name)
	}
	for name := range figures {
		if !slices.ContainsFunc(t.Figures, func(f workload.Figure) bool { return f.Name == name }) {
			return fmt.Errorf("%s: %q is no figure of %s", t.name, name, t.Name)
		}
	}
	return nil
}

// fail notes a failure down, unless it is that of being interrupted.
func (t *turn) fail(ctx context.Context, err error, progress *progress) {
	if ctx.Err() != nil {
		return
	}
	t.result.Failure = err.Error()
	progress.note(fmt.Sprintf("%s: %v", t.Name, err))
}

// close ends the driver. How it ends is of no interest: it has said what it had to say.
func (t *turn) close() {
	if t.driver != nil {
		_ = t.driver.Close()
		t.driver = nil
	}
}
