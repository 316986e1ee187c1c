package history_test

import (
	"testing"

	"github.com/punctual-go/punctual/internal/trust/history"
)

func futureNote(op history.FutureOp, call int, out history.FutureOutput) history.Note {
	return history.Note{Input: history.FutureInput{Op: op, Call: call}, Output: out}
}

func tries(op history.FutureOp, call int, ok bool) history.Note {
	return futureNote(op, call, history.FutureOutput{OK: ok})
}

func told(op history.FutureOp, what string) history.Note {
	return futureNote(op, 0, history.FutureOutput{Told: what})
}

func TestThePromiseModelTellsGoodHistoriesFromBad(t *testing.T) {
	const (
		complete = history.FutureComplete
		fail     = history.FutureFail
		cancel   = history.FutureCancel
		why      = history.FutureCancelCause
	)
	const get, poll, state = history.FutureGet, history.FuturePoll, history.FutureState
	tell(t, history.History{Kind: history.Promise}, []verdictTest{
		{"completed", true, ops{told(state, "pending"), tries(complete, 1, true), told(get, "1"),
			told(poll, "1"), told(state, "succeeded")}},
		{"completed twice", false, ops{tries(complete, 1, true), tries(complete, 2, true)}},
		{"completed by nobody", false, ops{tries(complete, 1, false), told(poll, "")}},
		{"the value of another", false,
			ops{tries(complete, 1, true), tries(complete, 2, false), told(get, "2")}},
		{"failed", true, ops{tries(fail, 1, true), tries(complete, 2, false), told(get, "error 1"),
			told(state, "failed")}},
		{"failed in vain", false, ops{tries(fail, 1, false)}},
		{"cancelled", true, ops{tries(cancel, 0, true), tries(cancel, 0, false),
			told(poll, "cancelled 0"), told(state, "cancelled")}},
		{"cancelled twice", false, ops{tries(cancel, 0, true), tries(why, 1, true)}},
		{"cancelled for another reason", false, ops{tries(why, 1, true), told(get, "cancelled 0")}},
		{"cancelled after completion", false,
			ops{tries(complete, 1, true), tries(cancel, 0, true)}},
		{"nothing told though settled", false, ops{tries(complete, 1, true), told(poll, "")}},
		{"a moment before it is settled", true,
			ops{during(0, 1, tries(complete, 1, true)), tries(complete, 2, false),
				during(1, 1, told(poll, ""))}},
		{"running while it is completed", true,
			ops{during(0, 1, tries(complete, 1, true)), told(state, "running")}},
		{"running without a call", false, ops{told(state, "running"), tries(complete, 1, true)}},
		{"cancelled while it is completed", true, ops{
			during(0, 3, tries(complete, 1, false)), tries(complete, 2, false), tries(cancel, 0,
				true), told(get, "cancelled 0"),
		}},
		{"all in vain", false,
			ops{during(0, 1, tries(complete, 1, false)), during(0, 1, tries(complete, 2, false)),
				told(state, "pending")}},
		{"the outcome changes", false,
			ops{during(0, 3, tries(complete, 1, true)), told(get, "1"), told(poll, "")}},
	})
}

func TestTheTaskModelTellsGoodHistoriesFromBad(t *testing.T) {
	const cancel, get, state = history.FutureCancel, history.FutureGet, history.FutureState
	const run, again = history.FutureRun, history.FutureRunAndReset
	begin := func(call int) history.Note { return tries(history.FutureBegin, call, false) }
	end := func(call int) history.Note { return tries(history.FutureEnd, call, false) }
	fails := func(call int) history.Note {
		return futureNote(history.FutureEnd, call, history.FutureOutput{Failed: true})
	}
	tell(t, history.History{Kind: history.Task}, []verdictTest{
		{"run", true, ops{during(0, 2, tries(run, 1, false)), begin(1), end(1), told(get, "1")}},
		{"run twice", false, ops{
			during(0, 2, tries(run, 1, false)), begin(1), end(1), during(3, 5,
				tries(run, 2, false)), begin(2), end(2),
		}},
		{"not run", false, ops{tries(run, 1, false), told(state, "pending")}},
		{"one of two", true, ops{during(0, 3, tries(run, 1, false)), begin(1), tries(run, 2, false),
			end(1), told(get, "1")}},
		{"both at once", false, ops{
			during(0, 6, tries(run, 1, false)), begin(1), during(2, 5,
				tries(run, 2, false)), begin(2), end(1), end(2),
		}},
		{"failed", true, ops{during(0, 2, tries(run, 1, false)), begin(1), fails(1),
			told(get, "1, error 1")}},
		{"failed in silence", false,
			ops{during(0, 2, tries(run, 1, false)), begin(1), fails(1), told(get, "1")}},
		{"cancelled before", true,
			ops{tries(cancel, 0, true), tries(run, 1, false), told(get, "cancelled 0")}},
		{"run though cancelled", false,
			ops{tries(cancel, 0, true), during(1, 3, tries(run, 1, false)), begin(1), end(1)}},
		{"cancelled while it runs", true, ops{
			during(0, 4, tries(run, 1, false)), begin(1), tries(cancel, 0, true), end(1), told(get,
				"cancelled 0"),
		}},
		{"cancelled and delivered", false, ops{
			during(0, 4, tries(run, 1, false)), begin(1), tries(cancel, 0, true), end(1), told(get,
				"1"),
		}},
		{"reset", true, ops{
			during(0, 2, tries(again, 1, true)), begin(1), end(1), told(state, "pending"),
			during(4, 6, tries(run, 2, false)), begin(2), end(2), told(get, "2"),
		}},
		{"reset though cancelled", false, ops{
			during(0, 4, tries(again, 1, true)), begin(1), tries(cancel, 0,
				true), end(1), told(state, "cancelled"),
		}},
		{"reset though failed", false,
			ops{during(0, 2, tries(again, 1, true)), begin(1), fails(1)}},
		{"failed and not reset", true,
			ops{during(0, 2, tries(again, 1, false)), begin(1), fails(1), told(get, "error 1")}},
		{"delivered by a run that is reset", false,
			ops{during(0, 2, tries(again, 1, true)), begin(1), end(1), told(get, "1")}},
	})
}
