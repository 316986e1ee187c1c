package simulate

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// draw makes a task; all that is random about it is decided here. It returns nil if there are enough.
func (s *shop) draw() *task {
	k := s.next()
	if k == nil {
		return nil
	}
	s.drawHow(k)
	if !s.oneIn(3) {
		k.takes = s.steps(s.slow)
	}
	k.heeds = k.takes > 0 && s.oneIn(2)
	s.drawSeries(k)
	s.drawEnd(k)
	s.drawInner(k)
	s.drawTimeout(k)
	k.asks = k.periodic() || s.asking && s.oneIn(4)
	if s.oneIn(4) && k.how != executes && k.n < len(k.opts) {
		k.level = time.Duration(s.rng.IntN(3) - 1)
		k.option(executor.Priority(-int(k.level)))
	}
	return k
}

// next returns a new task, to be run at once, without a future.
func (s *shop) next() *task {
	n := len(s.tasks)
	if n == len(s.room) {
		return nil
	}
	k := &s.room[n]
	k.shop, k.id = s, n
	s.tasks = append(s.tasks, k)
	return k
}

func (k *task) option(o executor.TaskOption) {
	k.opts[k.n] = o
	k.n++
}

func (s *shop) drawHow(k *task) {
	if s.table == nil {
		k.how = how(s.rng.IntN(3))
		k.wait = s.steps(12)
		return
	}
	hows := [...]how{executes, executes, submits, submits, schedules, schedules, schedules, schedulesAt, repeats, repeats}
	k.how = hows[s.rng.IntN(len(hows))]
	if k.how >= schedules {
		k.initial = s.steps(20)
		switch {
		case s.oneIn(50):
			k.initial = never
		case s.oneIn(50):
			k.initial = -grid
		}
	}
}

// drawSeries makes k periodic, if it is to be: most series end by themselves after some runs.
func (s *shop) drawSeries(k *task) {
	if k.how != repeats {
		return
	}
	k.rule = burst + rule(s.rng.IntN(5))
	k.rule = min(k.rule, fixedDelay)
	k.period = time.Duration(1+s.rng.IntN(15)) * grid
	k.lastRun = 1 + s.rng.IntN(8)
	if s.oneIn(8) {
		k.lastRun, k.period = 0, k.period*8
	}
	switch k.rule {
	case skip:
		k.option(executor.CatchUp(executor.Skip))
	case coalesce:
		k.option(executor.CatchUp(executor.Coalesce))
	}
}

func (s *shop) drawEnd(k *task) {
	if s.oneIn(12) {
		k.ends = ending(s.rng.IntN(4))
	}
	if s.noExits && k.ends == exits {
		k.ends = fails
	}
	if !k.periodic() {
		return
	}
	k.drawPolicy(s)
	k.goesOn = k.ends == fails && k.policy != executor.StopSeries ||
		k.ends > fails && k.policy == executor.Continue
	if (k.ends == returns || k.goesOn) && k.lastRun > 0 {
		k.option(executor.MaxRuns(k.lastRun))
	}
}

// drawPolicy says what failures mean for a series. The first policy is the default, too.
func (k *task) drawPolicy(s *shop) {
	if k.ends == returns && !s.oneIn(4) {
		return
	}
	if k.policy = executor.ErrorPolicy(s.rng.IntN(3)); k.policy != executor.StopOnPanic {
		k.option(executor.OnError(k.policy))
	}
}

// outlives reports whether k goes on after a run that takes longer than its time-out.
func (k *task) outlives() bool { return k.periodic() && k.policy != executor.StopSeries }

// drawInner gives k something to do in the middle.
func (s *shop) drawInner(k *task) {
	if k.periodic() || !s.oneIn(8) {
		return
	}
	k.inner = submitsChild + inner(s.rng.IntN(4))
	switch k.inner {
	case cancelsItself, waitsAlone:
		if k.how == executes {
			k.inner = nothing
		}
	default:
		if k.child = s.next(); k.child == nil {
			k.inner = nothing
			return
		}
		k.child.isChild, k.child.takes = true, s.steps(4)
		k.child.helped = k.inner == awaitsChild && s.loop == nil || s.callerRuns // or run by its parent, later
		if k.inner == awaitsChild {
			k.child.how = submits
		}
	}
}

// drawTimeout bounds some runs; not in a world where they may be held up beyond it. A task that does not heed its
// context would go on after its end, and one that takes just as long may end either way, as may one whose context
// ends just then.
func (s *shop) drawTimeout(k *task) {
	if !s.exact() || s.base != nil || !k.heeds || k.inner != nothing {
		return
	}
	if k.how == executes || k.n == len(k.opts) || !s.oneIn(6) {
		return
	}
	k.timeout = grid * time.Duration(1+s.rng.IntN(s.slow))
	if k.timeout == k.takes {
		k.timeout += grid
	}
	k.option(executor.Timeout(k.timeout))
}
