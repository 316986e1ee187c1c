package simulate

import (
	"errors"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// audit closes the books: every task has one end, its future says which, and the executor has counted right.
func (s *shop) audit() {
	var sum counts
	c := s.stats()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	for _, k := range s.tasks {
		switch {
		case k.inBody:
			s.fault(&s.report.Stuck, "task %v has not returned", k)
		case !k.accepted:
		case k.how == executes:
			s.auditBare(k, &sum)
		default:
			s.auditFuture(k, &sum)
		}
	}
	sum.accepted, sum.runs = uint64(s.accepted), uint64(s.report.Runs)
	if c.runs != sum.runs && s.hooked && c.runs > sum.runs {
		sum.runs = c.runs // those whose bodies a hook has prevented
	}
	if sum != c {
		s.fault(&s.report.Lost, "in the end the counts are %+v, and should be %+v", c, sum)
	}
	if s.hooked && (uint64(s.before.Load()) != c.runs || s.before.Load() != s.after.Load()) {
		s.fault(&s.report.Lost, "%d runs, but %d calls of the hook before them, and %d of that after",
			c.runs, s.before.Load(), s.after.Load())
	}
}

// auditBare is for a task without a future.
func (s *shop) auditBare(k *task, sum *counts) {
	switch {
	case k.begun == 1 && !k.handedBack:
		sum.completed++
	case k.begun == 0 && (s.discards || s.mayDrop(k) && (k.handedBack || s.unlisted)):
		sum.returned++
	default:
		s.fault(&s.report.Lost, "task %v, due at %v, has begun %d times", k, k.due, k.begun)
	}
}

func (s *shop) auditFuture(k *task, sum *counts) {
	result, ok := k.future.Poll()
	if !ok {
		s.fault(&s.report.Lost, "the future of task %v, due at %v, is not settled; cancelled %t", k, k.due, k.cancelled)
		return
	}
	err, right := result.Err, true
	var panicked *future.PanicError
	if k.handedBack && k.begun > 0 { // in a run, of which the end does not count
		sum.returned++
		sum = new(counts)
	}
	switch {
	case err == nil:
		sum.completed++
		right = k.ended && !k.cancelled && (k.ends == returns || k.goesOn)
	case errors.Is(err, executor.ErrShutdown):
		sum.returned++
		right = !k.cancelled && s.mayDrop(k) && (k.begun == 0 || k.periodic()) &&
			(k.handedBack || s.unlisted)
	case errors.Is(err, executor.ErrSaturated):
		sum.returned++
		right = !k.cancelled && s.discards && k.begun == 0
	case errors.Is(err, future.ErrCancelled):
		sum.cancelled++
		right = k.cancelled
	case errors.Is(err, future.ErrTimeout):
		sum.completed++
		right = k.timeout > 0 && k.ended && k.timeout < k.takes &&
			(!k.outlives() || k.ends > fails && !k.goesOn) // which was late and then panicked
	default:
		sum.completed++
		right = k.ended && !k.cancelled && (err == errBoom && k.ends == fails ||
			errors.As(err, &panicked) && k.ends == panics || err == future.ErrGoexit && k.ends == exits)
	}
	if !right {
		s.fault(&s.report.Lost, "task %v, due at %v, cancelled %t, handed back %t, has an unlikely outcome: %v",
			k, k.due, k.cancelled, k.handedBack, err)
	}
}

// mayDrop reports whether a shutdown may have dropped k.
func (s *shop) mayDrop(k *task) bool {
	switch {
	case s.stopped:
		return true
	case !s.closing || s.table == nil:
		return false
	case k.periodic():
		return !s.keepPeriodic
	default:
		return s.dropDelayed && k.latest > s.closedAt
	}
}
