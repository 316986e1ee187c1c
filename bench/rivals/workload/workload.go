// Package workload says what is measured: the work, its sizes, and the figures that come out. It is
// the one contract that the drivers in Go and in Java, the command and its table share.
//
// A measurement is one workload on one system, in a process of that system's own. A driver warms
// up, at least with one round, a smaller one where most of it is waiting; and then it does the work
// once for each line that it reads on its standard input; for each it answers with one line of
// [Figures] as JSON on its standard output. What a round sets up it takes down again, and it
// collects garbage before it measures.
//
// All delays and choices are pseudo-random from the same generator in every language, see [Random],
// so that every system gets the same ones.
//
// # Kinds
//
// Two workers, where a system has workers: as many as GOMAXPROCS says in the run that is published.
// "task" is a function that counts. Times are by the clock unless they are said to be of the
// processors: there it is the time that the whole process has used of them, in its own code and in
// the kernel. Where a figure is ns, the same stretch of processor time is measured beside it, and
// for shutdown, too. For due it counts from the last call on, as nothing is to be done until the
// instant; for pairs and timeouts until a task has run that was scheduled behind all, so that what a
// system puts off counts.
//
//	schedule-cancel  pending tasks wait, due in 1 min to 1 h; then ops times: schedule one more, in 1 min
//	                 to 1 h, and cancel it.                                             ns per pair
//	pairs            pending tasks wait, as above; so many goroutines, or threads, schedule ops more
//	                 between them, in 1 min to 1 h. Two are partners: of two that one schedules, it
//	                 cancels the first at once, and its partner cancels the second. One that has no
//	                 partner cancels all of its own.                                    ns per pair
//	timeouts         so many servers set a timeout of 30 s for each of ops requests between them, which
//	                 the partner of the server cancels, another goroutine.              ns per request
//	soon             schedule n tasks, one after another, each 0 to 1 ms ahead; from the first call to
//	                 the end of the last run.                                           ns per task
//	due              schedule n tasks for one instant, lead_ms from the beginning, which must be later
//	                 than the last call; from that instant to the end of the last run.  ns per task
//	execute          batches times: submit batch tasks from one producer, without futures where there
//	                 is a choice, and wait until all have run.                          ns per task
//	producers        the same from producers threads at once, each with its share.      ns per task
//	submit-get       ops times: submit a task that returns a number, and wait for it.   ns per op
//	askers           the same by so many threads at once, ops times between them.       ns per op
//	fan-out          ops times: submit width tasks, and wait for all by the best means
//	                 that the system has.                                               ns per task
//	bounded          as producers, in a system in which so many tasks may wait as capacity says: who
//	                 submits more is held up by the means that the system documents.    ns per task
//	service          as execute, in a system with so many series at a rate of 1 s, an error handler and
//	                 a hook after each run, and tasks that ask their context.           ns per task
//	lateness         n tasks at a fixed rate of period_us, the first of task i after period·i/n; how
//	                 long after its planned time each run starts, of those planned in the for_ms from
//	                 the last call on, without the first tenth. A run that a system drops starts with
//	                 the next of its task; one that has not started is late by the end of the time.
//	                                               p50, p99, p99.9 in µs; processor s per second
//	mixed            n tasks at fixed rates: periods from period_us to 10 × period_us, the first run of
//	                 each after any part of its period; as above.
//	served           as lateness, in a system with an error handler, and a hook after each run.
//	                                               p50, p99, p99.9 in µs; processor s per second
//	busy             as lateness, beside so many goroutines that compute, and yield every microsecond.
//	                                                                       p50, p99, p99.9 in µs
//	cancelled        schedule n tasks, due in lead_ms to 2 × lead_ms; cancel so many of a thousand of
//	                 them as permille says; wait until the others have run.
//	                                                                  processor ns per scheduled task
//	pending          schedule n tasks, due in 1 h to 2 h, and keep whatever the system gives for each
//	                 until the heap has been collected.      bytes per task; allocations per task
//	allocations      n times schedule in 1 h and cancel, n times schedule at once and run, n runs of a
//	                 periodic task.                              allocations of each, rounded to tenths
//	idle             n tasks, due in 1 h to 2 h, then after settle_ms nothing for for_ms. The driver
//	                 writes "idle" on a line when that begins; the command looks at the process from
//	                 outside, and it need not say more than {}.
//	                                     context switches per second; processor ms per second
//	pools            so many systems, each with a task that is due in 1 h.
//	           more threads in the process; descriptors and bytes of heap and stack for each of them
//	shutdown         n tasks, due in 1 h to 2 h; then end the system so that none of them runs, and
//	                 wait for its threads if it has means to.                           ms
//
// What one thread schedules for another to cancel is handed over in parcels of 32, over a bounded
// queue of 8 parcels with another that gives them back empty: a channel of Go, an
// ArrayBlockingQueue of Java. That is some nanoseconds for a task, the same for all systems, and
// part of what is measured. Up to 256 tasks are on the way between two partners, in each direction
// that there is, and wait besides those that are pending anyway. A cancellation that comes too late
// is an error.
//
// Random numbers are drawn in the order in which they are used: for schedule-cancel, pairs and soon
// one for each call, inside of the measured time, where there are several threads by each from a
// generator of its own, see [RandomOf]; for mixed two for each task, its period and its first
// delay; for cancelled all delays first, and then for each task whether it is cancelled.
package workload

// Params are the sizes of one measurement, by name.
type Params map[string]int64

// Figures are what one measurement has found, by the names in [Workload.Figures]. A figure that a
// system cannot tell is not there.
type Figures map[string]float64

// Figure is one number that a workload gives. Less of it is better.
type Figure struct {
	Name  string // in Figures
	Unit  string
	Title string // "" if it is the only one, or that which one thinks of first
}

// Workload is work of one kind and size.
type Workload struct {
	Name    string
	Kind    string // one of those above
	Title   string
	Params  Params   // in full
	Quick   Params   // for -quick; nil if the workload is left out then
	Figures []Figure // the first counts for the order in the table
	Rounds  int      // at most; 0 for as many as asked for
}

// Random is a generator that is the same in every language: the state after each step is
// state·6364136223846793005 + 1442695040888963407 mod 2^64, and a step returns its upper 31 bits.
// It begins with a state of 1.
type Random uint64

// NewRandom returns a generator at its beginning.
func NewRandom() *Random { r := Random(1); return &r }

// Below returns a number from 0 to n-1: the step modulo n, for n up to 2^31; for larger n, of two
// steps put together, the first above.
func (r *Random) Below(n int64) int64 {
	if n <= 1<<31 {
		return r.step() % n
	}
	return (r.step()<<31 | r.step()) % n
}

// RandomOf returns a generator for the thread numbered i, from 0 on: it begins with a state of i+2.
func RandomOf(i int) *Random { r := Random(i + 2); return &r }

func (r *Random) step() int64 {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int64(*r >> 33)
}
