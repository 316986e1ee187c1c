// Package state has series go on after their process was down: what was due meanwhile is caught up
// with.
//
//	runs, err := state.Open("/var/lib/app/runs", state.Config{})
//	if err != nil {
//		return err
//	}
//	defer runs.Close() // after the pool
//	pool := executor.NewScheduledPool(2, executor.Name("jobs"))
//	defer pool.Close()
//	_, err = pool.On(cron.MustParse("0 3 * * *"), report,
//		executor.Name("report"), runs.SinceLast(24*time.Hour))
//
// A [Book] keeps the last run of each series by its name, in a file or in any [Store]. A series
// with [Book.SinceLast] goes on after its last run: its first slot is the next one after that, as
// if the pool had been there all the time. A series that is submitted for the first time is
// recorded, too, so that not even its first run is lost. Where something else knows the last run, a
// table say, [Since] does the same, and nothing is kept.
//
// # What becomes of the slots that have passed
//
// The [executor.CatchUpPolicy] of the series decides, as it does after a stall. A run says in
// [executor.Run] for which slot it is and how many others were missed.
//
//	Burst     a run for each slot of the window, the oldest first
//	Coalesce  one run, for the last slot; Missed counts the others
//	Skip      none; Missed of the next run counts them
//	Shift     one run now; Missed counts the slots after the first, and the grid goes on from now
//
// Nothing older than the window gets a run. What is older is counted in Missed of the first run,
// and so shown to [executor.Observer] and in the figures like any other missed period. On a
// calendar such a count ends near ten thousand. If no slot lies within the window, there is no run
// before the next slot comes.
//
//	AtFixedRate, Every  the grid of the last run goes on, with the period that the series has now;
//	                    the initial delay counts only if nothing is known of a last run
//	On                  what the calendar, as it is now and in the zone of the process now, has after
//	                    the last run
//	WithFixedDelay      one run, the delay after the end of the last run, or at once; there is nothing
//	                    to catch up with, so neither policy nor window matter. If runs are recorded
//	                    before they begin, the delay counts from their begin
//	DelayBy             the function is not asked about a run of another process: the period or delay
//	                    of the series counts once
//	Jitter              is put on top of each slot, and is no part of what is kept. Under Skip a slot
//	                    is dropped when its whole span has passed
//	From                slots before it are neither due nor missed. A last run before it does not
//	                    move the grid: that begins at From
//	Until               slots before it are caught up with, also after it. If none is left, the
//	                    submission is refused as ever
//	BeginWithin         drops each run that comes too late, as ever; what expires is not recorded
//	MaxRuns, PauseAfter, SlowDown
//	                    count from the start of the process; the runs that catch up count
//	Pause               is not kept, nor are Reset, NextIn and SetPeriod. What was due in a pause when
//	                    the process ended was not run, so it is caught up with
//	Trigger             an extra run has no slot, and is not recorded
//	Retry               the attempts of a run are one run. A run that waits for another attempt when
//	                    the process ends has not ended
//	Apply               a job that is the same is left alone. A new or changed one goes on after its
//	                    last run; if that is in progress, after that
//
// If the clock has been set back since, and the last run lies in the future, a series on a calendar
// does what it does when that happens in one process, see [executor.ScheduledPool.On]: up to three
// hours, times that have had their run get no other. A rate keeps its grid, and goes on with the
// first slot from now on.
//
// A task that runs once ignores both options. An event loop takes [Since] alone.
//
// # What a crash can cost
//
// A run is recorded after it has ended or, with [Config.BeforeRun], before it begins. The next run
// of the series begins when that is done, so at most one run is in doubt:
//
//	after   no run is lost; the one under way at the crash is run again
//	before  no run is repeated; the one under way at the crash is lost
//
// That is true of slots that get a run of their own: the policies above say which do. A run that
// returns an error because its context has ended, by a shutdown say, has not ended its work, so it
// is not recorded after it: the next process repeats it. Any other run that fails has ended.
//
// If the store fails after a run, that is reported to the error handler of the pool, or logged; the
// series goes on, and the next record makes up for it. A run that cannot be recorded before it
// begins does not begin: it fails with the error of the store, and is reported like any failure.
//
// # The file
//
// Each record replaces the whole file: the new one is written beside it and synced, the old one is
// kept under the name with .old, the new one gets the name, and the directory is synced. Records
// that come while one is written share the next write. One that waits alone costs two syncs: on an
// SSD some milliseconds, in which its worker is busy and no lock is held. So it is for jobs; for
// thousands of runs a second give [New] a store that writes less. A file that is damaged is logged,
// and put aside with the name .bad, and the one before it is used; if that is damaged or missing
// too, [Open] fails with [ErrCorrupt]. To begin with nothing known, remove both, or use
// [Book.Forget].
//
// A lock on path.lock keeps a second process, or a second Open, out: it gets [ErrLocked]. The lock
// ends with its process. On plan9, js, wasip1, aix and Solaris there is none.
package state
