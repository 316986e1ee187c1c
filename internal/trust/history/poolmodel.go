package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// poolRules are those of one pool.
type poolRules struct {
	workers  int
	capacity int // negative if there are no bounds
	timed    bool
	tasks    int
	before   [][]bool // see leaving
	moved    []bool   // see resets
}

// poolStep is an operation of the model: one instant of an operation of a client, or of what a
// worker does.
type poolStep struct {
	do       poolMove
	task     int
	from, to time.Duration // between which the clock was
	in       PoolInput
	out      PoolOutput
}

type poolMove uint8

const (
	moveSubmit   poolMove = iota
	moveEnter             // SubmitContext has found room, or begun to wait
	moveLeave             // SubmitContext returns
	moveCancel            // the future is settled, or was already
	moveWithdraw          // the future is settled, or the task has begun
	moveReset             // the task has another time, or does not wait
	movePause             // no worker takes a task any more
	moveResume            // or they do again
	moveUnqueue           // a cancelled task is not in the queue any more
	moveTake              // a worker has the task
	moveEnd               // the body has ended
	moveFree              // the worker is free
	moveGet
	moveStats
	moveQueued
	moveShutDown // nothing is accepted any more
	moveDrain    // ShutdownNow empties the queue
	moveDrainEnd // ShutdownNow returns
	moveAwait
)

func poolModel(h History) porcupine.Model {
	r := poolRules{workers: h.Workers, capacity: h.Capacity, timed: h.Kind == Scheduled}
	if h.Kind != Bounded && h.Kind != HandOff {
		r.capacity = -1
	}
	for _, n := range h.Notes {
		r.tasks = max(r.tasks, n.Input.(PoolInput).Task+1)
	}
	r.before, r.moved = leaveOrder(h, r.tasks), resets(h, r.tasks)
	return porcupine.Model{
		Init: func() any {
			s := &poolState{tasks: make([]taskPhase, r.tasks)}
			if r.timed {
				s.zone = emptyZone()
			}
			return s
		},
		Step: func(state, input, _ any) (bool, any) {
			s, op := state.(*poolState), input.(*poolStep)
			if !r.precheck(s, op) {
				return false, state
			}
			next := s.clone()
			if !r.step(&next, op) {
				return false, state
			}
			r.admit(&next)
			return true, &next
		},
		Equal: func(a, b any) bool { return a.(*poolState).equal(b.(*poolState)) },
		DescribeOperation: func(input, _ any) string {
			op := input.(*poolStep)
			switch op.do {
			case moveTake:
				return fmt.Sprintf("take %d", op.task)
			case moveFree:
				return fmt.Sprintf("free after %d", op.task)
			}
			return fmt.Sprintf("%v: %v", op.in, op.out)
		},
		DescribeState: func(state any) string {
			s := state.(*poolState)
			return fmt.Sprintf("stage %d, queue %v, waiting for room %v, %d busy", s.stage,
				s.queue(), s.roomWaiters, s.busy)
		},
	}
}

// precheck refuses cheaply most of what is not possible.
func (r poolRules) precheck(s *poolState, op *poolStep) bool {
	switch phase := s.tasks[op.task]; op.do {
	case moveTake:
		if phase != waiting || s.busy == r.workers || s.paused {
			return false
		}
		return r.timed && s.zone.mayPop(op.task, op.to) || !r.timed && s.fifo[0] == op.task
	case moveFree:
		return afterFree(phase) != absent
	case moveUnqueue:
		return phase != waiting && phase != drained
	case moveLeave:
		return op.out.Answer != Accepted || phase >= waiting
	}
	return true
}

// step reports whether the move is possible in the state s, and makes it.
func (r poolRules) step(s *poolState, op *poolStep) bool {
	phase := &s.tasks[op.task]
	switch op.do {
	case moveSubmit, moveEnter:
		return *phase == absent && r.submit(s, op)
	case moveLeave:
		return s.leave(op.task, op.out.Answer)
	case moveCancel:
		return transition(phase, afterCancel(*phase, op.out.OK))
	case moveWithdraw:
		return transition(phase, afterWithdraw(*phase, op.out.OK))
	case moveReset:
		if !op.out.OK {
			return *phase > waiting && s.zone.elapse(op.from, op.to)
		}
		return *phase == waiting && s.move(op)
	case movePause:
		s.paused = s.stage == poolRuns
		return true
	case moveResume:
		was := s.paused
		s.paused = false
		return op.out.OK == was
	case moveUnqueue:
		if *phase == removed {
			s.unqueue(op.task)
			*phase = cancelled
		}
		return true
	case moveTake:
		*phase = running
		s.busy++
		return (!r.timed || s.zone.elapse(op.from, op.to)) && s.pop(op.task)
	case moveEnd:
		return transition(phase, afterEnd(*phase))
	case moveFree:
		s.busy--
		return transition(phase, afterFree(*phase))
	case moveGet:
		return transition(phase, afterGet(*phase, op.out.Answer))
	case moveStats:
		return op.out.Busy == s.busy && (op.out.Queued < 0 || op.out.Queued == len(s.queue()))
	case moveQueued:
		named := slices.DeleteFunc(slices.Clone(op.out.Tasks),
			func(task int) bool { return task < 0 })
		return len(op.out.Tasks) == len(s.queue()) && s.ordered(named)
	case moveShutDown:
		s.shutDown()
		return true
	case moveDrain:
		return s.drain(op.out.Tasks)
	case moveDrainEnd:
		return s.stage == poolStops && !slices.Contains(s.tasks, drained)
	default:
		return s.stage != poolRuns && s.busy == 0 && len(s.queue())+len(s.roomWaiters) == 0 &&
			!slices.Contains(s.tasks, drained)
	}
}

// afterCancel is where a task stands after a cancellation that has settled it, or has not; absent
// if that cannot be.
func afterCancel(phase taskPhase, did bool) taskPhase {
	switch phase {
	case waiting, drained, running:
		if !did {
			return absent
		}
		return [...]taskPhase{waiting: removed, drained: cancelled,
			running: cancelledRunning}[phase]
	case ended:
		if did {
			return cancelledRunning
		}
		return settled
	}
	if did || phase < waiting {
		return absent
	}
	return phase
}

// afterWithdraw is likewise when a withdrawal has settled it, or has not.
func afterWithdraw(phase taskPhase, did bool) taskPhase {
	switch {
	case did && (phase == waiting || phase == drained):
		return afterCancel(phase, did)
	case did || phase == waiting || phase == drained || phase < waiting:
		return absent
	}
	return phase
}

// afterFree is likewise when its worker is free.
func afterFree(phase taskPhase) taskPhase {
	switch phase {
	case ended, settled:
		return done
	case cancelledRunning:
		return cancelled
	}
	return absent
}

// afterEnd is likewise when its body has ended.
func afterEnd(phase taskPhase) taskPhase {
	switch phase {
	case running:
		return ended
	case cancelledRunning:
		return cancelledRunning
	}
	return absent
}

// afterGet is likewise when somebody has waited for its outcome.
func afterGet(phase taskPhase, outcome Answer) taskPhase {
	switch phase {
	case ended, settled, done:
		if outcome == Done {
			return max(phase, settled)
		}
	case removed, cancelledRunning, cancelled:
		if outcome == Cancelled {
			return phase
		}
	case returned:
		if outcome == IsShutdown {
			return phase
		}
	}
	return absent
}

// transition has a task go on, if it can.
func transition(phase *taskPhase, to taskPhase) bool {
	*phase = to
	return to != absent
}

// submit has the task accepted, or refused, or has its submitter wait.
func (r poolRules) submit(s *poolState, op *poolStep) bool {
	answer, waits := op.out.Answer, op.do == moveEnter
	switch {
	case s.stage != poolRuns:
		if waits {
			s.tasks[op.task] = refused
			return true
		}
		return answer == IsShutdown
	case r.room(s):
		s.tasks[op.task] = waiting
		if r.timed {
			return answer == Accepted && s.put(op) && r.checkOrder(s, op.task)
		}
		s.fifo = append(s.fifo, op.task)
		return (waits || answer == Accepted) && r.checkOrder(s, op.task)
	case waits:
		s.tasks[op.task] = awaitsRoom
		s.roomWaiters = append(s.roomWaiters, op.task)
		return true
	}
	return answer == Saturated
}

// checkOrder demands that the task, which is the last in the queue, leaves it in its turn, as far
// as that is known.
func (r poolRules) checkOrder(s *poolState, task int) bool {
	for _, other := range s.queue() {
		switch {
		case r.moved[task] || r.moved[other]:
		case r.before[task][other] && !(r.timed && s.zone.before(task, other)):
			return false
		case r.before[other][task] && r.timed && !s.zone.before(other, task):
			return false
		}
	}
	return true
}

// put adds a task to those that go by their times. A pool reads the clock some time before it
// queues a task.
func (s *poolState) put(op *poolStep) bool {
	switch {
	case !s.zone.elapse(op.from, op.to):
		return false
	case op.in.Op == PoolScheduleAt:
		return s.zone.putAt(op.task, op.in.At, op.from, op.to)
	}
	return s.zone.putSince(op.task, op.from, op.in.Delay)
}

// move gives a task that waits another time, and the last place among those of that time.
func (s *poolState) move(op *poolStep) bool {
	s.zone.drop(op.task)
	return s.put(op)
}

// room reports whether a task may wait: for a worker that is free to begin it, or within the
// capacity.
func (r poolRules) room(s *poolState) bool {
	free := r.workers - s.busy
	if s.paused {
		free = 0
	}
	return r.capacity < 0 || len(s.fifo) < free+r.capacity
}

// admit has those in for whom there is room, in the order in which they came.
func (r poolRules) admit(s *poolState) {
	for len(s.roomWaiters) > 0 && r.room(s) {
		task := s.roomWaiters[0]
		s.roomWaiters = s.roomWaiters[1:]
		s.tasks[task] = waiting
		s.fifo = append(s.fifo, task)
	}
}

// leave has the submitter of a task return.
func (s *poolState) leave(task int, answer Answer) bool {
	switch phase := s.tasks[task]; answer {
	case Accepted:
		return phase >= waiting
	case IsShutdown:
		return phase == refused
	default:
		i := slices.Index(s.roomWaiters, task)
		if i < 0 {
			return false
		}
		s.roomWaiters = slices.Delete(s.roomWaiters, i, i+1)
		s.tasks[task] = absent
		return true
	}
}

func (s *poolState) shutDown() {
	s.stage, s.paused = max(s.stage, poolDrains), false
	for _, task := range s.roomWaiters {
		s.tasks[task] = refused
	}
	s.roomWaiters = nil
}

// drain demands that the tasks handed back are those that wait, in order, but for some that are
// cancelled at the same time.
func (s *poolState) drain(back []int) bool {
	if s.stage == poolRuns || !s.ordered(back) || repeats(back) {
		return false
	}
	for _, task := range slices.Clone(s.queue()) {
		handed, was := slices.Contains(back, task), s.tasks[task]
		switch {
		case was == removed && handed:
			return false
		case was == removed:
			s.tasks[task] = cancelled
		case handed:
			s.tasks[task] = returned
		default:
			s.tasks[task] = drained
		}
		s.unqueue(task)
	}
	s.stage = poolStops
	return true
}
