// Package sight is all that watches the tasks and runs of a pool or an event loop: observers,
// recordings, measurements with explanations of what is late, history, expectations with the health
// that they make, and the lack of workers. [Sight] learns of everything by the tap, see [run.Tap],
// and by what [run.Sight] adds to that; the views of packages executor and eventloop ask it.
//
// # Where a figure has its home
//
//	counters of the owner    run.Counts: runs, failures, expired; of all tasks measurements show these
//	figures of a name        Kind: histograms, failures, expired, missed, the last success
//	reasons of late runs     Insight
//	figures of a second      History; the runs of a series themselves are in its trail
//	a task that is expected  fate: its last success and failures in a row, which its death shows, too
//
// Whatever shows a figure asks its home, and keeps no other.
package sight
