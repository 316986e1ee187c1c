package history

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"
)

// poolOperations makes the operations of the model. Those that may happen in several steps become
// several with the same call and return. A task may be taken when it has been submitted and its
// worker is done with the last one; a worker is free before it takes the next.
func poolOperations(h History) (ops []porcupine.Operation) {
	takes := takesOf(h)
	for _, n := range h.Notes {
		in, out := n.Input.(PoolInput), n.Output.(PoolOutput)
		from, last := n.From, n.Return
		call := n.Call
		if in.Op == PoolBegin {
			t := takes[n.Call]
			call, from = t.Call, t.From
		}
		for _, move := range movesOf(in.Op, out) {
			if move == moveFree {
				last = nextBegin(h, n)
			}
			step := &poolStep{move, in.Task, from, n.To, in, out}
			ops = append(ops, porcupine.Operation{ClientId: n.Client, Input: step, Call: call,
				Return: last})
		}
	}
	slices.SortStableFunc(ops,
		func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return ops
}

// takesOf tells of each begin of a body, by its stamp, since when the task may have been taken.
func takesOf(h History) map[int64]Note {
	submissions, takes := map[int]Note{}, map[int64]Note{}
	for _, n := range h.Notes {
		switch in := n.Input.(PoolInput); in.Op {
		case PoolExecute, PoolSubmit, PoolSubmitContext, PoolSchedule, PoolScheduleAt:
			submissions[in.Task] = n
		}
	}
	for _, n := range h.Notes {
		if n.Input.(PoolInput).Op != PoolBegin {
			continue
		}
		take := n
		if s, ok := submissions[n.Input.(PoolInput).Task]; ok {
			take.Call, take.From = s.Call, s.From
		}
		for _, end := range h.Notes {
			if sameWorker(n, end) && end.Input.(PoolInput).Op == PoolEnd && end.Call < n.Call &&
				end.Call > take.Call {
				take.Call, take.From = end.Call, end.From
			}
		}
		takes[n.Call] = take
	}
	return takes
}

// nextBegin is until when the worker of the body that has ended is free for sure.
func nextBegin(h History, end Note) (stamp int64) {
	for _, n := range h.Notes {
		stamp = max(stamp, n.Return)
	}
	for _, n := range h.Notes {
		if sameWorker(n, end) && n.Input.(PoolInput).Op == PoolBegin && n.Call > end.Call {
			stamp = min(stamp, n.Call)
		}
	}
	return stamp
}

func sameWorker(a, b Note) bool {
	w := a.Output.(PoolOutput).Worker
	return w > 0 && w == b.Output.(PoolOutput).Worker
}

// leaveOrder tells for each two tasks whether the first leaves the queue before the second for
// sure, if both are in it. A model that knows that refuses a wrong order at once, and not when it
// is too late to find out why.
func leaveOrder(h History, tasks int) [][]bool {
	before := make([][]bool, tasks)
	for i := range before {
		before[i] = make([]bool, tasks)
	}
	takes := takesOf(h)
	var began, back []int
	for _, b := range h.Notes {
		switch in, out := b.Input.(PoolInput), b.Output.(PoolOutput); in.Op {
		case PoolBegin:
			began = append(began, in.Task)
			for stamp := range takes {
				if stamp < takes[b.Call].Call {
					before[takes[stamp].Input.(PoolInput).Task][in.Task] = true
				}
			}
		case PoolShutdownNow:
			back = append(back, out.Tasks...)
		}
	}
	for i, task := range back {
		for _, other := range append(began[:len(began):len(began)], back[:i]...) {
			before[other][task] = true
		}
	}
	return before
}

// resets tells which tasks have been moved in the queue, so that their order is not that in which
// they came.
func resets(h History, tasks int) []bool {
	moved := make([]bool, tasks)
	for _, n := range h.Notes {
		if in := n.Input.(PoolInput); in.Op == PoolReset && n.Output.(PoolOutput).OK {
			moved[in.Task] = true
		}
	}
	return moved
}

func movesOf(op PoolOp, out PoolOutput) []poolMove {
	switch op {
	case PoolSubmitContext:
		if out.Answer == CameLate {
			return nil
		}
		return []poolMove{moveEnter, moveLeave}
	case PoolCancel:
		if out.OK {
			return []poolMove{moveCancel, moveUnqueue}
		}
		return []poolMove{moveCancel}
	case PoolWithdraw:
		if out.OK {
			return []poolMove{moveWithdraw, moveUnqueue}
		}
		return []poolMove{moveWithdraw}
	case PoolReset:
		return []poolMove{moveReset}
	case PoolPause:
		return []poolMove{movePause}
	case PoolResume:
		return []poolMove{moveResume}
	case PoolBegin:
		return []poolMove{moveTake}
	case PoolEnd:
		return []poolMove{moveEnd, moveFree}
	case PoolGet:
		return []poolMove{moveGet}
	case PoolStats:
		return []poolMove{moveStats}
	case PoolQueued:
		return []poolMove{moveQueued}
	case PoolShutdown:
		return []poolMove{moveShutDown}
	case PoolShutdownNow:
		return []poolMove{moveShutDown, moveDrain, moveDrainEnd}
	case PoolAwait:
		return []poolMove{moveAwait}
	}
	return []poolMove{moveSubmit}
}
