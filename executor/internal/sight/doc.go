// Package sight is all that watches the tasks and runs of a pool or an event loop: observers,
// recordings, measurements with explanations of what is late, history, expectations with the health
// that they make, and the lack of workers. [Sight] learns of everything by the tap, see [run.Tap],
// and by what [run.Sight] adds to that; the views of packages executor and eventloop ask it.
//
// # Where a figure has its home
//
//	runs, failures, skipped, expired of all  run.Counts, which measurements show
//	histograms, missed, the last success     Kind, one for all and one for each name
//	failures, skipped, expired of a name     Kind
//	reasons of late runs                     Insight
//	figures of a second                      History
//	the last runs of a series                its trail, see History
//	last success and failures in a row of    fate, which the task's death shows, too
//	a task of which something is expected
//	failures in a row of any other           fate, while there are some, and a history is kept
//
// Whatever shows a figure asks its home, and keeps no other.
package sight
