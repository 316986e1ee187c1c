package history_test

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/internal/trust/history"
)

func queueNote(in history.QueueInput, out history.QueueOutput, from,
	to time.Duration) history.Note {
	return history.Note{Input: in, Output: out, From: from, To: to}
}

// The model must refuse what a faulty queue would answer, and nothing else.
func TestTheTimedModelTellsGoodHistoriesFromBad(t *testing.T) {
	type (
		in  = history.QueueInput
		out = history.QueueOutput
		ops = []history.Note
	)
	puts := func(id int, delay, from, to time.Duration) history.Note {
		return queueNote(in{Op: history.QueuePut, ID: id, Delay: delay}, out{OK: true}, from, to)
	}
	putsAt := func(id int, time, from, to time.Duration) history.Note {
		return queueNote(in{Op: history.QueuePutAt, ID: id, At: time}, out{OK: true}, from, to)
	}
	takes := func(id int, from, to time.Duration) history.Note {
		return queueNote(in{Op: history.QueueTake}, out{OK: true, IDs: []int{id}}, from, to)
	}
	none := func(from, to time.Duration) history.Note {
		return queueNote(in{Op: history.QueuePoll}, out{}, from, to)
	}
	polls := func(id int, at time.Duration) history.Note {
		return queueNote(in{Op: history.QueuePoll}, out{OK: true, IDs: []int{id}}, at, at)
	}
	removes := func(id int, ok bool, at time.Duration) history.Note {
		return queueNote(in{Op: history.QueueRemove, ID: id}, out{OK: ok}, at, at)
	}
	resets := func(id int, delay, at time.Duration) history.Note {
		return queueNote(in{Op: history.QueueReset, ID: id, Delay: delay}, out{OK: true}, at, at)
	}
	peeks := func(id int, shown, at time.Duration) history.Note {
		return queueNote(in{Op: history.QueuePeek}, out{OK: true, IDs: []int{id}, At: shown}, at,
			at)
	}
	drains := func(most int, at time.Duration, ids ...int) history.Note {
		return queueNote(in{Op: history.QueueDrain, Most: most}, out{IDs: ids}, at, at)
	}
	counts := func(n int, at time.Duration) history.Note {
		return queueNote(in{Op: history.QueueLen}, out{N: n}, at, at)
	}
	lists := func(at time.Duration, ids ...int) history.Note {
		return queueNote(in{Op: history.QueueAll}, out{IDs: ids}, at, at)
	}
	closes := func(at time.Duration) history.Note {
		return queueNote(in{Op: history.QueueClose}, out{}, at, at)
	}
	refused := func(op history.QueueOp, at time.Duration) history.Note {
		return queueNote(in{Op: op, ID: 9}, out{Closed: true}, at, at)
	}
	gaveUp := func(at time.Duration) history.Note {
		return queueNote(in{Op: history.QueueTake}, out{}, at, at)
	}
	tell(t, history.History{Kind: history.DelayQueue}, []verdictTest{
		{"on time", true, ops{puts(1, 10, 0, 0), none(9, 9), takes(1, 10, 10)}},
		{"early", false, ops{puts(1, 10, 0, 0), takes(1, 9, 9)}},
		{"perhaps on time", true, ops{puts(1, 10, 0, 5), takes(1, 9, 10)}},
		{"surely early", false, ops{puts(1, 10, 3, 5), takes(1, 9, 12)}},
		{"twice", false, ops{puts(1, 0, 0, 0), takes(1, 1, 1), takes(1, 2, 2)}},
		{"never put", false, ops{takes(1, 1, 1)}},
		{"in order", true, ops{puts(1, 5, 0, 0), puts(2, 3, 0, 0), takes(2, 9, 9), takes(1, 9, 9)}},
		{"out of order", false, ops{puts(1, 3, 0, 0), puts(2, 5, 0, 0), takes(2, 9, 9)}},
		{"equals in order", true,
			ops{puts(1, 5, 0, 0), puts(2, 4, 1, 1), takes(1, 9, 9), takes(2, 9, 9)}},
		{"equals out of order", false, ops{puts(1, 5, 0, 0), puts(2, 4, 1, 1), takes(2, 9, 9)}},
		{"equals for sure", false, ops{putsAt(1, 8, 0, 2), putsAt(2, 8, 2, 4), takes(2, 9, 9)}},
		{"equals in order for sure", true,
			ops{putsAt(1, 8, 0, 2), putsAt(2, 8, 2, 4), none(7, 7), takes(1, 8, 8),
				takes(2, 8, 8)}},
		{"a time gone by is now", false, ops{puts(2, 3, 0, 0), putsAt(1, 2, 4, 4), takes(1, 9, 9)}},
		{"a time that may have gone by", true,
			ops{putsAt(1, 5, 4, 8), putsAt(2, 6, 8, 8), takes(1, 8, 8)}},
		{"a time to come", false, ops{putsAt(1, 5, 1, 1), takes(1, 4, 4)}},
		{"order not known", true, ops{puts(1, 5, 0, 2), puts(2, 4, 1, 2), takes(2, 9, 9)}},
		{"order told by a Peek", false, ops{
			puts(1, 5, 0, 2), puts(2, 4, 1, 2), peeks(1, 5, 3), takes(2, 9, 9),
		}},
		{"a Peek of another time", false, ops{puts(1, 5, 0, 2), peeks(1, 8, 3)}},
		{"nothing while one is due", false, ops{puts(1, 5, 0, 0), none(5, 5)}},
		{"nothing while one may be due", true, ops{puts(1, 5, 0, 1), none(5, 5)}},
		{"time does not go back", false, ops{puts(1, 5, 0, 1), none(5, 5), takes(1, 5, 5)}},
		{"removed", true, ops{puts(1, 0, 0, 0), removes(1, true, 1), none(2, 2),
			removes(1, false, 3)}},
		{"removed twice", false, ops{puts(1, 0, 0, 0), removes(1, true, 1), removes(1, true, 1)}},
		{"removed in vain", false, ops{puts(1, 0, 0, 0), removes(1, false, 1)}},
		{"taken though removed", false, ops{puts(1, 0, 0, 0), removes(1, true, 1), takes(1, 1, 1)}},
		{"taken while removed", true,
			ops{puts(1, 0, 0, 0), takes(1, 1, 1), during(1, 1, removes(1, false, 1))}},
		{"reset later", true, ops{puts(1, 1, 0, 0), resets(1, 5, 0), none(4, 4), takes(1, 5, 5)}},
		{"reset ignored", false, ops{puts(1, 1, 0, 0), resets(1, 5, 0), takes(1, 4, 4)}},
		{"reset keeps its place", false, ops{
			puts(1, 5, 0, 0), puts(2, 5, 0, 0), resets(1, 5, 0), takes(1, 5, 5),
		}},
		{"drained", true, ops{puts(1, 0, 0, 0), puts(2, 9, 0, 0), drains(5, 1, 1), counts(1, 1)}},
		{"drained too little", false, ops{puts(1, 0, 0, 0), puts(2, 0, 0, 0), drains(5, 1, 1)}},
		{"miscounted", false, ops{puts(1, 0, 0, 0), counts(0, 1)}},
		{"listed in order", true, ops{puts(1, 5, 0, 0), puts(2, 3, 0, 0), lists(1, 2, 1)}},
		{"listed out of order", false, ops{puts(1, 5, 0, 0), puts(2, 3, 0, 0), lists(1, 1, 2)}},
		{"listed too little", false, ops{puts(1, 5, 0, 0), puts(2, 3, 0, 0), lists(1, 2)}},
		{"elements stay in a closed queue", true, ops{
			puts(1, 0, 0, 0), puts(2, 5, 0, 0), closes(1), polls(1, 2), counts(1, 3), removes(2,
				true, 4), none(5, 5),
		}},
		{"elements lost by closing", false, ops{puts(1, 0, 0, 0), closes(1), none(2, 2)}},
		{"closed", true, ops{closes(1), refused(history.QueuePut, 2), refused(history.QueueTake, 2),
			closes(3)}},
		{"Put refused by an open queue", false, ops{refused(history.QueuePut, 1), closes(2)}},
		{"Take refused by an open queue", false, ops{refused(history.QueueTake, 1), closes(2)}},
		{"Take refused while closed", true,
			ops{during(1, 1, refused(history.QueueTake, 1)), closes(1)}},
		{"put in a closed queue", false, ops{closes(1), puts(1, 0, 2, 2)}},
		{"taken from a closed queue", false, ops{puts(1, 0, 0, 0), closes(1), takes(1, 2, 2)}},
		{"gave up on a closed queue", false, ops{closes(1), gaveUp(2)}},
		{"gave up", true, ops{puts(1, 0, 0, 0), gaveUp(2), takes(1, 3, 3)}},
	})
}
