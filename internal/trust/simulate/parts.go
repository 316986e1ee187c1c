package simulate

import "context"

// generator draws all that is random about a program, before it happens: the kinds of its hosts,
// the calls, and their tasks. What it draws never hangs by a fault of its own; see limitUnsafe.
type generator struct {
	*program
	maxJobs int // so many there are to be in all, after this batch
}

// player makes the calls that were drawn: it submits the tasks, waits for them, and closes the
// hosts. It holds what it has to wait for itself, and the context of a run that lasts.
type player struct {
	*program
	handRunCtx context.Context // of a task run by hand as long as there is the program

	detachedCalls int // functions that nobody waits for but the program; the lock guards it
}

// judge compares what happens with the invariants: while it happens, when a wait ends, and when all
// is at rest. It holds what it has not judged yet. The lock guards that.
type judge struct {
	*program
	waits   []*wait // in progress
	audited int     // so many jobs are over, and all is known to be right with them
}

// threads is the model of who executes what: it holds for each goroutine the runs that it is in, and
// from that keeps count of how many are active on each host. The lock guards it.
type threads struct {
	*program
	goroutines map[uint64]*goroutine
	started    []*job // in the order in which they began
}

// callbacks is what the first pool calls of its user's, on whatever goroutine: hooks, handlers, a
// logger and a base context. It holds what was drawn for them.
type callbacks struct {
	*program
	hooked     bool // there are hooks
	misbehaves bool // that do more than they should
	slow       bool // that may take their time
}
