package bars

// The table of bars. A limit is today's figure; the comment behind it is what it must become, where
// that is decided. When a name moves, the lists below the table follow it.
var table = []bar{
	{"biggest receiver", "methods, and functions that take the type first",
		59, biggestReceiver}, // 60
	{"circle of files", "files of a package that refer to each other in a circle",
		12, largestCircle}, // 12
	{"users of the mutex", "files that use the mutex of the pool",
		9, usersOf(poolMutex)}, // 9
	{"counting", "places that count an accepted task: pool, inbox, loop",
		3, writesTo(accepted...)}, // 3: one each
	{"doors", "calls of the functions that count an accepted task",
		8, callsOfWriters(accepted...)}, // 3: one each
	{"named watchers", "lines elsewhere that name what watches tasks",
		4, namesFrom(watchers, views)},
	{"files", "files of package executor",
		34, filesIn("executor")}, // 34
	{"overview", "lines of go doc -short ./executor",
		78, shortDoc("executor")}, // 80
	{"code", "lines of code below executor, in hundreds",
		208, hundredsOfCode("executor")},
	{"median body", "lines of a function, the median",
		6, bodyAt(50)},
	{"p90 body", "lines of a function, the 90th percentile",
		20, bodyAt(90)},
	{"function fields", "fields of function type",
		105, functionFields},
	{"undocumented", "exported names without a comment",
		0, undocumented("executor", "executor/bulk", "executor/serial", "executor/debounce", "executor/insight",
			"executor/runlog", "executor/metrics", "executor/workflow", "executor/fallback",
			"executor/state",
			"executor/queue", "executor/rejection", "executor/retry", "executor/internal/run",
			"executor/internal/sight", "cluster", "contrib/inspect", "contrib/alerts")},

	{"Execute", "functions executed by a call while the worker is busy",
		6, functionsOf("Execute")},
	{"Execute, files", "files with them",
		4, filesOf("Execute")},
	{"Submit", "functions executed by a call while the worker is busy",
		13, functionsOf("Submit")}, // 18
	{"Submit, files", "files with them",
		7, filesOf("Submit")},
	{"Schedule", "functions executed by a call behind other tasks",
		20, functionsOf("Schedule")}, // 20
	{"Schedule, files", "files with them",
		14, filesOf("Schedule")},
	{"Cancel", "functions executed by a call for a task in the queue",
		18, functionsOf("Cancel")}, // 18
	{"Cancel, files", "files with them",
		10, filesOf("Cancel")},
	{"AtFixedRate", "functions executed by a call behind other tasks",
		35, functionsOf("AtFixedRate")}, // 32
	{"AtFixedRate, files", "files with them",
		19, filesOf("AtFixedRate")},
	{"run", "functions executed by one run of a plain series: wake, take, run, queue again, park",
		114, functionsOf("run")}, // 95
	{"run, files", "files with them",
		37, filesOf("run")}, // 24
	{"ShutdownNow", "functions executed by a call, and by the workers until the pool has ended",
		134, functionsOf("ShutdownNow")},
	{"ShutdownNow, files", "files with them",
		55, filesOf("ShutdownNow")},
}

// poolMutex is the one lock of a pool.
const poolMutex = "executor/internal/engine.Pool.mu"

// accepted are the counters of accepted tasks: of a pool, of its inbox, of a loop.
var accepted = []string{
	"executor/internal/engine.counts.accepted",
	"executor/internal/runqueue.Inbox.accepted",
	"executor/eventloop.counts.accepted",
}

// watchers is where what watches tasks is at home: observers, measurements, explanations, history,
// recording, expectations, the lack of workers.
var watchers = []string{
	"executor/internal/sight",
	"executor/internal/tape",
}

// views are where users of the module meet the watchers.
var views = []string{
	"executor/eventloop/expvar.go",
	"executor/eventloop/insight.go",
	"executor/eventloop/shortage.go",
	"executor/internal/engine/init.go",
	"executor/internal/engine/shortage.go",
	"executor/internal/engine/stats.go",
	"executor/observe.go",
	"executor/replay",
	"executor/watch.go",
}
