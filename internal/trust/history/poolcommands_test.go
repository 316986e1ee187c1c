package history_test

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/internal/trust/history"
)

func withdrawn(task int, ok bool) history.Note {
	return poolNote(history.PoolWithdraw, task, poolOut{OK: ok})
}

func TestThePoolModelKnowsWhatMayBeWithdrawn(t *testing.T) {
	tell(t, history.History{Kind: history.FIFO, Workers: 1}, []verdictTest{
		{"while it waits", true, ops{submitted(0), begun(0), submitted(1), withdrawn(1, true), ended(0)}},
		{"and then begun", false,
			ops{submitted(0), begun(0), submitted(1), withdrawn(1, true), ended(0), begun(1)}},
		{"while it runs", false, ops{submitted(0), begun(0), withdrawn(0, true)}},
		{"too late", true,
			ops{submitted(0), begun(0), withdrawn(0, false), ended(0), got(0, history.Done)}},
		{"not, though it waits", false,
			ops{submitted(0), begun(0), submitted(1), withdrawn(1, false), stats(1, 1), ended(0)}},
		{"twice", false,
			ops{submitted(0), begun(0), submitted(1), withdrawn(1, true), withdrawn(1, true)}},
		{"when it was handed back", false,
			ops{submitted(0), begun(0), submitted(1), shutNow(1), withdrawn(1, true)}},
	})
}

func TestThePoolModelKnowsWhatAResetDoes(t *testing.T) {
	at := func(when time.Duration, n history.Note) history.Note {
		n.From, n.To = when, when
		return n
	}
	scheduled := func(task int, delay, when time.Duration) history.Note {
		return at(when, history.Note{
			Input:  poolIn{Op: history.PoolSchedule, Task: task, Delay: delay},
			Output: poolOut{Answer: history.Accepted},
		})
	}
	reset := func(task int, delay, when time.Duration, ok bool) history.Note {
		return at(when, history.Note{
			Input: poolIn{Op: history.PoolReset, Task: task, Delay: delay}, Output: poolOut{OK: ok},
		})
	}
	tell(t, history.History{Kind: history.Scheduled, Workers: 1}, []verdictTest{
		{"put off", true, ops{scheduled(0, 5, 1), reset(0, 5, 3, true), at(8, begun(0))}},
		{"put off and early", false, ops{scheduled(0, 5, 1), reset(0, 5, 3, true), at(7, begun(0))}},
		{"brought forward", true, ops{scheduled(0, 9, 1), reset(0, 1, 3, true), at(4, begun(0))}},
		{"put off behind another", true,
			ops{scheduled(0, 2, 1), scheduled(1, 4, 1), reset(0, 9, 2, true), at(20, begun(1))}},
		{"put off, and before the other", false,
			ops{scheduled(0, 2, 1), scheduled(1, 4, 1), reset(0, 9, 2, true), at(20, begun(0))}},
		{"the last of its time", false,
			ops{scheduled(0, 4, 1), scheduled(1, 4, 1), reset(0, 4, 1, true), at(9, begun(0))}},
		{"not, as it runs", true, ops{scheduled(0, 2, 1), at(3, begun(0)), reset(0, 9, 4, false)}},
		{"though it runs", false, ops{scheduled(0, 2, 1), at(3, begun(0)), reset(0, 9, 4, true)}},
		{"not, though it waits", false, ops{scheduled(0, 9, 1), reset(0, 9, 2, false), at(10, begun(0))}},
	})
}

func TestThePoolModelKnowsWhatAPauseDoes(t *testing.T) {
	pause := poolNote(history.PoolPause, 0, poolOut{})
	resume := func(was bool) history.Note {
		return poolNote(history.PoolResume, 0, poolOut{OK: was})
	}
	tell(t, history.History{Kind: history.FIFO, Workers: 1}, []verdictTest{
		{"holds back what comes", true, ops{pause, submitted(0), stats(0, 1), resume(true), begun(0)}},
		{"and a task that runs all the same", false,
			ops{pause, submitted(0), begun(0), ended(0), resume(true)}},
		{"what was taken before runs", true, ops{submitted(0), pause, begun(0), resume(true)}},
		{"but not after it was seen to wait", false,
			ops{submitted(0), pause, stats(0, 1), begun(0), stats(1, 0), resume(true)}},
		{"a run goes on", true, ops{submitted(0), begun(0), pause, ended(0), resume(true)}},
		{"resumed without a pause", false, ops{resume(true)}},
		{"resumed twice", true, ops{pause, resume(true), resume(false)}},
		{"a shutdown ends it", true,
			ops{submitted(0), pause, shut(), begun(0), ended(0), resume(false), terminated()}},
		{"a pool that is shut down does not pause", false, ops{shut(), pause, resume(true)}},
	})
}
