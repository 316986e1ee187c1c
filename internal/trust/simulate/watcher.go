package simulate

import (
	"context"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// watcher counts what observers are told, to be compared with the statistics, and checks that the
// parts of each lateness are possible.
type watcher struct {
	submitted, rejected, began, ended, expired, cancelled, dropped atomic.Int64
	strange                                                        atomic.Int64 // latenesses
}

// watch draws whether the executor is observed.
func (es *executorSim) watch() []executor.CommonOption {
	if !es.oneIn(3) {
		return nil
	}
	w := new(watcher)
	es.watcher = w
	count := func(n *atomic.Int64) func(executor.Run) {
		return func(executor.Run) { n.Add(1) }
	}
	opts := []executor.CommonOption{executor.Observe(executor.Observer{
		Submitted: count(&w.submitted),
		Rejected:  func(executor.Run, error) { w.rejected.Add(1) },
		Began: func(ctx context.Context, _ executor.Run) context.Context {
			w.began.Add(1)
			return ctx
		},
		Late:      w.late,
		Ended:     func(context.Context, executor.Run, error) { w.ended.Add(1) },
		Expired:   count(&w.expired),
		Cancelled: count(&w.cancelled),
		Dropped:   func(executor.Run, error) { w.dropped.Add(1) },
	})}
	if es.oneIn(2) {
		opts = append(opts, executor.Watch(insight.Config{ExplainLate: insight.Any}))
	}
	return opts
}

func (w *watcher) late(_ context.Context, _ executor.Run, l insight.Lateness) {
	sum := l.Clock + l.Previous + l.Held + l.Busy + l.Queue + l.Slack + l.Wake
	least := min(l.Clock, l.Previous, l.Held, l.Busy, l.Queue, l.Slack, l.Wake)
	if l.Total <= 0 || sum != l.Total || least < 0 {
		w.strange.Add(1)
	}
}

// auditWatcher compares what observers have been told with the statistics, once all is over.
func (es *executorSim) auditWatcher(c counts) {
	w := es.watcher
	if w == nil {
		return
	}
	for _, told := range []struct {
		what        string
		got, wanted int64
	}{
		{"accepted", w.submitted.Load() - w.rejected.Load(), int64(c.accepted)},
		{"runs", w.began.Load(), int64(c.runs)},
		{"ends of runs", w.ended.Load(), w.began.Load()},
		{"cancelled", w.cancelled.Load(), int64(c.cancelled)},
		{"dropped", w.dropped.Load(), int64(c.returned)},
		{"impossible latenesses", w.strange.Load(), 0},
	} {
		if told.got != told.wanted {
			es.faultLocked(&es.report.Lost, "observers were told of %d %s, not of %d", told.got,
				told.what, told.wanted)
		}
	}
}
