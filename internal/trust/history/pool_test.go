package history_test

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/internal/trust/history"
)

type (
	poolIn  = history.PoolInput
	poolOut = history.PoolOutput
	ops     = []history.Note
)

func poolNote(op history.PoolOp, task int, out poolOut) history.Note {
	return history.Note{Input: poolIn{Op: op, Task: task}, Output: out}
}

func submitted(task int) history.Note {
	return poolNote(history.PoolSubmit, task, poolOut{Answer: history.Accepted})
}

func refusedAs(task int, why history.Answer) history.Note {
	return poolNote(history.PoolExecute, task, poolOut{Answer: why})
}

func waited(task int, answer history.Answer) history.Note {
	return poolNote(history.PoolSubmitContext, task, poolOut{Answer: answer})
}

func begun(task int) history.Note { return poolNote(history.PoolBegin, task, poolOut{}) }

func ended(task int) history.Note { return poolNote(history.PoolEnd, task, poolOut{}) }

func cancelled(task int, ok bool) history.Note {
	return poolNote(history.PoolCancel, task, poolOut{OK: ok})
}

func got(task int, answer history.Answer) history.Note {
	return poolNote(history.PoolGet, task, poolOut{Answer: answer})
}

func stats(busy, queued int) history.Note {
	return poolNote(history.PoolStats, 0, poolOut{Busy: busy, Queued: queued})
}

func listed(tasks ...int) history.Note {
	return poolNote(history.PoolQueued, 0,
		poolOut{Tasks: tasks})
}

func shut() history.Note { return poolNote(history.PoolShutdown, 0, poolOut{}) }

func shutNow(back ...int) history.Note {
	return poolNote(history.PoolShutdownNow, 0, poolOut{Tasks: back})
}

func terminated() history.Note { return poolNote(history.PoolAwait, 0, poolOut{}) }

// One worker, and room for one task that waits.
func TestThePoolModelTellsGoodHistoriesFromBad(t *testing.T) {
	full := ops{submitted(0), begun(0), submitted(1)}
	and := func(first ops,
		more ...history.Note) ops {
		return append(first[:len(first):len(first)], more...)
	}
	tell(t, history.History{Kind: history.Bounded, Workers: 1, Capacity: 1}, []verdictTest{
		{"run", true, ops{submitted(0), begun(0), ended(0), shut(), terminated()}},
		{"lost", false, ops{submitted(0), shut(), terminated()}},
		{"run twice", false, ops{submitted(0), begun(0), ended(0), begun(0), ended(0)}},
		{"run though refused", false,
			and(full, refusedAs(2, history.Saturated), ended(0), begun(1), ended(1), begun(2))},
		{"never submitted", false, ops{begun(0)}},
		{"in order", true, and(full, ended(0), begun(1), ended(1))},
		{"out of order", false, ops{submitted(0), submitted(1), begun(1), ended(1), begun(0)}},
		{"submitted at the same time", true,
			ops{during(0, 1, submitted(0)), submitted(1), begun(1), ended(1), begun(0)}},
		{"two at once", false, and(full, begun(1))},
		{"more than there is room for", false, and(full, submitted(2))},
		{"room for sure when the body has ended and another begun", false,
			and(full, ended(0), begun(1), refusedAs(2, history.Saturated))},
		{"the worker may not be free yet", true,
			and(full, ended(0), refusedAs(2, history.Saturated))},
		{"the worker is free by the books", false,
			ops{submitted(0), begun(0), ended(0), stats(0, 0), submitted(1),
				refusedAs(2, history.Saturated)}},
		{"saturated", true, and(full, refusedAs(2, history.Saturated))},
		{"saturated while empty", false, ops{refusedAs(0, history.Saturated)}},
		{"counted", true, and(full, stats(1, 1), listed(1))},
		{"miscounted", false, and(full, stats(1, 0))},
		{"listed what runs", false, and(full, listed(0))},
		{"not named", true, and(full, listed(-1))},

		{"waited for room", true,
			and(full, during(3, 5, waited(2, history.Accepted)), ended(0), begun(1), ended(1),
				begun(2))},
		{"waited in vain", true, and(full, waited(2, history.GaveUp))},
		{"gave up though there was room", false, ops{submitted(0), waited(1, history.GaveUp)}},
		{"gave up and ran", false,
			and(full, waited(2, history.GaveUp), ended(0), begun(1), ended(1), begun(2))},
		{"came late", true, ops{waited(0, history.CameLate), shut(), terminated()}},
		{"in without room", false, and(full, waited(2, history.Accepted))},
		{"overtook who waited", false, and(full,
			during(3, 8, waited(2, history.Accepted)), stats(1, 1), stats(1, 1), during(6, 9,
				waited(3, history.Accepted)),
			refusedAs(4, history.Saturated), ended(0), begun(1), submitted(5), ended(1), begun(5))},
		{"waited at shutdown", true,
			and(full, during(3, 4, waited(2, history.IsShutdown)), shut())},

		{"cancelled", true, and(full, cancelled(1, true), stats(1, 0), submitted(2),
			cancelled(1, false), ended(0), begun(2))},
		{"cancelled twice", false, and(full, cancelled(1, true), cancelled(1, true))},
		{"cancelled and begun", false, and(full, cancelled(1, true), ended(0), begun(1))},
		{"cancelled and still there", false, and(full, cancelled(1, true), stats(1, 1))},
		{"leaves while it is cancelled", true,
			and(full, during(3, 5, cancelled(1, true)), stats(1, 1),
				refusedAs(2, history.Saturated))},
		{"not cancelled though it waits", false, and(full, cancelled(1, false))},
		{"cancelled while it runs", true,
			and(full, cancelled(0, true), got(0, history.Cancelled), ended(0),
				got(0, history.Cancelled))},
		{"cancelled when it was done", false,
			ops{submitted(0), begun(0), ended(0), got(0, history.Done), cancelled(0, true)}},
		{"cancelled before it was settled", true,
			ops{submitted(0), begun(0), ended(0), cancelled(0, true), got(0, history.Cancelled)}},
		{"done and cancelled", false,
			ops{submitted(0), begun(0), ended(0), cancelled(0, true), got(0, history.Done)}},
		{"done before its body", false, and(full, got(0, history.Done))},

		{"refused by a pool that is shut down", true,
			ops{shut(), refusedAs(0, history.IsShutdown), terminated()}},
		{"refused by one that is not", false,
			ops{refusedAs(0, history.IsShutdown), shut(), terminated()}},
		{"accepted after a shutdown", false, ops{shut(), submitted(0)}},
		{"runs what waits", true, and(full, shut(), ended(0), begun(1), ended(1), terminated())},
		{"terminated too soon", false,
			and(full, shut(), ended(0), begun(1), terminated(), ended(1))},
		{"terminated without a shutdown", false, ops{terminated()}},
		{"handed back", true,
			and(full, shutNow(1), got(1, history.IsShutdown), cancelled(1, false), ended(0),
				terminated())},
		{"handed back what runs", false, and(full, shutNow(0, 1))},
		{"handed back twice", false, and(full, shutNow(1, 1))},
		{"handed back and run", false, and(full, shutNow(1), ended(0), begun(1))},
		{"not handed back", false, and(full, shutNow(), ended(0), terminated())},
		{"cancelled while handed back", true,
			and(full, during(3, 4, shutNow()), cancelled(1, true), ended(0), terminated())},
		{"cancelled when it should have been handed back", false,
			and(full, shutNow(), cancelled(1, true), ended(0), terminated())},
		{"cancelled and handed back", false, and(full, cancelled(1, true), shutNow(1))},
	})
}

func TestThePoolModelKnowsThatNothingWaitsWhereNothingQueues(t *testing.T) {
	tell(t, history.History{Kind: history.HandOff, Workers: 1}, []verdictTest{
		{"handed over", true, ops{submitted(0), stats(0, 1), begun(0), stats(1, 0)}},
		{"saturated by one that runs", true,
			ops{submitted(0), begun(0), refusedAs(1, history.Saturated)}},
		{"saturated by one on its way", true,
			ops{submitted(0), refusedAs(1, history.Saturated), begun(0)}},
		{"saturated while idle", false, ops{refusedAs(1, history.Saturated)}},
		{"waits without room", false, ops{submitted(0), submitted(1), begun(0)}},
		{"waits behind a body that has ended", true,
			ops{submitted(0), begun(0), ended(0), submitted(1), begun(1)}},
	})
}

func TestThePoolModelKnowsNoBoundsWhereThereAreNone(t *testing.T) {
	tell(t, history.History{Kind: history.FIFO, Workers: 2}, []verdictTest{
		{"many", true, ops{submitted(0), submitted(1), submitted(2), submitted(3), stats(0, -1),
			listed(0, 1, 2, 3)}},
		{"listed out of order", false,
			ops{submitted(0), submitted(1), submitted(2), listed(1, 0, 2)}},
		{"saturated", false, ops{submitted(0), refusedAs(1, history.Saturated)}},
		{"two workers may begin in any order", true,
			ops{submitted(0), submitted(1), begun(1), begun(0)}},
		{"but not three", false, ops{submitted(0), submitted(1), submitted(2), begun(2)}},
		{"handed back in order", true, ops{submitted(0), submitted(1), shutNow(0, 1)}},
		{"handed back out of order", false, ops{submitted(0), submitted(1), shutNow(1, 0)}},
	})
}

func TestThePoolModelGoesByTimeWhereThereAreTimes(t *testing.T) {
	at := func(from, to time.Duration, n history.Note) history.Note {
		n.From, n.To = from, to
		return n
	}
	scheduledAt := func(task int, time time.Duration) history.Note {
		return history.Note{
			Input: poolIn{Op: history.PoolScheduleAt, Task: task,
				At: time}, Output: poolOut{Answer: history.Accepted},
		}
	}
	scheduled := func(task int, delay, from, to time.Duration) history.Note {
		return at(from, to, history.Note{
			Input: poolIn{Op: history.PoolSchedule, Task: task,
				Delay: delay}, Output: poolOut{Answer: history.Accepted},
		})
	}
	tell(t, history.History{Kind: history.Scheduled, Workers: 1}, []verdictTest{
		{"on time", true, ops{scheduled(0, 5, 1, 1), at(6, 6, begun(0))}},
		{"early", false, ops{scheduled(0, 5, 1, 1), at(5, 5, begun(0))}},
		{"perhaps on time", true, ops{scheduled(0, 5, 0, 1), at(5, 5, begun(0))}},
		{"earlier first", true,
			ops{scheduled(0, 5, 1, 1), scheduled(1, 2, 2, 2), at(8, 8, begun(1))}},
		{"later first", false,
			ops{scheduled(0, 2, 1, 1), scheduled(1, 5, 2, 2), at(8, 8, begun(1))}},
		{"equals out of order", false,
			ops{scheduled(0, 5, 1, 1), scheduled(1, 4, 2, 2), at(8, 8, begun(1))}},
		{"equal times out of order", false,
			ops{at(1, 2, scheduledAt(0, 8)), at(2, 3, scheduledAt(1, 8)), at(9, 9, begun(1))}},
		{"equal times in order", true,
			ops{at(1, 2, scheduledAt(0, 8)), at(2, 3, scheduledAt(1, 8)), at(8, 8, begun(0))}},
		{"a time gone by is now", false,
			ops{scheduled(1, 2, 1, 1), at(5, 5, scheduledAt(0, 2)), at(9, 9, begun(0))}},
		{"a fresh task overtakes none that is overdue", false,
			ops{scheduled(0, 2, 1, 1), at(4, 4, submitted(1)), at(8, 8, begun(1))}},
		{"the clock may be read some time before", true, ops{
			during(0, 2, scheduled(0, 3, 1, 9)), scheduled(1, 3, 2, 2), listed(1), at(20, 20,
				begun(0)),
		}},
		{"listed in order", true, ops{scheduled(0, 5, 1, 1), scheduled(1, 2, 2, 2), listed(1, 0)}},
		{"handed back out of order", false,
			ops{scheduled(0, 5, 1, 1), scheduled(1, 2, 2, 2), shutNow(0, 1)}},
		{"runs what is delayed after a shutdown", true,
			ops{scheduled(0, 5, 1, 1), shut(), at(6, 6, begun(0)), ended(0), terminated()}},
	})
}
