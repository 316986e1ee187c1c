package history

import (
	"fmt"
	"slices"
	"time"
)

// PoolInput is what a client asks of a pool, or of the future of one of its tasks; or what a body
// shows.
type PoolInput struct {
	Op    PoolOp        `json:"op"`
	Task  int           `json:"task,omitempty"`  // of a submission, Cancel, Stop, Get, Begin, End
	Delay time.Duration `json:"delay,omitempty"` // of Schedule and Reset
	At    time.Duration `json:"at,omitempty"`    // of ScheduleAt
}

// PoolOp is one of the methods of a pool and its futures, or an event of a body.
type PoolOp string

const (
	PoolExecute       PoolOp = "Execute"
	PoolSubmit        PoolOp = "Submit"
	PoolSubmitContext PoolOp = "SubmitContext"
	PoolSchedule      PoolOp = "Schedule"
	PoolScheduleAt    PoolOp = "ScheduleAt"
	PoolCancel        PoolOp = "Cancel" // or Stop
	PoolWithdraw      PoolOp = "Withdraw"
	PoolReset         PoolOp = "Reset"
	PoolPause         PoolOp = "Pause"
	PoolResume        PoolOp = "Resume"
	PoolGet           PoolOp = "Get"
	PoolStats         PoolOp = "Stats"
	PoolQueued        PoolOp = "Queued"
	PoolShutdown      PoolOp = "Shutdown"
	PoolShutdownNow   PoolOp = "ShutdownNow"
	PoolAwait         PoolOp = "AwaitTermination"
	PoolBegin         PoolOp = "Begin" // a body has begun
	PoolEnd           PoolOp = "End"   // a body is about to return
)

// PoolOutput is what the pool says.
type PoolOutput struct {
	Answer Answer `json:"answer,omitempty"` // of a submission, and of Get
	OK     bool   `json:"ok,omitempty"`     // of Cancel, Withdraw, Reset, Resume
	Tasks  []int  `json:"tasks,omitempty"`  // of ShutdownNow and Queued, where unnamed ones are -1
	Busy   int    `json:"busy,omitempty"`   // of Stats
	Queued int    `json:"queued,omitempty"` // of Stats; -1 if not asked for
	Worker int    `json:"worker,omitempty"` // of Begin and End: who runs the body, above 0 if known
}

// Answer is an outcome of a submission, or of a task.
type Answer string

const (
	Accepted   Answer = "accepted"
	Saturated  Answer = "saturated"
	IsShutdown Answer = "shut down" // the task is refused, or handed back
	GaveUp     Answer = "gave up"   // the context of SubmitContext has ended while it waited
	CameLate   Answer = "came late" // it had ended before
	Done       Answer = "done"
	Cancelled  Answer = "cancelled"
)

func (in PoolInput) String() string {
	switch in.Op {
	case PoolPause, PoolResume, PoolStats, PoolQueued, PoolShutdown, PoolShutdownNow, PoolAwait:
		return string(in.Op)
	case PoolSchedule, PoolReset:
		return fmt.Sprintf("%s %d after %v", in.Op, in.Task, in.Delay)
	}
	if in.Op == PoolScheduleAt {
		return fmt.Sprintf("%s %d at %v", in.Op, in.Task, in.At)
	}
	return fmt.Sprintf("%s %d", in.Op, in.Task)
}

func (out PoolOutput) String() string {
	if out.Worker > 0 {
		return fmt.Sprintf("by worker %d", out.Worker)
	}
	return fmt.Sprintf("%s %t %v busy %d queued %d",
		out.Answer, out.OK, out.Tasks, out.Busy, out.Queued)
}

// poolState is a state of the model. Everything in it is known exactly but the deadlines of a pool
// that has times, and whether a task whose body has ended is settled.
type poolState struct {
	stage       poolStage
	tasks       []taskPhase // by number
	fifo        []int       // what waits, of a pool without times
	zone        zone        // what waits, of a pool with times
	roomWaiters []int       // who waits for room
	busy        int
	paused      bool
}

type poolStage uint8

const (
	poolRuns poolStage = iota
	poolDrains
	poolStops
)

// taskPhase is where a task stands.
//
//	absent           -> waiting, awaitsRoom   it is submitted
//	awaitsRoom       -> waiting, refused      there is room, or the pool is shut down
//	awaitsRoom       -> absent                its submitter has given up
//	waiting          -> waiting               it is reset
//	waiting          -> running               a worker takes it
//	waiting          -> removed -> cancelled  its future is cancelled; it has left the queue
//	waiting          -> returned              ShutdownNow hands it back
//	waiting          -> drained -> cancelled  ShutdownNow finds it, but a cancellation comes first
//	running          -> ended                 its body has ended; its future may be settled
//	running          -> cancelledRunning      its future is cancelled, its body goes on
//	ended            -> cancelledRunning, settled
//	                                          its future is cancelled, or was settled already
//	cancelledRunning -> cancelled             the worker is free
//	ended, settled   -> done                  the worker is free
type taskPhase uint8

const (
	absent taskPhase = iota
	awaitsRoom
	refused
	waiting
	removed
	returned
	drained
	running
	cancelledRunning
	ended
	settled
	cancelled
	done
)

func (s *poolState) clone() poolState {
	c := *s
	c.tasks = slices.Clone(s.tasks)
	c.fifo = slices.Clone(s.fifo)
	c.roomWaiters = slices.Clone(s.roomWaiters)
	if s.zone.bound != nil {
		c.zone = s.zone.clone()
	}
	return c
}

func (s *poolState) equal(o *poolState) bool {
	return s.stage == o.stage && s.busy == o.busy && s.paused == o.paused && slices.Equal(s.tasks, o.tasks) &&
		slices.Equal(s.fifo, o.fifo) &&
		slices.Equal(s.roomWaiters, o.roomWaiters) && s.zone.equal(o.zone)
}

// timed reports whether the pool goes by times.
func (s *poolState) timed() bool { return s.zone.bound != nil }

// queue returns the tasks that wait, in no order if the pool goes by times.
func (s *poolState) queue() []int {
	if s.timed() {
		return s.zone.ids
	}
	return s.fifo
}

// unqueue takes a task out of the queue.
func (s *poolState) unqueue(task int) {
	if s.timed() {
		s.zone.drop(task)
		return
	}
	if i := slices.Index(s.fifo, task); i >= 0 {
		s.fifo = slices.Delete(s.fifo, i, i+1)
	}
}

// pop demands that the task is the first to be run.
func (s *poolState) pop(task int) bool {
	if s.timed() {
		return s.zone.pop(task)
	}
	if len(s.fifo) == 0 || s.fifo[0] != task {
		return false
	}
	s.fifo = s.fifo[1:]
	return true
}

// ordered demands that the tasks given, of those in the queue, come in this order.
func (s *poolState) ordered(tasks []int) bool {
	if s.timed() {
		return s.zone.ordered(tasks)
	}
	from := 0
	for _, task := range tasks {
		i := slices.Index(s.fifo[from:], task)
		if i < 0 {
			return false
		}
		from += i + 1
	}
	return true
}
