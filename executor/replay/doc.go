// Package replay plays recordings of pools and event loops again: last night's incident as a unit
// test. The Record of an [insight.Config] takes a recording, [Read] reads it, and [Recording.Play]
// has another pool do the same work, best in a testing/synctest bubble, where a night takes
// milliseconds and every run begins exactly when it should.
//
//	func TestLastNight(t *testing.T) {
//		night, err := replay.ReadFile("testdata/last-night.jsonl")
//		...
//		synctest.Test(t, func(t *testing.T) {
//			again, err := night.Play(func(record executor.Option) *executor.ScheduledPool {
//				return executor.NewScheduledPool(8, record) // would eight workers have helped?
//			})
//			...
//			if late := again.Latest("poll"); late > time.Second {
//				t.Errorf("poll was %v late", late)
//			}
//		})
//	}
//
// What is played: tasks are submitted when they were, to run when they were to run, with the same
// names, periods, policies and timeouts. Their bodies sleep for as long as the run of that number
// took, and then succeed, fail, panic or call Goexit as it did. A run that the recording does not
// know takes as long as the last one before it. Tasks are cancelled, paused and resumed when they
// were. A series whose runs came at other times than its period says, because it is on a calendar,
// or somebody has moved it, comes at the recorded times. Attempts after a failure, see
// [executor.Retry], come as tasks of their own.
//
// What is not: refused submissions; tasks of a Serial or a Keyed are not held back behind
// each other; changes of the size of the pool, and its own pauses. What a run really did with the
// processor is not known, so a replay is as late as the queue and the workers made the pool, and
// not as late as the machine did.
package replay
