package executor

import (
	"log/slog"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
)

// Overview: a pool is short of workers while a task is due and each worker has been in one and the
// same run. What waits for its gap, its pace or another attempt is not due, and nothing is while the
// pool is paused or shut down. After a minute the pool says so, and again after 2, 4, 8 … minutes
// more; meanwhile its health is degraded.
//
// Nobody looks at the queue while all workers are busy, so a timer does: it is set when a worker has
// taken a task and no other is idle, and fires a minute later. It is not set again if nothing waits;
// then the next submission tells, as after any taker that has found nothing. So a pool costs one
// timer a minute at most, and none while it does nothing; and as the warnings end with the one after
// a year, a testing/synctest bubble in which nothing can go on is still found to be deadlocked.

// shortage is what a pool knows of a lack of workers. Its lock guards it.
//
//	calm     -> watching  all workers are busy: the timer is set
//	watching -> calm      it fires: nothing due has been waiting, or a worker is idle
//	watching -> short     it fires: all have been busy for a minute, and something due has waited
//	short    -> short     it fires again, after twice the time
//	short    -> watching  a worker has taken a task, or what has waited was cancelled
//	any      -> calm      the pool is shut down
type shortage struct {
	state    shortageState
	timer    *time.Timer // made on first use
	at       int64       // when it fires
	noticed  int64       // since when a task of unknown time is known to wait; 0 if none is
	ended    uint64      // bodies that had ended then
	gap      time.Duration
	nextTold int64 // no warning before
}

type shortageState uint8

const (
	calm shortageState = iota
	watching
	short
)

const (
	// shortAfter is after what time without a free worker a pool is short of workers.
	shortAfter = time.Minute
	// longestGap is the longest time between two warnings; there is none after it.
	longestGap = shortAfter << 19
	// mostHolders bounds how many runs a warning names.
	mostHolders = 10
)

// busyLocked is called when all workers are busy, and the shortage is calm or short.
func (p *Pool) busyLocked() {
	s := &p.shortage
	now := p.clock.Now()
	switch {
	case p.stage != running:
	case s.state == calm:
		s.state, s.noticed = watching, 0
		p.setShortageLocked(clock.Later(now, shortAfter+1), now)
	default:
		p.recheckShortageLocked(now)
	}
}

// recheckShortageLocked ends the shortage if it is over.
func (p *Pool) recheckShortageLocked(now int64) {
	s := &p.shortage
	if since, waits := p.shortSinceLocked(now); s.state != short ||
		waits && now-since > int64(shortAfter) {
		return
	}
	s.state = watching
	p.runs.HealthChangedLocked()
	p.setShortageLocked(clock.Later(now, shortAfter+1), now)
}

// setShortageLocked sets the timer.
func (p *Pool) setShortageLocked(at, now int64) {
	s := &p.shortage
	s.at = at
	if in := time.Duration(at - now); s.timer == nil {
		s.timer = time.AfterFunc(in, p.lookForShortage)
	} else {
		s.timer.Reset(in)
	}
}

// endShortageLocked stops looking for a shortage.
func (p *Pool) endShortageLocked() {
	if p.shortage.timer != nil {
		p.shortage.timer.Stop()
	}
	p.shortage.state = calm
}

// lookForShortage is what the timer calls.
func (p *Pool) lookForShortage() {
	p.mu.Lock()
	warning := p.lookForShortageLocked()
	p.mu.Unlock()
	if warning != nil {
		warning()
	}
}

// lookForShortageLocked looks whether the pool is short of workers, and sets the timer again if
// that has to be looked at later. It returns what writes the warning, if there is to be one.
func (p *Pool) lookForShortageLocked() (warning func()) {
	s := &p.shortage
	now := p.clock.Now()
	if s.state == calm || now < s.at {
		return nil // stopped, or set to another time, just now
	}
	since, waits := p.shortSinceLocked(now)
	before := s.state
	switch {
	case !waits:
		s.state, s.gap, s.nextTold = calm, 0, 0
		p.awaitDueLocked(now)
	case now-since <= int64(shortAfter):
		s.state = watching
		p.setShortageLocked(clock.Later(since, shortAfter+1), now)
	default:
		s.state = short
		warning = p.warnLocked(since, now)
	}
	if (before == short) != (s.state == short) {
		p.runs.HealthChangedLocked()
	}
	return warning
}

// awaitDueLocked watches on if all workers are busy and the head is due later: nothing else tells.
func (p *Pool) awaitDueLocked(now int64) {
	head, _, _ := p.headLocked()
	if head > now && head != clock.Never && p.stage == running && !p.pause.on && p.allBusyLocked() {
		p.shortage.state = watching
		p.setShortageLocked(clock.Later(head, shortAfter+1), now)
	}
}

// warnLocked returns what warns of a shortage, unless it is too early for that, and sets the timer
// for the next warning.
func (p *Pool) warnLocked(since, now int64) (warning func()) {
	s := &p.shortage
	if now < s.nextTold {
		p.setShortageLocked(s.nextTold, now)
		return nil
	}
	s.gap = max(2*s.gap, shortAfter)
	if s.nextTold = clock.Later(now, s.gap); s.gap <= longestGap {
		p.setShortageLocked(s.nextTold, now)
	}
	running := p.runningLocked()
	text := shortText(time.Duration(now-since), running)
	var by []string
	for _, r := range running[:min(len(running), mostHolders)] {
		name := r.Name
		if name == "" {
			name = "unnamed"
		}
		by = append(by, name+" since "+r.Started.Format(time.RFC3339))
	}
	waiting := p.waitingLocked() + p.heldBack
	return func() {
		p.runs.Warn(text, slog.Int("waiting", waiting), slog.String("held_by", strings.Join(by, ", ")))
	}
}

// allBusyLocked reports whether no worker can take a task.
func (p *Pool) allBusyLocked() bool {
	return p.overdrawnLocked() ||
		len(p.workers) >= p.limitLocked() && p.lot.Idle()+p.lot.Coming() == 0
}

// shortSinceLocked returns since when a task has been due and no worker has been free for it, and
// false if that is not so.
func (p *Pool) shortSinceLocked(now int64) (since int64, waits bool) {
	s := &p.shortage
	if p.stage != running || p.pause.on || !p.allBusyLocked() {
		return 0, false
	}
	head, due, _ := p.headLocked()
	if head == parking.Nothing || !due && head > now {
		s.noticed = 0
		return 0, false
	}
	since = max(head, p.pause.over)
	known := head > 0 // when the task has become due
	for x := range p.executionsLocked() {
		switch {
		case x.Task == nil:
		case x.bare && !p.watched.Load(), x.Task.Started == 0:
			known = false
		default:
			since = max(since, x.Task.Started)
		}
	}
	if !known {
		_, ended := p.playedLocked()
		if ended += p.counts.Runs; s.noticed == 0 || ended != s.ended {
			s.noticed, s.ended = now, ended
		}
		since = max(since, s.noticed)
	}
	return since, true
}

// shortForLocked returns for how long a task has been due without a worker for it; 0 if none has.
func (p *Pool) shortForLocked() time.Duration {
	now := p.clock.Now()
	since, waits := p.shortSinceLocked(now)
	if !waits {
		return 0
	}
	return max(time.Duration(now-since), 0)
}

// shortText says for how long no worker has been free, and which runs have held one for longest.
func shortText(d time.Duration, running []Running) string {
	const most = 3
	var holders []run.Holder
	for _, r := range running[:min(len(running), most)] {
		holders = append(holders, run.Holder{Info: run.Info(r.Run), For: r.For})
	}
	return "no worker has been free for " + d.Round(time.Millisecond).String() + run.TextOf(holders)
}
