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

// Endings settle tasks of an owner that end without a run of their own.
type Endings struct {
	*Env
	settling *Settling
	waits    *Waits
	views    *Views
}

// Drop settles a waiting task that is handed back, and reports whether it was not settled before.
// Then [Endings.TellAll] is to follow.
func (e *Endings) Drop(c *cell.Cell, pl *Plan) (d Dropped, dropped bool) {
	if pl.failed != nil {
		return e.Discard(c, pl, pl.Dropped)
	}
	if !c.DropQuietly() {
		return d, false
	}
	e.waits.unlimit(pl)
	delay.At(delay.CellSettled)
	return Dropped{cell: c, plan: pl, err: pl.Dropped, watchers: c.Release()}, true
}

// Discard is Drop with an error of its own. That of an attempt which the task has made is joined,
// and reported if there is no future to ask for it.
func (e *Endings) Discard(c *cell.Cell, pl *Plan, err error) (d Dropped, dropped bool) {
	err = dropError(pl, err)
	if !c.DiscardQuietly(err) {
		return d, false
	}
	e.waits.unlimit(pl)
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
func (e *Endings) Tells(d Dropped) bool {
	return e.Observed || d.watchers.Any() || d.report
}

// TellAll tells of tasks that have been dropped, and ends the settling that the caller has begun.
// What it calls may end the goroutine; then another tells of the rest.
func (e *Endings) TellAll(ds []Dropped) {
	over := false
	defer func() {
		if over {
			e.settling.EndSettling()
			return
		}
		e.settling.disownSettling()
		go func() {
			e.settling.adoptSettling()
			e.TellAll(ds)
		}()
	}()
	for len(ds) > 0 {
		d := ds[0]
		ds = ds[1:]
		e.tell(d)
	}
	over = true
}

// tell tells of one task. Each step is deferred behind the one before, which may end the goroutine.
func (e *Endings) tell(d Dropped) {
	if d.report {
		defer func() { e.Report(e.views.Describe(d.cell, d.plan), d.err) }()
	}
	if e.Observed {
		defer e.dropped(d.cell, d.plan, d.err)
	}
	d.watchers.Notify()
}

// Refuse settles a task that would have gone on, had it not been cancelled during its run, or the
// owner shut down. A series is dropped, which the owner counts by returned. A task that would have
// been tried again fails with the error of its last attempt; that of a series is joined. The lock
// is not held.
func (e *Endings) Refuse(c *cell.Cell, pl *Plan, returned func()) {
	// The run is over, so nothing else tells that the owner waits for the caller.
	defer e.settling.Settles()()
	delay.At(delay.SeriesRefused)
	if !pl.Periodic() && pl.failed != nil {
		e.giveUp(c, pl)
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
		e.Lock.Lock()
		e.settling.EndedLocked(c)
		e.Lock.Unlock()
	case pl.Ends():
		returned()
	}
	delay.At(delay.CellSettled)
	watchers := c.Release()
	if dropped {
		e.tell(Dropped{cell: c, plan: pl, err: err, watchers: watchers})
		return
	}
	e.over(c, pl) // it may have been cancelled after the end of the run was told
	watchers.Notify()
}

// giveUp tells of the end of a task that runs once and would have been tried again, but may not be.
// Count has settled it, unless it was cancelled first; then all is done but to end the run.
func (e *Endings) giveUp(c *cell.Cell, pl *Plan) {
	run, err := e.views.Describe(c, pl), pl.failed
	failed := c.FinishQuietly(err) || pl.final
	e.over(c, pl)
	e.Lock.Lock()
	e.settling.EndedLocked(c)
	if failed {
		e.Counts.Completed++
	}
	e.Lock.Unlock()
	if failed && pl.Reports {
		defer e.Report(run, err) // also if one of those who watch ends the goroutine
	}
	delay.At(delay.CellSettled)
	c.Wake()
}

// TellsCancelledLocked is called when a task has been cancelled by its future. It returns what
// tells the tap of it, nil if that is not to be told; the owner does not end before that has been
// called. A series that was handed back during a run had ended before, so it is told as dropped.
// The lock is held.
func (e *Endings) TellsCancelledLocked(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	if !e.Observed && pl.overtime == nil { // so much is inlined
		return nil
	}
	return e.tellsCancelledLocked(c, pl, handedBack)
}

func (e *Endings) tellsCancelledLocked(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	pl.overtime.stop()
	if !e.Observed {
		return nil
	}
	e.settling.SettlesLocked()
	return func() {
		defer e.settling.EndSettling()
		if handedBack {
			e.dropped(c, pl, c.Err())
			return
		}
		e.Told(News{What: TaskCancelled, Task: c, Plan: pl})
	}
}

// TellsCancelled is TellsCancelledLocked for a caller who does not hold the lock, and takes it only
// if there is something to do.
func (e *Endings) TellsCancelled(c *cell.Cell, pl *Plan, handedBack bool) (tell func()) {
	if !e.Observed && !pl.limited() {
		return nil
	}
	e.Lock.Lock()
	defer e.Lock.Unlock()
	return e.TellsCancelledLocked(c, pl, handedBack)
}

// HandBackLocked hands c back if it is a series in a run that is not its last, and reports whether
// it is. That run goes on, and no other follows. The series counts as returned from here on,
// however the run ends; the end of the run settles its future.
func (e *Endings) HandBackLocked(c *cell.Cell, pl *Plan, now int64) bool {
	e.readWallLocked(pl)
	return pl.Periodic() && !pl.Last(now) && c.Phase() == cell.Running && pl.Ends()
}
