package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
)

// bulkWaysIn are the ways to submit several tasks at once, or as members of something.
var bulkWaysIn = []*definition{
	{
		Feature: Feature{Name: "Group.Go", API: []string{"Group.Go", "bulk.NewGroup"}, way: wGo},
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.group.Go(l.bodyOf(r), opts...))
		},
	},
	{
		Feature: Feature{Name: "Group.TryGo", API: []string{"Group.TryGo"}, way: wTryGo},
		submit: func(l *life, r *record, opts taskOpts) {
			l.answer(r, nil, l.host.group.TryGo(l.bodyOf(r), opts...))
		},
	},
	{
		Feature: Feature{
			Name: "Overlap.Task", API: []string{"bulk.NewOverlap"}, way: wOverlap, hosts: pools,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			full := []bulk.WhenFull{bulk.SkipNew, bulk.CancelOldest}[r.t.way.pick(0, 2)]
			o, err := bulk.NewOverlap(l.host.executor, 1, full, l.bodyOf(r), opts...)
			if err == nil {
				err = o.Task(context.Background())
			}
			l.answer(r, nil, err)
		},
	},
	{
		Feature: Feature{
			Name: "CompletionService.Submit", way: wCompletion,
			API: []string{"CompletionService.Submit", "CompletionService.SubmitTo",
				"bulk.NewCompletionService"},
		},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.service.Submit(l.function(r), opts...)
			l.answerWith(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "CompletionService.SubmitContext",
			API:  []string{"CompletionService.SubmitContext"}, way: wCompletionContext,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			ctx, cancel := limited(r)
			defer cancel()
			f, err := l.host.service.SubmitContext(ctx, l.function(r), opts...)
			l.answerWith(r, f, err)
		},
	},
	{
		Feature: Feature{Name: "InvokeAll", API: []string{"executor.InvokeAll"}, way: wInvokeAll},
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				fs, err := executor.InvokeAll(ctx, l.host.executor, l.functions(r, 2)...)
				for _, f := range fs {
					if f != nil && !f.State().Settled() {
						l.found.stuck("InvokeAll returns a future that is not settled")
					}
				}
				return err
			})
		},
	},
	{
		Feature: Feature{Name: "InvokeAny", API: []string{"executor.InvokeAny"}, way: wInvokeAny},
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				_, err := executor.InvokeAny(ctx, l.host.executor, l.functions(r, 2)...)
				return err
			})
		},
	},
	{
		Feature: Feature{
			Name: "InvokeAnyHedged", API: []string{"bulk.InvokeAnyHedged"}, way: wHedged,
		},
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				_, err := bulk.InvokeAnyHedged(ctx, l.host.executor,
					ms*time.Duration(r.t.way.pick(2, 6)), l.functions(r, 2)...)
				return err
			})
		},
	},
	{
		Feature: Feature{Name: "Map", API: []string{"bulk.Map"}, way: wMap},
		submit: func(l *life, r *record, _ taskOpts) {
			l.bulk(r, func(ctx context.Context) error {
				_, err := bulk.Map(ctx, l.host.executor, []int{1, 2, 3},
					func(ctx context.Context, _ int) (int, error) { return 0, l.bodyOf(r)(ctx) })
				return err
			})
		},
	},
}
