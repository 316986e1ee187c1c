package run

import (
	"log/slog"
	"strings"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Overview: an owner is short of workers while a task is due and each worker has been in one and
// the same run; a loop has one worker, its goroutine. What waits for its gap, its pace or another
// attempt is not due, and nothing is while the owner is paused or shut down. After a minute the
// owner says so, and again after 2, 4, 8 … minutes more; meanwhile its health is degraded.
//
// Nobody looks at the queue while all workers are busy, so a timer does: it is set when all have
// come to be busy, and fires a minute later. If nothing is due then, it is set again for a minute
// after the next task will be, if there is one; and a submission tells of what is due before that.
// So an owner costs one timer a minute at most, and none while it does nothing; and as the warnings
// end with the one after a year, a testing/synctest bubble in which nothing can go on is still
// found to be deadlocked.

// Crew is what an owner says of its workers. Its methods are called with the lock held.
type Crew interface {
	// LackingSince returns since when a task has been due and no worker has been free for it, and
	// false if that is not so.
	LackingSince(now int64) (since int64, lacks bool)

	// NextLack returns when a task may be due without a free worker, now that none is: clock.Never
	// if a worker is free, or if no such task is known. From then on the owner has to call
	// BusyLocked when a task comes that is due before that.
	NextLack(now int64) int64

	// Short is called when the owner has become short of workers, and when it is so no more.
	Short(short bool)

	// Holders returns the runs in progress, those that have lasted longest first.
	Holders() []Holder

	// Waiting returns how many tasks wait.
	Waiting() int
}

// shortage is what an owner knows of a lack of workers. Its lock guards it.
//
//	calm     -> watching  all workers are busy: the timer is set
//	watching -> calm      it fires: nothing due has been waiting, or a worker is idle
//	watching -> lacking   it fires: all have been busy for a minute, and something due has waited
//	calm     -> lacking   it fires, likewise: what was due later has come to be due, and waited
//	lacking  -> lacking   it fires again, after twice the time
//	lacking  -> watching  a worker has taken a task, or what has waited is gone
//	any      -> calm      the owner is shut down
type shortage struct {
	state    shortageState
	timer    *time.Timer // made on first use
	gap      time.Duration
	nextTold int64 // no warning before
}

type shortageState uint8

const (
	calm shortageState = iota
	watching
	lacking
)

const (
	// shortAfter is after what time without a free worker an owner is short of workers.
	shortAfter = time.Minute
	// longestGap is the longest time between two warnings; there is none after it.
	longestGap = shortAfter << 19
	// mostHolders bounds how many runs a warning names, and mostInText how many a reason does.
	mostHolders = 10
	mostInText  = 3
)

// Watching reports whether the timer is set to look for a shortage within a minute. The lock is
// held.
func (o *Owner) Watching() bool { return o.shortage.state == watching }

// Short reports whether the owner is short of workers. The lock is held.
func (o *Owner) Short() bool { return o.shortage.state == lacking }

// BusyLocked is called when all workers are busy. The lock is held.
func (o *Owner) BusyLocked() {
	switch o.shortage.state {
	case calm:
		o.watchLocked(o.Clock.Now())
	case lacking:
		o.RecheckShortageLocked()
	}
}

// RecheckShortageLocked ends a shortage that is over. It is called when that may be so. The lock is
// held.
func (o *Owner) RecheckShortageLocked() {
	if o.shortage.state == lacking { // so much is inlined
		o.recheckShortageLocked()
	}
}

func (o *Owner) recheckShortageLocked() {
	now := o.Clock.Now()
	since, lacks := o.Crew.LackingSince(now)
	if !lacks || now-since <= int64(shortAfter) {
		o.watchLocked(now)
	}
}

// watchLocked has the timer look for a shortage in a minute.
func (o *Owner) watchLocked(now int64) {
	o.becomeLocked(watching)
	o.setShortageLocked(clock.Later(now, shortAfter+1), now)
}

// becomeLocked sets the state.
func (o *Owner) becomeLocked(state shortageState) {
	before := o.shortage.state
	o.shortage.state = state
	if (before == lacking) != (state == lacking) {
		o.Crew.Short(state == lacking)
		o.HealthChangedLocked()
	}
}

// setShortageLocked sets the timer.
func (o *Owner) setShortageLocked(at, now int64) {
	s := &o.shortage
	if in := time.Duration(at - now); s.timer == nil {
		s.timer = time.AfterFunc(in, o.lookForShortage)
	} else {
		s.timer.Reset(in)
	}
}

// EndShortageLocked stops looking for a shortage. The lock is held, and the owner refuses tasks.
func (o *Owner) EndShortageLocked() {
	if o.shortage.timer != nil {
		o.shortage.timer.Stop()
	}
	o.becomeLocked(calm)
}

// lookForShortage is what the timer calls.
func (o *Owner) lookForShortage() {
	o.Lock.Lock()
	warning := o.lookForShortageLocked()
	o.Lock.Unlock()
	if warning != nil {
		warning()
	}
}

// lookForShortageLocked looks whether the owner is short of workers, and sets the timer again if
// that has to be looked at later. It returns what writes the warning, if there is to be one. A
// timer that was stopped or set again just now may call it early, which does no harm.
func (o *Owner) lookForShortageLocked() (warning func()) {
	now := o.Clock.Now()
	since, lacks := o.Crew.LackingSince(now)
	switch {
	case !lacks:
		o.shortage.gap, o.shortage.nextTold = 0, 0
		o.becomeLocked(calm)
		if at := o.Crew.NextLack(now); at != clock.Never {
			o.setShortageLocked(clock.Later(at, shortAfter+1), now)
		}
	case now-since <= int64(shortAfter):
		o.becomeLocked(watching)
		o.setShortageLocked(clock.Later(since, shortAfter+1), now)
	default:
		o.becomeLocked(lacking)
		return o.warnLocked(since, now)
	}
	return nil
}

// warnLocked returns what warns of a shortage, unless it is too early for that, and sets the timer
// for the next warning.
func (o *Owner) warnLocked(since, now int64) (warning func()) {
	s := &o.shortage
	if now < s.nextTold {
		o.setShortageLocked(s.nextTold, now)
		return nil
	}
	s.gap = max(2*s.gap, shortAfter)
	if s.nextTold = clock.Later(now, s.gap); s.gap <= longestGap {
		o.setShortageLocked(s.nextTold, now)
	}
	holders := o.Crew.Holders()
	text := shortText(time.Duration(now-since), holders)
	var by []string
	for _, h := range holders[:min(len(holders), mostHolders)] {
		by = append(by, called(h.Name, 1)+" since "+h.Started.Format(time.RFC3339))
	}
	waiting := o.Crew.Waiting()
	return func() {
		o.Warn(text, slog.Int("waiting", waiting), slog.String("held_by", strings.Join(by, ", ")))
	}
}

// Lack is what a lack of workers means for the health of an owner.
type Lack struct {
	Reason string // empty if it is not degraded by that
	Down   bool   // and down: the lack lasts longer than the shortest time that is expected
}

// LackLocked returns what a lack of workers means for the health now. The lock is held.
func (o *Owner) LackLocked() Lack {
	now := o.Clock.Now()
	since, lacks := o.Crew.LackingSince(now)
	if !lacks {
		return Lack{}
	}
	d, within := time.Duration(now-since), o.ShortestLocked()
	down := within > 0 && d > within
	if !down && d <= shortAfter {
		return Lack{}
	}
	return Lack{shortText(d, o.Crew.Holders()), down}
}

// shortText says for how long no worker has been free, and which runs have held one for longest.
func shortText(d time.Duration, holders []Holder) string {
	return "no worker has been free for " + d.Round(time.Millisecond).String() +
		TextOf(holders[:min(len(holders), mostInText)])
}
