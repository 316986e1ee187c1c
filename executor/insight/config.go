package insight

import (
	"io"
	"time"
)

// Config says what is to be watched of a pool or event loop; the option Watch of package executor
// takes it. The zero Config measures, and so does every other.
//
// To measure is to keep histograms of how late runs begin and how long they take, of all runs and
// by the names of tasks: see [View.Measurements], and the Stats of a pool. A run that has expired,
// as BeginWithin says, has not begun: it is counted, and in no histogram. To measure reads the
// clock once more for each run of a task that runs once, and keeps about 1 KiB for each of up to
// 200 names. A task of Execute then costs as much as one of Submit. Without the option nothing is
// kept.
//
// Several Configs add up. What one of them asks for is done; of two thresholds in ExplainLate the
// lower one counts; each function of OnLate has its own threshold and interval, and all functions
// are called. Two of them that record are a mistake in the program, and panic: an io.MultiWriter
// writes one recording twice.
type Config struct {
	// History has what has happened lately remembered, to show it: ten minutes second by second, the
	// last 32 runs that were explained, and the last 16 runs of each of up to 4,096 periodic tasks.
	// Runs that have expired are among these, see [PastRun]. [View.History] and Handle.History show
	// it. Unless ExplainLate says otherwise, runs later than 10 ms, and those that have expired, are
	// explained, but not logged. It is also remembered what is wrong: see [Trouble].
	//
	// It keeps 60 KiB, and about 2 KiB for each periodic task. Errors of these runs are kept, too, and
	// those of up to 1,000 tasks that a failure has ended, and of 1,000 whose last run failed.
	History bool

	// ExplainLate has runs explained that begin later than this. 0 explains none, [Any] each that
	// is late at all; a negative one panics. Each is reported to the observers that have Late, and
	// logged as a warning, such as
	//
	//	executor: late 412ms poll#17: workers 398ms (import-1 9.2s, import-2 3.1s), wake 14ms, gc 3ms
	//
	// A run that has expired is explained as well, however short it has waited. It is reported
	// after Observer.Expired, and logged with "expired after 5s" in place of "late 5s".
	//
	// Not all are logged, but of those of one name the first, second, fourth, eighth and so on, and
	// one a minute, with how many there have been, as "episode", and how many since the last record,
	// as "suppressed". The count begins anew once a minute has passed without any.
	//
	// At most a hundred runs are explained at once, and a hundred a second after that; the others are
	// counted, see [Measurements]. An explanation takes a microsecond, or up to five when many tasks
	// have overlapped the wait.
	ExplainLate time.Duration

	// OnLate is called when a run begins later than OnLateAfter, on a goroutine of its own, at most
	// once in OnLateInterval: the moment to have a trace.FlightRecorder write down what has just
	// happened. Likewise when a run expires that has waited for longer than that. It logs nothing.
	// If it panics or calls runtime.Goexit, that is reported like the panic of a hook. A run that
	// begins late while OnLate is at it, or within the interval, is passed over. With an OnLateAfter
	// of 0 each run counts that is late at all; a negative one panics. Without OnLate the two mean
	// nothing.
	OnLate         func(LateRun)
	OnLateAfter    time.Duration
	OnLateInterval time.Duration

	// OnHealth is called when the status of the pool or loop, or the state of a task, becomes
	// another: a task is late or has failed, and when it is well again; not for new, paused and ok
	// among each other, and not once the executor is shut down. It is called on a goroutine of its
	// own, one call at a time, with what there is then; changes during a call are in the next one.
	// If it panics or calls Goexit, that is reported like the panic of a hook.
	OnHealth func(Health)

	// Record is where it is written down what becomes of the tasks: a JSON object a line for each
	// submission, each beginning and end of a run, and whatever else an observer sees. Package
	// executor/replay turns that into a test. Of a task it has the name and the options about
	// times; of a failure, that it was one. Bodies, errors and values are not recorded.
	//
	// An event takes about fifty bytes and a microsecond, so a run of a microsecond takes about twice
	// as long. It is written by a goroutine of its own, in blocks, or after a second. If the writer is
	// slow, up to 4 MiB wait for it, and what is beyond is left out and counted. A recording ends at
	// 64 MiB. An error of the writer, a panic, or a Goexit, is reported like the panic of a hook, and
	// ends it too. The rest is written before the executor has terminated, so that waits for the
	// writer: one that waits for that gets future.ErrSelfWait. A writer is for one executor.
	Record io.Writer
}

// Any is the ExplainLate of a [Config] that explains each run that is late at all.
const Any = time.Nanosecond
