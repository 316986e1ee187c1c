// Package plan calculates what a scheduled pool will do with series on calendars: which run comes
// when, for what it waits, and where there are too few workers.
//
// The calculation takes the steps that the pool takes, in the same order, but of time only the
// instants at which something happens. A worker that is free takes the task that was due first, and
// of those due at the same time the one that was submitted first; the next run of a series counts
// as submitted when the last has ended. A series does not overlap itself, and one run stands for
// all slots of it that passed while it waited, as with [executor.Coalesce].
//
// It costs O(log s) per run, where s is the number of series.
package plan

import "time"

// Calendar tells when a series comes next, as a cron.Schedule does: the first time that is later
// than after, or the zero time if there is none.
type Calendar interface {
	Next(after time.Time) time.Time
}

// Job is one series.
type Job struct {
	Name     string
	Line     string // of cron, as it is shown
	Calendar Calendar
	// Estimate is how long a run takes. Zero means that nobody knows: such a run takes no time
	// here, so it keeps nobody waiting, but it does wait for a worker.
	Estimate time.Duration
}

// Window is the time that a plan is for. A slot at From belongs to it, one at To does not.
type Window struct{ From, To time.Time }

// Length returns how long the window is, in elapsed time.
func (w Window) Length() time.Duration { return w.To.Sub(w.From) }

// Run is one run of a job. Its times are counted from the beginning of the window:
//
//	Due ······· Ready ······· Start ═══════ End
//	  own run in    waits for a
//	  progress      worker
type Run struct {
	Job    int
	Due    time.Duration // the first slot that it stands for
	Slot   time.Duration // the last one
	Ready  time.Duration // from here on only a worker was missing
	Start  time.Duration
	End    time.Duration
	Missed int // slots that it stands for besides the one
}

// WaitsForItself returns how long the run before was still in progress.
func (r Run) WaitsForItself() time.Duration { return r.Ready - r.Due }

// WaitsForWorker returns how long all workers were busy with others.
func (r Run) WaitsForWorker() time.Duration { return r.Start - r.Ready }

// Plan is what the pool will do.
type Plan struct {
	Jobs    []Job
	Window  Window
	Workers int
	// Runs are all runs with a slot in the window, in the order in which they start. The last of
	// them may start, or end, after it.
	Runs []Run
	// LeftOut are the jobs that would come so often, that they alone were too much; by number. They
	// take no worker in this plan.
	LeftOut []int
	// Cut is true if there were more slots than the limit; then the window ends where they did.
	Cut bool
}

// At returns the instant that a time of a run stands for.
func (p *Plan) At(since time.Duration) time.Time { return p.Window.From.Add(since) }
