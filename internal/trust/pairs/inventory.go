package pairs

// noFeature has the exported functions and methods that are no features of their own, by the
// reason.
var noFeature = map[string][]string{
	"the oracle compares what it tells with everything else": {
		"Pool.Stats", "Pool.Running", "Pool.Queued", "Pool.Next", "Pool.Tasks", "Pool.Series",
		"Pool.Insight", "Pool.Expvar", "Pool.String", "ScheduledPool.Job",
		"Pool.Paused",
		"Loop.Stats", "Loop.Running", "Loop.Insight",
		"Loop.Expvar",
		"Loop.String", "executor.RunFrom", "bulk.DueFrom",
		"Handle.History", "Handle.Kind", "Handle.Last", "Handle.Name", "Handle.Next",
		"Handle.Paused",
		"Handle.Period", "Handle.Runs", "Handle.State", "Handle.Status", "Handle.Stopped",
		"ScheduledFuture.Delay", "ScheduledFuture.Periodic", "Keyed.Keys", "Future.Done",
		"Future.Poll", "Future.State", "Future.Stopped",
		"Future.String", "fallback.New", "Future.TooLate",
	},
	"it makes the executor of a life": {
		"executor.NewPool", "executor.NewScheduledPool", "executor.Confined", "eventloop.New",
	},
	"it is for the packages of the module, which serve the other ways": {
		"Pool.Native", "ScheduledPool.Native", "Serial.Native", "Queue.Apply",
	},
	"it has no effect on an executor": {"state.Open", "Book.Last", "Book.Forget", "Book.Close"},
	"it is no part of an executor": {
		"executor.Ticks", "future.Of", "future.Failed", "future.NewPromise", "future.NewTask",
		"future.Invoke", "future.CancelledError",
	},
	"the way of the same name of a loop, inside a task": {
		"Turn.Every", "Turn.AtFixedRate", "Turn.WithFixedDelay", "Turn.On",
	},
}
