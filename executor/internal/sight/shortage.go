package sight

import (
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/text"
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
	// Running yields the runs in progress, and Limit returns how many there may be. Both are asked
	// only if late runs are explained.
	Running() iter.Seq[*run.Execution]
	Limit() int

	// Held reports whether nothing is to start.
	Held() bool

	// Stage names the stage of the owner, and reports whether it takes tasks.
	Stage() (name string, open bool)

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
	Holders() []insight.Holder

	// Waiting returns how many tasks wait.
	Waiting() int
}

// shortage is how it is looked for a lack of workers. The owner's lock guards it, and its state,
// which is the Supply of the owner.
//
//	calm     -> watching  all workers are busy: the timer is set
//	watching -> calm      it fires: nothing due has been waiting, or a worker is idle
//	watching -> lacking   it fires: all have been busy for a minute, and something due has waited
//	calm     -> lacking   it fires, likewise: what was due later has come to be due, and waited
//	lacking  -> lacking   it fires again, after twice the time
//	lacking  -> watching  a worker has taken a task, or what has waited is gone
//	any      -> calm      the owner is shut down
type shortage struct {
	sight    *Sight
	timer    *time.Timer // made on first use
	gap      time.Duration
	nextTold int64 // no warning before
}

const (
	// shortAfter is after what time without a free worker an owner is short of workers.
	shortAfter = time.Minute
	// longestGap is the longest time between two warnings; there is none after it.
	longestGap = shortAfter << 19
	// mostHolders bounds how many runs a warning names, and mostInText how many a reason does.
	mostHolders = 10
	mostInText  = 3
)

// BusyLocked is that of [run.Sight].
func (s *Sight) BusyLocked() {
	switch s.owner.Supply {
	case run.Calm:
		s.shortage.watchLocked(s.owner.Clock.Now())
	case run.Lacking:
		s.RecheckShortageLocked()
	}
}

// RecheckShortageLocked is that of [run.Sight].
func (s *Sight) RecheckShortageLocked() {
	now := s.owner.Clock.Now()
	since, lacks := s.crew.LackingSince(now)
	if !lacks || now-since <= int64(shortAfter) {
		s.shortage.watchLocked(now)
	}
}

// watchLocked has the timer look for a shortage in a minute.
func (sh *shortage) watchLocked(now int64) {
	sh.becomeLocked(run.Watching)
	sh.setLocked(clock.Later(now, shortAfter+1), now)
}

// becomeLocked sets the state.
func (sh *shortage) becomeLocked(state run.Supply) {
	before := sh.sight.owner.Supply
	sh.sight.owner.Supply = state
	if (before == run.Lacking) != (state == run.Lacking) {
		sh.sight.crew.Short(state == run.Lacking)
		sh.sight.expected.health.changeLocked()
	}
}

// setLocked sets the timer.
func (sh *shortage) setLocked(at, now int64) {
	if in := time.Duration(at - now); sh.timer == nil {
		sh.timer = time.AfterFunc(in, sh.look)
	} else {
		sh.timer.Reset(in)
	}
}

// EndShortageLocked is that of [run.Sight].
func (s *Sight) EndShortageLocked() {
	if s.shortage.timer != nil {
		s.shortage.timer.Stop()
	}
	s.shortage.becomeLocked(run.Calm)
}

// look is what the timer calls.
func (sh *shortage) look() {
	sh.sight.owner.Lock.Lock()
	warning := sh.lookLocked()
	sh.sight.owner.Lock.Unlock()
	if warning != nil {
		warning()
	}
}

// lookLocked looks whether the owner is short of workers, and sets the timer again if that has to
// be looked at later. It returns what writes the warning, if there is to be one. A timer that was
// stopped or set again just now may call it early, which does no harm.
func (sh *shortage) lookLocked() (warning func()) {
	now := sh.sight.owner.Clock.Now()
	since, lacks := sh.sight.crew.LackingSince(now)
	switch {
	case !lacks:
		sh.gap, sh.nextTold = 0, 0
		sh.becomeLocked(run.Calm)
		if at := sh.sight.crew.NextLack(now); at != clock.Never {
			sh.setLocked(clock.Later(at, shortAfter+1), now)
		}
	case now-since <= int64(shortAfter):
		sh.becomeLocked(run.Watching)
		sh.setLocked(clock.Later(since, shortAfter+1), now)
	default:
		sh.becomeLocked(run.Lacking)
		return sh.warnLocked(since, now)
	}
	return nil
}

// warnLocked returns what warns of a shortage, unless it is too early for that, and sets the timer
// for the next warning.
func (sh *shortage) warnLocked(since, now int64) (warning func()) {
	if now < sh.nextTold {
		sh.setLocked(sh.nextTold, now)
		return nil
	}
	sh.gap = max(2*sh.gap, shortAfter)
	if sh.nextTold = clock.Later(now, sh.gap); sh.gap <= longestGap {
		sh.setLocked(sh.nextTold, now)
	}
	holders := sh.sight.crew.Holders()
	say := shortText(time.Duration(now-since), holders)
	var by []string
	for _, h := range holders[:min(len(holders), mostHolders)] {
		by = append(by, text.Called(h.Name, 1)+" since "+h.Started.Format(time.RFC3339))
	}
	waiting := sh.sight.crew.Waiting()
	return func() {
		sh.sight.owner.Warn(say, slog.Int("waiting", waiting),
			slog.String("held_by", strings.Join(by, ", ")))
	}
}

// lackLocked returns why a lack of workers degrades the health now, empty if it does not; and
// whether the owner is down, as the lack lasts longer than the shortest time that is expected.
func (sh *shortage) lackLocked() (reason string, down bool) {
	now := sh.sight.owner.Clock.Now()
	since, lacks := sh.sight.crew.LackingSince(now)
	if !lacks {
		return "", false
	}
	d, within := time.Duration(now-since), sh.sight.expected.shortestLocked()
	down = within > 0 && d > within
	if !down && d <= shortAfter {
		return "", false
	}
	return shortText(d, sh.sight.crew.Holders()), down
}

// shortText says for how long no worker has been free, and which runs have held one for longest.
func shortText(d time.Duration, holders []insight.Holder) string {
	all := "no worker has been free for " + d.Round(time.Millisecond).String()
	if len(holders) == 0 {
		return all
	}
	var by []string
	for _, h := range holders[:min(len(holders), mostInText)] {
		by = append(by, h.String())
	}
	return all + " (" + strings.Join(by, ", ") + ")"
}
