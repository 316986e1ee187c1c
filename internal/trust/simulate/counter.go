package simulate

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// drive is what the driver of a shop does: to submit, to wait, to cancel, to fiddle with the sizes, and in between to
// let time pass; in the end to close the shop.
func (s *shop) drive() {
	if s.table != nil && s.oneIn(30) {
		s.flood()
	}
	for s.more() {
		time.Sleep(s.steps(s.pause))
		for range 1 + s.rng.IntN(6) {
			s.act()
		}
		if s.oneIn(3) {
			s.rest()
			s.offer(s.draw()) // with nothing else going on
		}
	}
	s.rest()
	s.close()
	time.Sleep(time.Second) // for those who come too late
	s.audit()
}

// act is one step of the driver.
func (s *shop) act() {
	switch n := s.rng.IntN(20); {
	case n < 10:
		s.offer(s.draw())
	case n < 12:
		later(s.world, func(k *task) { s.offer(k) }, s.draw())
	case n < 15:
		if k := latest(s.world, s.tasks); k != nil {
			go s.get(k, s.steps(16), s.oneIn(4))
		}
	case n < 18:
		way := s.rng.IntN(3)
		if s.oneIn(2) {
			later(s.world, func(k *task) { s.cancel(k, way) }, latest(s.world, s.tasks))
		} else if k := latest(s.world, s.tasks); k != nil {
			s.cancel(k, way)
		}
	case n < 19:
		s.gather()
	default:
		s.fiddle()
	}
}

// gather does something many times at once: a row of tasks without futures, which a pool may deal out as one, or
// several submitters at a time.
func (s *shop) gather() {
	if s.oneIn(2) {
		s.look()
		return
	}
	n := 2 + s.rng.IntN(5)
	if s.oneIn(2) {
		for range n {
			if k := s.draw(); k != nil {
				go s.offer(k)
			}
		}
		return
	}
	for range n * (1 + s.rng.IntN(4)) {
		if k := s.next(); k != nil {
			s.offer(k)
		}
	}
}

// flood schedules more tasks than a large heap has, which are due together; and a series whose late runs come before
// most of them.
func (s *shop) flood() {
	k := s.next()
	k.how, k.rule, k.period, k.takes, k.lastRun, k.asks = repeats, burst, grid, 4*grid, 40, true
	k.option(executor.MaxRuns(k.lastRun))
	s.offer(k)
	d := s.steps(6) + grid
	for range min(700, s.budget*3/4) {
		k := s.next()
		k.how, k.initial = schedules, d
		if s.oneIn(16) {
			k.initial = s.steps(8)
		}
		if s.oneIn(8) {
			k.takes = grid
		}
		s.offer(k)
	}
}

// look asks the facility about a task that it knows.
func (s *shop) look() {
	k := latest(s.world, s.tasks)
	if k == nil || !s.knows(k) {
		return
	}
	s.did(1)
	if k.timed == nil {
		_ = k.future.State()
		return
	}
	s.mu.Lock() // what is known before the question: its next run may begin before the answer is looked at
	due, planned, begun := min(s.pass(), k.due), k.latest != never, k.begun
	s.mu.Unlock()
	at, ok := k.timed.Next()
	runs := k.timed.Runs()
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && s.exact() && planned && at.Sub(s.start) < due {
		s.fault(&s.report.Early, "task %v, due at %v, is said to begin at %v", k, due, at.Sub(s.start))
	}
	if int(runs) < begun {
		s.fault(&s.report.Lost, "task %v had begun %d times, and is said to have %d times", k, begun, runs)
	}
}

// fiddle changes what can be changed while an executor runs. A scheduled pool and a plain one may grow and shrink.
func (s *shop) fiddle() {
	if s.pool == nil {
		return
	}
	s.did(1)
	switch s.rng.IntN(9) {
	case 0, 1:
		s.resize()
	case 2:
		_ = s.pool.SetKeepAlive(s.steps(8) + grid)
	case 3:
		_ = s.pool.SetCoreTimeout(s.oneIn(2))
	case 4:
		s.pool.PrestartWorkers()
	case 5:
		_ = s.pool.Running()
	case 6:
		s.endBase()
	default:
		s.inOrder(s.pool.Queued())
	}
}

// endBase ends the context that those of all runs derive from.
func (s *shop) endBase() {
	if s.base == nil || !s.oneIn(4) {
		return
	}
	s.mu.Lock()
	s.baseEnded = true
	s.mu.Unlock()
	s.base()
}

// inOrder looks at what the pool says that waits.
func (s *shop) inOrder(waiting []executor.Pending) {
	if s.table == nil {
		return
	}
	for i := 1; i < len(waiting); i++ {
		a, b := waiting[i-1].Scheduled, waiting[i].Scheduled
		if !a.IsZero() && !b.IsZero() && b.Before(a) {
			s.blame(&s.report.Late, "what waits is not in order: %v before %v", a.Sub(s.start), b.Sub(s.start))
		}
	}
}

// resize changes the core size.
func (s *shop) resize() {
	if s.fixed {
		return
	}
	n := 1 + s.rng.IntN(4)
	s.mu.Lock()
	s.pass()
	grow := n > s.size
	if !grow {
		s.size = n
	}
	s.allowed = max(s.allowed, n)
	s.single = false
	s.mu.Unlock()
	err := s.pool.SetCoreSize(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	s.size, s.most = n, n
	if err != nil {
		s.fault(&s.report.Lost, "core size %d: %v", n, err)
	}
}
