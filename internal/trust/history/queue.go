package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// QueueInput is what a client asks of a delay queue.
type QueueInput struct {
	Op    QueueOp       `json:"op"`
	ID    int           `json:"id,omitempty"`    // of Put, PutAt, Remove, Reset
	Delay time.Duration `json:"delay,omitempty"` // of Put and Reset; at least 0
	At    time.Duration `json:"at,omitempty"`    // of PutAt
	Most  int           `json:"most,omitempty"`  // of Drain
}

// QueueOp is one of the methods of a delay queue and its items.
type QueueOp string

const (
	QueuePut    QueueOp = "Put"
	QueuePutAt  QueueOp = "PutAt"
	QueueTake   QueueOp = "Take"
	QueuePoll   QueueOp = "Poll"
	QueueDrain  QueueOp = "Drain"
	QueuePeek   QueueOp = "Peek"
	QueueRemove QueueOp = "Remove"
	QueueReset  QueueOp = "Reset"
	QueueLen    QueueOp = "Len"
	QueueAll    QueueOp = "All"
	QueueClose  QueueOp = "Close"
)

// QueueOutput is what the queue says.
type QueueOutput struct {
	OK bool `json:"ok,omitempty"`
	// ErrClosed, of Put, PutAt and Take; a Take with neither has lost its context
	Closed bool          `json:"closed,omitempty"`
	IDs    []int         `json:"ids,omitempty"` // of Take, Poll, Drain, Peek, All
	At     time.Duration `json:"at,omitempty"`  // of Peek
	N      int           `json:"n,omitempty"`   // of Len
}

func (in QueueInput) String() string {
	switch in.Op {
	case QueuePut, QueueReset:
		return fmt.Sprintf("%s %d after %v", in.Op, in.ID, in.Delay)
	case QueuePutAt:
		return fmt.Sprintf("%s %d at %v", in.Op, in.ID, in.At)
	case QueueRemove:
		return fmt.Sprintf("%s %d", in.Op, in.ID)
	case QueueDrain:
		return fmt.Sprintf("%s %d at most", in.Op, in.Most)
	}
	return string(in.Op)
}

func (out QueueOutput) String() string {
	if out.Closed {
		return "closed"
	}
	return fmt.Sprintf("%t %v at %v, %d", out.OK, out.IDs, out.At, out.N)
}

// queueState is a state of the model.
type queueState struct {
	zone
	closed bool
}

func queueModel(History) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return queueState{zone: emptyZone()} },
		Step: func(state, input, output any) (bool, any) {
			s, n := state.(queueState), input.(Note)
			if s.past(n.To) {
				return false, state
			}
			s.zone = s.clone()
			ok := s.step(n.Input.(QueueInput), n.Output.(QueueOutput), n.From, n.To)
			return ok, s
		},
		Equal: func(a, b any) bool {
			x, y := a.(queueState), b.(queueState)
			return x.closed == y.closed && x.equal(y.zone)
		},
		DescribeOperation: func(input,
			_ any) string {
			return fmt.Sprint(input.(Note).Input, ": ", input.(Note).Output)
		},
		DescribeState: func(state any) string { return fmt.Sprint(state.(queueState).ids) },
	}
}

func queueOperations(h History) []porcupine.Operation {
	ops := make([]porcupine.Operation, len(h.Notes))
	for i, n := range h.Notes {
		ops[i] = porcupine.Operation{ClientId: n.Client, Input: n, Call: n.Call, Return: n.Return}
	}
	return ops
}

// step reports whether the queue may give that answer in the state s, at an instant within
// from..to, and makes s the next one.
func (s *queueState) step(in QueueInput, out QueueOutput, from, to time.Duration) bool {
	if !s.elapse(from, to) {
		return false
	}
	switch in.Op {
	case QueuePut:
		if out.OK {
			s.put(in.ID, in.Delay)
		}
		return out.OK != s.closed && out.Closed == s.closed
	case QueuePutAt:
		if out.OK && !(s.putAt(in.ID, in.At, from, to) && s.constrain(present, len(s.bound)-1, 0)) {
			return false
		}
		return out.OK != s.closed && out.Closed == s.closed
	case QueueTake:
		if !out.OK {
			return out.Closed == s.closed
		}
		return !s.closed && s.pop(out.IDs[0])
	case QueuePoll:
		if !out.OK {
			return s.nothingDue()
		}
		return s.pop(out.IDs[0])
	case QueueDrain:
		for _, id := range out.IDs {
			if !s.pop(id) {
				return false
			}
		}
		return len(out.IDs) == in.Most || s.nothingDue()
	case QueuePeek:
		return s.peek(out)
	case QueueRemove:
		return s.drop(in.ID) == out.OK
	case QueueReset:
		if s.drop(in.ID) {
			s.put(in.ID, in.Delay)
			return out.OK
		}
		return !out.OK
	case QueueAll:
		return len(out.IDs) == len(s.ids) && !repeats(out.IDs) &&
			(len(s.ids) == 0 || s.head(out.IDs[0])) && s.ordered(out.IDs)
	case QueueClose:
		s.closed = true
		return true
	default:
		return out.N == len(s.ids)
	}
}

func (s *queueState) peek(out QueueOutput) bool {
	if !out.OK {
		return len(s.ids) == 0
	}
	if !s.head(out.IDs[0]) {
		return false
	}
	i := first + slices.Index(s.ids, out.IDs[0])
	return s.constrain(i, zero, out.At) && s.constrain(zero, i, -out.At)
}

func repeats(ids []int) bool {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return true
		}
	}
	return false
}
