package simulate

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// begin is the beginning of a body: here is judged whether it is right.
func (s *shop) begin(k *task, ctx context.Context) {
	var run executor.Run
	var ok bool
	if k.asks {
		run, ok = executor.RunFrom(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.pass()
	s.report.Runs++
	s.count(k)
	switch {
	case k.inBody:
		s.fault(&s.report.Duplicate, "task %v, still running, overlaps with itself", k)
	case k.begun > 0 && !k.periodic(), k.ended:
		s.fault(&s.report.Duplicate, "task %v begins after its end", k)
	case k.handedBack && k.periodic() && !k.lastBody && !k.refused:
		k.lastBody = true // it was in a run, which had not come to its body
		s.zombies++
	case k.handedBack, k.refused:
		s.fault(&s.report.Duplicate, "task %v begins though it was handed back, or refused", k)
	case k.cancelled && (k.begun >= k.allowed || k.settledAt < s.quiet):
		s.fault(&s.report.Duplicate, "task %v begins though it was cancelled at %v", k, k.settledAt)
	}
	if !k.cancelled {
		s.pendings--
	} else {
		s.zombies++
	}
	k.inBody, k.startedAt, k.heedsFrom = true, now, now
	k.begun++
	s.judge(k, now)
	switch {
	case !k.asks:
	case !ok:
		s.fault(&s.report.Lost, "task %v does not know its run", k)
	case s.exact():
		s.judgeRun(k, now, run)
	case k.periodic():
		s.adopt(k, run)
	}
	s.running++
	if most := s.allowed + s.guests + s.helping; s.running > most && s.asleep == 0 {
		s.fault(&s.report.Duplicate, "%d bodies at once, of at most %d", s.running, most)
	}
}

// judge says whether k begins too early, too late, or out of turn.
func (s *shop) judge(k *task, now time.Duration) {
	if now < k.due {
		s.fault(&s.report.Early, "task %v, due at %v, begins", k, k.due)
	}
	s.overdue(k)
	if !s.sorted || k.helped || !s.exact() || s.callerRuns && !k.known {
		return
	}
	at := start{id: k.id, due: k.due, from: k.came, then: k.cameInstant, left: s.instant, at: now}
	if s.table == nil {
		at.due = 0
	}
	if s.ranked {
		at.due = k.level
	}
	if s.single {
		at.left = max(at.left, s.lastEnd)
	}
	since := k.there
	if since == 0 {
		since = never64
	}
	if by, bad := s.order.overtaken(at, since, !s.single, k.requeued); bad {
		s.fault(&s.report.Late, "task %v, due at %v, has been overtaken by %v, due at %v", k, k.due, s.tasks[by.id], by.due)
	}
}

const never64 = int64(never)

// overdue judges the time that k has waited; the lock is held.
func (s *shop) overdue(k *task) {
	if s.gauge.overdue(k.latest) {
		s.fault(&s.report.Late, "task %v, due at %v, was there beside a free worker at %v", k, k.latest, s.free)
	}
}

// judgeRun compares what the facility tells of a run with what the calendar says.
func (s *shop) judgeRun(k *task, now time.Duration, run executor.Run) {
	scheduled, missed := k.calendar.begin(now)
	if k.periodic() && (run.Number != uint64(k.begun) || run.Missed != missed || run.Scheduled.Sub(s.start) != scheduled) {
		s.fault(&s.report.Lost, "task %v is in run %d, planned for %v, %d missed, which should be run %d, for %v, %d missed",
			k, run.Number, run.Scheduled.Sub(s.start), run.Missed, k.begun, scheduled, missed)
	}
	if run.Started.Sub(s.start) != now && (k.periodic() || k.timed != nil) {
		s.fault(&s.report.Lost, "task %v believes it started at %v", k, run.Started.Sub(s.start))
	}
}

// adopt takes over when the facility says that the run was planned, where that may depend on who was held up how long.
// Still it is on the grid, and after the last.
func (s *shop) adopt(k *task, run executor.Run) {
	scheduled := run.Scheduled.Sub(s.start)
	right := run.Number == uint64(k.begun) && k.due <= scheduled && scheduled <= s.last
	switch {
	case !k.rule.fixedRate():
	case k.begun == 1 && k.rule == burst:
		k.first = scheduled
	case k.begun == 1:
		k.first = scheduled % k.period
		k.slot = int64(scheduled / k.period)
	default:
		k.slot = int64((scheduled - k.first) / k.period)
		right = right && k.at(k.slot) == scheduled
	}
	k.due = scheduled
	if !right {
		s.fault(&s.report.Lost, "task %v, due at %v, is in run %d, planned for %v", k, k.due, run.Number, scheduled)
	}
}

// end is the end of a body.
func (s *shop) end(k *task, interrupted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.pass()
	s.running--
	if k.lent {
		s.helping--
		s.overdrawn--
	}
	s.lastEnd, s.changed = s.stamp, now
	k.inBody = false
	if k.cancelled || k.handedBack {
		s.zombies--
	}
	s.judgeInterruption(k, now, interrupted)
	failed := k.ends != returns && (!k.periodic() || k.begun == k.lastRun || k.goesOn)
	late := k.timeout > 0 && now-k.startedAt >= k.timeout
	last := !k.periodic() || k.begun == k.lastRun || failed && !k.goesOn || late && !k.outlives()
	switch {
	case k.cancelled:
	case k.handedBack && !last:
		k.latest = never
	case last:
		k.ended = true
		k.settledAt = now
	case s.closing && !s.keepPeriodic: // it will be dropped
		k.latest = never
	default:
		k.calendar.end(now)
		k.latest = max(k.due, now) // nobody can begin it while it runs
		if !s.exact() && (k.rule == skip || k.rule == fixedDelay) {
			k.latest = never
		}
		k.came, k.cameInstant, k.there, k.requeued = s.stamp, s.instant, s.stamp, true
		s.pendings++
	}
}

// judgeInterruption says whether the end of the body's context was right.
func (s *shop) judgeInterruption(k *task, now time.Duration, interrupted bool) {
	late := k.timeout > 0 && now-k.startedAt >= k.timeout
	why := k.cancelling || s.mayStop || s.baseEnded || late
	switch {
	case interrupted && !why:
		s.fault(&s.report.Early, "task %v was interrupted for no reason", k)
	case k.interrupt && k.heeds && k.takes > 0 &&
		max(k.interruptAt, k.heedsFrom) < s.quiet && k.interruptAt >= k.startedAt:
		s.fault(&s.report.Late, "task %v, cancelled at %v, ends", k, k.interruptAt)
	case !interrupted && k.heeds && k.timeout > 0 && k.startedAt+k.timeout < now && s.exact():
		s.fault(&s.report.Late, "task %v has outlived its time-out", k)
	}
}

// count notes that k is accepted, unless that is known; the lock is held.
func (s *shop) count(k *task) {
	if k.accepted {
		return
	}
	k.accepted = true
	s.accepted++
	s.pendings++
}
