package runlog

import (
	"cmp"
	"container/list"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Run is what is kept of a run, or of an attempt of one with [executor.Retry]. The attempts of a
// run have the same Number and Scheduled.
type Run struct {
	executor.Run
	Pool  string `json:"pool,omitempty"`
	Trace string `json:"trace,omitempty"` // the id of its trace

	Ended   bool          `json:"ended,omitempty"`
	Took    time.Duration `json:"took,omitempty"` // once it has ended
	Error   string        `json:"error,omitempty"`
	Skipped bool          `json:"skipped,omitempty"` // it has not failed: see executor.ErrSkipped

	Progress *Position `json:"progress,omitempty"` // nil if it has not said how far it is
	Lines    []Line    `json:"lines,omitempty"`    // the last ones, in order
	Dropped  uint64    `json:"dropped,omitempty"`  // how many came before these
}

// Runs returns what is kept of the runs of the tasks of a name, the latest first.
func (l *Log) Runs(pool, task string) []Run {
	l.mu.Lock()
	known := slices.Clone(l.tasks[taskKey{pool, task}])
	l.mu.Unlock()
	runs := make([]Run, len(known))
	for i, r := range known {
		runs[i] = r.shown(true)
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Number, a.Number),
			cmp.Compare(b.Attempt, a.Attempt))
	})
	return runs
}

// InProgress returns the runs of a pool that go on, and have said how far they are: without their
// lines, the first that has said so first.
func (l *Log) InProgress(pool string) (runs []Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r := range each(&l.running) {
		if r.pool == pool && r.progress.said.Load() {
			runs = append(runs, r.shown(false))
		}
	}
	return runs
}

func each(all *list.List) func(yield func(*record) bool) {
	return func(yield func(*record) bool) {
		for e := all.Front(); e != nil && yield(e.Value.(*record)); e = e.Next() {
		}
	}
}

func (r *record) shown(lines bool) Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := Run{Run: r.run, Pool: r.pool, Trace: r.trace, Ended: r.ended, Took: r.took, Error: r.err,
		Skipped: r.skipped, Progress: r.progress.position(), Dropped: r.dropped}
	if lines {
		run.Lines = r.inOrder()
	}
	return run
}

// Tasks returns the names of the tasks of a pool of whose runs something is kept, in order.
func (l *Log) Tasks(pool string) (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.tasks {
		if key.pool == pool {
			names = append(names, key.name)
		}
	}
	slices.Sort(names)
	return names
}

// Stats is how much is kept.
type Stats struct {
	Runs    int    `json:"runs"`
	Bytes   int64  `json:"bytes"`
	Dropped uint64 `json:"dropped"` // lines that are not kept any more, or never were for lack of room
}

// Stats returns how much is kept.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Runs: l.running.Len() + l.ended.Len(), Bytes: l.bytes.Load(),
		Dropped: l.dropped.Load()}
}
