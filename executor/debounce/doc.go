// Package debounce runs a task once for many calls: when they have stopped for a while.
//
//	saves, err := debounce.New(pool, debounce.Wait{Quiet: time.Second, Most: 10 * time.Second}, save,
//		executor.Name("save"), executor.Timeout(time.Minute))
//	…
//	err = saves.Call()       // for each change
//	err = saves.Flush(ctx)   // save now what has changed, and wait for it
//	err = saves.Close(ctx)   // before the pool is closed
//
// A [Debouncer] promises:
//
//   - After each Call a run begins, and knows what was done before the Call. Many calls share one.
//   - It begins when no Call has come for Quiet, and not before that, unless Most or Flush has it
//     begin: Most after the first call that no run has begun for, whatever comes later.
//   - Runs do not overlap. A Call during a run leads to another one, after it.
//   - A run that fails, or panics, is reported like that of any series, and fails nothing else. The
//     calls that it has begun for are over; with [executor.Retry] it is tried again first.
//
// Its states:
//
//	idle     -> waiting   Call
//	waiting  -> waiting   Call: the run is put off
//	waiting  -> running   the time has come, or Flush has brought it forward
//	waiting  -> idle      Drop
//	running  -> idle      the run has ended
//	running  -> waiting   the run has ended, and there was a Call meanwhile
//	any      -> closed    Close, after a Flush; or the end of the pool, which drops what waits
//
// A Debouncer is one periodic task of its pool, whose next run is planned by its calls: it shows
// among the tasks of the pool, also while it is idle. It can be triggered there, and paused: a run
// that falls due during a pause is dropped, as of any series, and the next Call or Flush makes up
// for it. It has no goroutine and no timer of its own. A Call is a lock and a
// [executor.Handle.Reset], O(log n).
package debounce
