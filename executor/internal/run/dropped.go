package run

import (
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// Dropped is a task that its owner has settled, and of which it is still to tell: those who wait
// for its future know, those who watch it, and the observers, do not. These are user code, so all
// that belongs to the drop is done and counted first.
type Dropped struct {
	cell     *cell.Cell
	plan     *Plan
	err      error // of its future
	watchers cell.Watchers
	report   bool // the error, as there is no future to ask for it
}

// Drop settles a waiting task that is handed back, and reports whether it was not settled before.
// Then [Owner.TellAll] is to follow.
func (o *Owner) Drop(c *cell.Cell, pl *Plan) (d Dropped, dropped bool) {
	if pl.failed != nil {
		return o.Discard(c, pl, pl.Dropped)
	}
	if !c.DropQuietly() {
		return d, false
	}
	o.unlimit(pl)
	delay.At(delay.CellSettled)
	return Dropped{cell: c, plan: pl, err: pl.Dropped, watchers: c.Release()}, true
}

// Discard is Drop with an error of its own. That of an attempt which the task has made is joined,
// and reported if there is no future to ask for it.
func (o *Owner) Discard(c *cell.Cell, pl *Plan, err error) (d Dropped, dropped bool) {
	err = dropError(pl, err)
	if !c.DiscardQuietly(err) {
		return d, false
	}
	o.unlimit(pl)
	delay.At(delay.CellSettled)
	return Dropped{c, pl, err, c.Release(), pl.Reports && pl.failed != nil}, true
}

// dropError returns the error of a task that is dropped: the given one, and that of its last
// attempt if it was to be tried again.
func dropError(pl *Plan, err error) error {
	if pl.failed == nil {
		return err
	}
	return cell.Joined(err, pl.failed)
}

// Tells reports whether anything is to be told of d.
func (o *Owner) Tells(d Dropped) bool {
	return o.Observed || d.watchers.Any() || d.report
}

// TellAll tells of tasks that have been dropped, and ends the settling that the caller has begun.
// What it calls may end the goroutine; then another tells of the rest.
func (o *Owner) TellAll(ds []Dropped) {
	over := false
	defer func() {
		if over {
			o.EndSettling()
			return
		}
		o.disownSettling()
		go func() {
			o.adoptSettling()
			o.TellAll(ds)
		}()
	}()
	for len(ds) > 0 {
		d := ds[0]
		ds = ds[1:]
		o.tell(d)
	}
	over = true
}

// tell tells of one task. Each step is deferred behind the one before, which may end the goroutine.
func (o *Owner) tell(d Dropped) {
	if d.report {
		defer func() { o.Report(o.Describe(d.cell, d.plan), d.err) }()
	}
	if o.Observed {
		defer o.dropped(d.cell, d.plan, d.err)
	}
	d.watchers.Notify()
}

// Refuse settles a task that would have gone on, had it not been cancelled during its run, or the
// owner shut down. A series is dropped, which the owner counts by returned. A task that would have
// been tried again fails with the error of its last attempt; that of a series is joined. The lock
// is not held.
func (o *Owner) Refuse(c *cell.Cell, pl *Plan, returned func()) {
	defer o.Settles()() // the run is over, so nothing else tells that the owner waits for the caller
	delay.At(delay.SeriesRefused)
	if !pl.Periodic() && pl.failed != nil {
		o.giveUp(c, pl)
		return
	}
	err := dropError(pl, pl.Dropped)
	dropped := false
	if pl.failed == nil {
		dropped = c.DropQuietly()
	} else {
		dropped = c.DiscardQuietly(err)
	}
	c.FinishQuietly(nil) // settles nothing; it ends the run that Begin has started
	switch {
	case !dropped:
		o.Lock.Lock()
		o.EndedLocked(c)
		o.Lock.Unlock()
	case pl.Ends():
		returned()
	}
	delay.At(delay.CellSettled)
	watchers := c.Release()
	if dropped {
		o.tell(Dropped{cell: c, plan: pl, err: err, watchers: watchers})
		return
	}
	o.over(c, pl) // it may have been cancelled after the end of the run was told
	watchers.Notify()
}

// dropped tells the tap that a task has been dropped, with the error of its future.
func (o *Owner) dropped(c *cell.Cell, pl *Plan, err error) {
	if o.Observed {
		o.Told(News{What: TaskDropped, Task: c, Plan: pl, Err: err})
	}
}

// over tells the tap that a task has ended after what seemed not to be its last run.
func (o *Owner) over(c *cell.Cell, pl *Plan) {
	if o.Observed {
		o.Told(News{What: TaskOver, Task: c, Plan: pl})
	}
}

// giveUp tells of the end of a task that runs once and would have been tried again, but may not be.
// Count has settled it, unless it was cancelled first; then all is done but to end the run.
func (o *Owner) giveUp(c *cell.Cell, pl *Plan) {
	run, err := o.Describe(c, pl), pl.failed
	failed := c.FinishQuietly(err) || pl.final
	o.over(c, pl)
	o.Lock.Lock()
	o.EndedLocked(c)
	if failed {
		o.Counts.Completed++
	}
	o.Lock.Unlock()
	if failed && pl.Reports {
		defer o.Report(run, err) // also if one of those who watch ends the goroutine
	}
	delay.At(delay.CellSettled)
	c.Wake()
}
