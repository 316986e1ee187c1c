package run

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/internal/wall"
)

// Owner is a pool or a loop, as seen by the runs of its tasks. The owner fills in the exported
// fields before its first task, and does not change them afterwards.
type Owner struct {
	Reporter

	Host  cell.Host // of its cells
	Lock  *sync.Mutex
	Clock clock.Clock // never shows 0, which stands for a time that nobody has read
	Wall  wall.Clock

	Unnamed     context.Context // parent of the contexts of tasks without a name; may be nil
	ErrShutdown error           // the variable of that name in package executor

	Counts  *Counts
	Settled func() // called without the lock when a settling is over, as that may be the end

	// Requeue moves a waiting task to another time. It reports false if the task does not wait, or
	// may not be moved there any more. Called with the lock held, it returns what is to be called
	// without it, or nil.
	Requeue func(c *cell.Cell, when, now int64) (moved bool, then func())

	// MayRepeat reports whether a task with this plan may wait for another run or attempt. Called
	// with the lock held.
	MayRepeat func(pl *Plan) bool

	// SetAside takes a waiting task out of the queue, begins a run of it for which Aside is set,
	// and returns what takes that through its states without the lock; nil if the task does not
	// wait. It is called with the lock held.
	SetAside func(c *cell.Cell, why Skip) (finish func())

	Size     int  // how many tasks may run at a time, as made
	Recorded bool // CloseRecording may have to wait; set by Open

	// Open sets these.
	Sight          // is told of the owner itself; never nil
	Tap       Tap  // the same, if it is told of runs; nil while nothing watches them
	Observed  bool // the tap is told of tasks beside their runs, too
	Watched   bool // there are hooks around runs, or a tap
	described bool // and they are told which run it is

	watch watch // of the wall clock

	// The lock guards these.
	series register
	ends   Tap // is told of the ends of runs; nil while it is not
	Supply Supply

	// The lock guards these; see settling.go.
	settling []uint64 // goroutines about to settle tasks, or to tell of that
	awaited  int      // tasks found cancelled, less the callers who have come to say so
}

// Counts holds the counters of runs. The owner's lock guards them.
type Counts struct {
	Runs      uint64 // bodies that have ended
	Completed uint64 // tasks ended by their run
	Failures  uint64 // failed runs
	Retries   uint64 // failed attempts that another is to follow
	TimedOut  uint64 // runs that have exceeded their timeout
	Expired   uint64 // runs that came too late and did not begin
}

// requeue is Requeue, after which a worker may be lacking no more.
func (o *Owner) requeue(c *cell.Cell, when, now int64) (moved bool, then func()) {
	defer o.RecheckShortageLocked()
	return o.Requeue(c, when, now)
}

// setAside is SetAside, after which a worker may be lacking no more.
func (o *Owner) setAside(c *cell.Cell, why Skip) (finish func()) {
	defer o.RecheckShortageLocked()
	return o.SetAside(c, why)
}

// Init fills in pl for tasks with these options. Detail is what leads from a cell of such a task
// back to the plan.
func (o *Owner) Init(pl *Plan, options series.Options, detail any) {
	base := o.Unnamed
	if options.Name != "" {
		base = Labelled(o.Base, o.Name, options.Name)
		pl.Labels = base
	}
	// The errors are made here, once for all tasks of the plan: dropping one then allocates
	// nothing.
	pl.Series = series.Series{Grid: series.Grid{Options: options}}
	pl.Plan = cell.Plan{
		Host:    o.Host,
		Base:    base,
		Given:   o.Base,
		Timeout: options.Timeout,
		Late:    newLate(o.Subject(options.Name), options.Timeout),
		Dropped: future.CancelledError(o.ShutDown(options.Name)),
		Detail:  detail,
	}
	pl.bind(o)
	if options.BeginWithin > 0 {
		pl.overtime = &overtime{err: newExpired(o.Subject(options.Name), options.BeginWithin)}
	}
	if options.Values != nil {
		pl.carry()
	}
}

// Copy fills in pl for tasks with the options of another plan, whose errors and labels it shares,
// and with the values of a context, unless that is nil.
func (o *Owner) Copy(pl, like *Plan, detail any, values context.Context) {
	pl.Series = series.Series{Grid: series.Grid{Options: like.Options}}
	pl.Plan = like.Plan
	pl.Detail = detail
	pl.bind(o)
	pl.Labels = like.Labels
	if like.overtime != nil {
		pl.overtime = &overtime{err: like.overtime.err}
	}
	if values != nil {
		pl.Values = values
		pl.carry()
	}
}

// bind notes whether the options of a plan are special, and between which times its runs are planned.
func (pl *Plan) bind(o *Owner) {
	os := &pl.Options
	bounded := !os.From.IsZero() || !os.Until.IsZero()
	if bounded {
		pl.Bound(o.bound(os.From), o.bound(os.Until))
	}
	pl.special = bounded || os.MaxRuns > 0 || os.CatchUp == series.Shift || os.Timeout > 0 ||
		os.BeginWithin > 0 || os.Retry.Attempts > 1 || os.PauseAfter > 0 || os.DelayBy != nil ||
		os.SuccessWithin > 0 || os.StartWithin > 0 || os.Within != nil
}

// bound returns a time as one of the clock, or 0 for the zero time.
func (o *Owner) bound(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(o.Clock.At(t), 1)
}

// OwnTime returns the time on the owner's clock at which a task is to run once. Only if it may not
// begin too late, that may have passed.
func (o *Owner) OwnTime(pl *Plan, at time.Time) int64 {
	if pl.BeginWithin == 0 {
		return o.Clock.At(at)
	}
	return o.moment().On(at)
}

// CheckBounds returns an error if a series has no run that is not too late.
func (o *Owner) CheckBounds(pl *Plan, initial time.Duration) error {
	if !pl.Series.Ends(clock.Later(o.Clock.Now(), initial)) {
		return nil
	}
	return o.neverBegins(pl)
}

// neverBegins returns the error with which to refuse a series that Until leaves no run.
func (o *Owner) neverBegins(pl *Plan) error {
	text := "no run comes before Until " + pl.Until.String()
	return o.Refusal(pl.Name, text, Invalid("%s", text))
}

// Owns reports whether a run is one of the owner's.
func (o *Owner) Owns(run *cell.Cell) bool { return run.Plan != nil && run.Plan.Host == o.Host }

// Delay returns the time until the next run of c. It is negative for a run that is late, in
// progress or over.
func (o *Owner) Delay(c *cell.Cell, pl *Plan) time.Duration {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return time.Duration(pl.DueAt(c) - o.Clock.Now())
}

// NextLocked returns the time for which c waits. The lock is held.
func (o *Owner) NextLocked(c *cell.Cell, pl *Plan) time.Time {
	if t, ok := pl.OnWall(); ok {
		return t
	}
	return o.Clock.Time(pl.DueAt(c))
}

// Runs returns how many runs of c have begun.
func (o *Owner) Runs(c *cell.Cell, pl *Plan) uint64 {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return o.runsLocked(c, pl)
}

func (o *Owner) runsLocked(c *cell.Cell, pl *Plan) uint64 {
	if pl.Periodic() {
		return pl.Runs
	}
	// It may have been early, or have expired.
	if c.Started == 0 || pl.Dates != nil && pl.Attempt() == 0 || pl.overtime.expired() {
		return 0
	}
	return 1
}

// Describe describes the run of c that is in progress.
func (o *Owner) Describe(c *cell.Cell, pl *Plan) Info {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return o.DescribeLocked(c, pl)
}

// DescribeLocked is Describe for a caller who holds the lock. A run whose start was not recorded,
// because nothing wanted to know, is given the present time.
func (o *Owner) DescribeLocked(c *cell.Cell, pl *Plan) Info {
	if c.Started == 0 {
		c.Started = o.Clock.Now()
		if c.When == 0 { // it was submitted without a time
			c.When = c.Started
		}
	}
	info := Info{
		Name:      pl.Name,
		Number:    1,
		Scheduled: o.Clock.Time(c.When),
		Started:   o.Clock.Time(c.Started),
	}
	info.Attempt = pl.attempt()
	if pl.Periodic() {
		info.Number, info.Missed, info.Triggered = pl.Runs, pl.missed(), pl.Extra()
		info.Periodic = true
	}
	if shown, ok := onWallLocked(c, pl); ok {
		info.Scheduled, info.Started = shown.scheduled, shown.started
	}
	return info
}
