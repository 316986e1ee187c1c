package simulate

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// close ends the executor in one of many ways, and waits until it has terminated.
func (s *shop) close() {
	if s.pool != nil && s.table != nil {
		s.policies()
	}
	way := s.rng.IntN(7)
	if s.loop != nil && s.oneIn(4) {
		way = 7
	}
	switch way {
	case 0, 1:
		s.shut(false, s.exec.Shutdown)
		s.forgo()
	case 2:
		s.closeAll(context.Background())
	case 3:
		ctx, cancel := context.WithTimeout(context.Background(), s.steps(20))
		s.closeAll(ctx)
		cancel()
	case 4:
		s.shut(true, func() { s.handBack(s.exec.ShutdownNow()) })
	case 5:
		s.shut(false, s.exec.Shutdown)
		time.Sleep(s.steps(20))
		s.shut(true, func() { s.handBack(s.exec.ShutdownNow()) })
	case 7:
		s.closeGracefully()
	default:
		s.closeFromInside()
	}
	s.offer(s.next()) // it should be refused
	s.await()
}

// policies sets what becomes of later tasks after a shutdown.
func (s *shop) policies() {
	table := s.table.(*executor.ScheduledPool)
	if s.oneIn(3) {
		s.dropDelayed = true
		table.SetExecuteDelayedAfterShutdown(false)
	}
	if s.oneIn(3) {
		s.keepPeriodic = true
		table.SetContinuePeriodicAfterShutdown(true)
	}
}

// shut notes that the executor is told to end, by call; at once, or in peace.
func (s *shop) shut(atOnce bool, call func()) {
	s.mu.Lock()
	now := s.pass()
	if !s.closing {
		s.closing, s.closedAt = true, now
	}
	if atOnce {
		s.listing(now)
	} else {
		s.unlisted = true
	}
	s.stopped = s.stopped || atOnce
	s.mayStop = s.stopped
	s.mu.Unlock()
	call()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = s.pass()
}

// closeAll has the executor drop what is not due, and wait for the rest; when ctx ends, for nothing any more.
func (s *shop) closeAll(ctx context.Context) {
	s.mu.Lock()
	now := s.pass()
	s.closing, s.closedAt, s.dropDelayed, s.keepPeriodic = true, now, true, false
	s.changed, s.mayStop = now, ctx.Done() != nil
	s.listing(now)
	s.mu.Unlock()
	report, err := s.exec.CloseContext(ctx)
	s.mu.Lock()
	now = s.pass()
	if end, ok := ctx.Deadline(); err != nil {
		s.stopped = true
		if s.changed = now; !ok || end.Sub(s.start) < s.quiet {
			s.fault(&s.report.Late, "Close with a deadline returned: %v", err)
		}
	}
	s.mu.Unlock()
	s.handBack(report.Dropped)
}

// listing notes that a list of what is dropped is about to be made; the lock is held.
func (s *shop) listing(now time.Duration) {
	if s.listedFrom == 0 {
		s.listedFrom = now
	}
}

// closeFromInside has a task tell the executor to end.
func (s *shop) closeFromInside() {
	k := s.next()
	if k == nil {
		s.shut(false, s.exec.Shutdown)
		s.forgo()
		return
	}
	k.inner = stops + inner(s.rng.IntN(2))
	if !s.offer(k) || s.discards {
		s.shut(false, s.exec.Shutdown)
	}
	time.Sleep(s.steps(8))
	s.shut(false, s.exec.Shutdown) // it may have a long way to come
	s.forgo()
}

// forgo cancels what would keep the executor for ever.
func (s *shop) forgo() {
	time.Sleep(s.steps(30))
	for _, k := range s.tasks {
		if k.initial == never || k.rule != once {
			s.cancel(k, 0)
		}
	}
}

// await waits for the end of the executor. It comes as soon as there is nothing left.
func (s *shop) await() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	from := s.now()
	err := s.exec.AwaitTermination(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	switch {
	case err != nil:
		s.fault(&s.report.Stuck, "no end after an hour, with %d bodies and %d waiting: %v", s.running, s.pendings, err)
	case max(s.changed, from) < s.quiet && !s.quieting:
		s.fault(&s.report.Late, "the end came late: what it waited for was over at %v", s.changed)
	}
}

// handBack tells tasks that they have been handed back.
func (s *shop) handBack(tasks []executor.Pending) {
	for _, p := range tasks {
		if p.Task != nil {
			_ = p.Task(handBack{context.Background()})
		}
	}
}

// takeBack notes that k has been handed back.
func (s *shop) takeBack(k *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	switch {
	case k.handedBack:
		s.fault(&s.report.Duplicate, "task %v is handed back twice", k)
	case !k.mayReturn(s.listedFrom):
		s.fault(&s.report.Duplicate, "task %v is handed back though it has begun, or ended", k)
	}
	s.count(k)
	k.handedBack = true
	if k.inBody && !k.cancelled {
		s.zombies++
	}
	if !k.periodic() && s.closedAt >= k.latest {
		s.overdue(k)
	}
}

// mayReturn reports whether k may be in a list of dropped tasks of which the first was begun at the
// given time: a task that has not begun; a series that had not ended then, though it may be in a
// run since, and this may have been its last by a failure or a cancellation, of which nobody knew.
func (k *task) mayReturn(from time.Duration) bool {
	if !k.periodic() {
		return !k.cancelled && !k.ended && k.begun == 0
	}
	if (k.cancelled || k.ended) && k.settledAt < from {
		return false
	}
	known := k.ends == returns || k.goesOn // by MaxRuns
	return !known || k.lastRun == 0 || k.begun < k.lastRun
}
