package history

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// FutureInput is what a client asks of one of the futures of a history, or what a body shows.
type FutureInput struct {
	Op     FutureOp `json:"op"`
	Object int      `json:"object"` // which future
	// of an attempt to settle it: its number, above 0, which its outcome tells
	Call int `json:"call,omitempty"`
}

// FutureOp is one of the methods of a promise, a task and their futures, or an event of a body.
type FutureOp string

const (
	FutureComplete    FutureOp = "Complete"
	FutureFail        FutureOp = "Fail"
	FutureCancel      FutureOp = "Cancel" // or Stop
	FutureCancelCause FutureOp = "CancelCause"
	FutureGet         FutureOp = "Get"
	FuturePoll        FutureOp = "Poll"
	FutureState       FutureOp = "State"
	FutureRun         FutureOp = "Run"
	FutureRunAndReset FutureOp = "RunAndReset"
	FutureBegin       FutureOp = "Begin" // the body of a run has begun
	FutureEnd         FutureOp = "End"   // it is about to return
)

// FutureOutput is what the future says.
type FutureOutput struct {
	OK bool `json:"ok,omitempty"` // of those that report whether they have done it
	// of Get, Poll and State; empty if the future was not settled
	Told   string `json:"told,omitempty"`
	Failed bool   `json:"failed,omitempty"` // of End: the body returns an error
}

func (in FutureInput) String() string { return fmt.Sprintf("%d: %s %d", in.Object, in.Op, in.Call) }

func (out FutureOutput) String() string { return fmt.Sprintf("%t %s", out.OK, out.Told) }

// The outcomes of a future as its clients note them.

func valueOf(call int) string { return fmt.Sprint(call) }

func errorOf(call int) string { return fmt.Sprint("error ", call) }

func cancelOf(call int) string { return fmt.Sprint("cancelled ", call) }

// futureState is a state of the model. A completion is two steps: nobody else may complete the
// future any more, and it is settled. Between the two it can be cancelled, or failed by a promise.
type futureState struct {
	state   string // of the future
	owner   int    // the call that runs it
	tried   uint64 // the calls that have made their first step
	outcome string // once it is settled
}

const (
	futurePending   = "pending"
	futureRunning   = "running"
	futureSucceeded = "succeeded"
	futureFailed    = "failed"
	futureCancelled = "cancelled"
)

// futureStep is an operation of the model.
type futureStep struct {
	do  futureMove
	in  FutureInput
	out FutureOutput // of the client
	end FutureOutput // of the body, if there was one
}

type futureMove uint8

const (
	moveClaim  futureMove = iota // Complete: to be the only one, or not
	moveSettle                   // Complete: to have settled it, or not
	moveBegin                    // a run that calls the body
	moveReturn                   // the end of such a run
	moveRefuse                   // a run that does not call the body
	moveFail
	moveCancelFuture // Cancel and its kin
	moveOutcome      // Get and Poll
	moveState        // State
)

func futureModel(History) porcupine.Model {
	return porcupine.Model{
		Partition: byObject,
		Init:      func() any { return futureState{state: futurePending} },
		Step: func(state, input, _ any) (bool, any) {
			s := state.(futureState)
			ok := s.step(input.(*futureStep))
			return ok, s
		},
		DescribeOperation: func(input, _ any) string {
			op := input.(*futureStep)
			return fmt.Sprintf("%v: %v", op.in, op.out)
		},
		DescribeState: func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// byObject splits a history in those of its futures.
func byObject(ops []porcupine.Operation) (parts [][]porcupine.Operation) {
	for _, op := range ops {
		object := op.Input.(*futureStep).in.Object
		for len(parts) <= object {
			parts = append(parts, nil)
		}
		parts[object] = append(parts[object], op)
	}
	return slices.DeleteFunc(parts, func(part []porcupine.Operation) bool { return len(part) == 0 })
}

// futureOperations makes the operations of the model. What happens in two steps becomes two with
// the same call and return, unless a body shows an instant between.
func futureOperations(h History) (ops []porcupine.Operation) {
	type run struct{ object, call int }
	begins, ends := map[run][]Note{}, map[run][]Note{}
	for _, n := range h.Notes {
		in := n.Input.(FutureInput)
		switch r := (run{in.Object, in.Call}); in.Op {
		case FutureBegin:
			begins[r] = append(begins[r], n)
		case FutureEnd:
			ends[r] = append(ends[r], n)
		}
	}
	for _, n := range h.Notes {
		in, out := n.Input.(FutureInput), n.Output.(FutureOutput)
		add := func(do futureMove, from, to int64, end FutureOutput) {
			step := &futureStep{do, in, out, end}
			ops = append(ops, porcupine.Operation{ClientId: n.Client, Input: step, Call: from,
				Return: to})
		}
		switch in.Op {
		case FutureComplete:
			add(moveClaim, n.Call, n.Return, out)
			add(moveSettle, n.Call, n.Return, out)
		case FutureRun, FutureRunAndReset:
			r := run{in.Object, in.Call}
			if len(begins[r]) == 0 {
				add(moveRefuse, n.Call, n.Return, out)
			}
			for i, begin := range begins[r] { // more than one are a fault, which the model finds
				add(moveBegin, n.Call, begin.Call, out)
				add(moveReturn, ends[r][i].Call, n.Return, ends[r][i].Output.(FutureOutput))
			}
		case FutureFail:
			add(moveFail, n.Call, n.Return, out)
		case FutureCancel, FutureCancelCause:
			add(moveCancelFuture, n.Call, n.Return, out)
		case FutureGet, FuturePoll:
			add(moveOutcome, n.Call, n.Return, out)
		case FutureState:
			add(moveState, n.Call, n.Return, out)
		}
	}
	slices.SortStableFunc(ops,
		func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return ops
}

func (s *futureState) settled() bool { return s.outcome != "" }

// step reports whether the future may answer so in the state s, and makes s the next one.
func (s *futureState) step(op *futureStep) bool {
	call, out := op.in.Call, op.out
	switch op.do {
	case moveClaim:
		s.tried |= 1 << call
		s.begin(call)
		return true
	case moveSettle:
		mine := s.state == futureRunning && s.owner == call
		if mine && out.OK {
			s.settle(futureSucceeded, valueOf(call))
		}
		return s.tried>>call&1 == 1 && mine == out.OK
	case moveBegin:
		return s.begin(call)
	case moveReturn:
		return s.finishRun(op)
	case moveRefuse:
		return s.state != futurePending && !out.OK
	case moveFail:
		return out.OK != s.settled() && (!out.OK || s.settle(futureFailed, errorOf(call)))
	case moveCancelFuture:
		return out.OK != s.settled() && (!out.OK || s.settle(futureCancelled, cancelOf(call)))
	case moveState:
		return out.Told == s.state
	default:
		return out.Told == s.outcome
	}
}

func (s *futureState) begin(call int) bool {
	if s.state != futurePending {
		return false
	}
	s.state, s.owner = futureRunning, call
	return true
}

func (s *futureState) settle(state, outcome string) bool {
	s.state, s.outcome = state, outcome
	return true
}

// finishRun is the end of a run: it settles the future, or makes it pending again, unless it has
// been settled.
func (s *futureState) finishRun(op *futureStep) bool {
	call, again := op.in.Call, op.in.Op == FutureRunAndReset
	switch {
	case s.settled():
		return !op.out.OK
	case s.state != futureRunning || s.owner != call:
		return false
	case again && !op.end.Failed:
		s.state, s.owner = futurePending, 0
		return op.out.OK
	case again:
		return s.settle(futureFailed, errorOf(call)) && !op.out.OK
	case op.end.Failed:
		return s.settle(futureFailed, valueOf(call)+", "+errorOf(call))
	}
	return s.settle(futureSucceeded, valueOf(call))
}
