package rights

// grant is what some roles may do, with POOL for the name of the pool.
type grant struct {
	to                 []Role
	publish, subscribe []string
}

var (
	everybody  = []Role{Admin, Worker, Operator, Submitter, Viewer}
	submitters = []Role{Admin, Worker, Operator, Submitter}
	lookers    = []Role{Admin, Operator, Viewer}
	operators  = []Role{Admin, Worker, Operator}
	observers  = []Role{Admin, Worker, Operator, Viewer}
	servers    = []Role{Admin, Worker}
	makers     = []Role{Admin}
)

// grants are all rights there are. A verb that needs another subject gets it here, and everything
// that is made of this follows: the documents, the users of cluster/embedded, and the trials, which
// fail for a right that no verb needs.
var grants = []grant{
	// Join, Close, and the look at whether the pool is still there; Next, Stats, and Get of an
	// outcome that is recorded.
	{to: everybody, publish: []string{
		"$JS.API.STREAM.INFO.PUNCTUAL_POOL",
		"$JS.API.STREAM.INFO.PUNCTUAL_POOL_DEAD",
		"$JS.API.STREAM.INFO.KV_PUNCTUAL_POOL",
		"$JS.API.STREAM.MSG.GET.PUNCTUAL_POOL",
		"$JS.API.STREAM.MSG.GET.KV_PUNCTUAL_POOL",
		"$JS.API.CONSUMER.LIST.PUNCTUAL_POOL",
	}},
	// The watch that waits for outcomes: a consumer of the process's own.
	{to: everybody, publish: []string{
		"$JS.API.CONSUMER.CREATE.KV_PUNCTUAL_POOL.>",
		"$JS.API.CONSUMER.INFO.KV_PUNCTUAL_POOL.>",
		"$JS.API.CONSUMER.MSG.NEXT.KV_PUNCTUAL_POOL.>",
		"$JS.API.CONSUMER.DELETE.KV_PUNCTUAL_POOL.>",
	}},
	// Submit, Schedule, Once and Cancel, and all about series: also to declare one is a command in
	// its queue.
	{to: submitters, publish: []string{
		"punctual.POOL.arm.*.o.>",
		"punctual.POOL.run.*.o.>",
		"punctual.POOL.run.*.s.>",
		"punctual.POOL.hint.>",
		"$KV.PUNCTUAL_POOL.claim.>",
		"$KV.PUNCTUAL_POOL.end.cancelled.>",
		"$KV.PUNCTUAL_POOL.task.>",
		"$KV.PUNCTUAL_POOL.audit.>",
	}},
	// Lists of what is on the queue, and of the failed set: consumers that the server names, and that
	// send by themselves. Workers make those that count.
	{to: observers, publish: []string{"$JS.API.CONSUMER.CREATE.PUNCTUAL_POOL"}},
	{to: lookers, publish: []string{
		"$JS.API.CONSUMER.CREATE.KV_PUNCTUAL_POOL",
		"$JS.API.CONSUMER.CREATE.PUNCTUAL_POOL_DEAD",
	}},
	// One of the failed set: to look at it, and for a worker whose task has not failed after all.
	{to: observers, publish: []string{"$JS.API.STREAM.MSG.GET.PUNCTUAL_POOL_DEAD"}},
	// Redrive and Discard; the same for a worker.
	{to: operators, publish: []string{"$JS.API.STREAM.MSG.DELETE.PUNCTUAL_POOL_DEAD"}},
	// Serve.
	{
		to: servers,
		publish: []string{
			"punctual.POOL.arm.*.s.>",
			"punctual.POOL.dead.>",
			"$KV.PUNCTUAL_POOL.end.done.>",
			"$KV.PUNCTUAL_POOL.hold.>",
			"$KV.PUNCTUAL_POOL.rate.>",
			"$KV.PUNCTUAL_POOL.try.>",
			"$KV.PUNCTUAL_POOL.ran.>",
			"$KV.PUNCTUAL_POOL.worker.>",
			"$KV.PUNCTUAL_POOL.sweeps",
			"$KV.PUNCTUAL_POOL.healed",
			"$JS.API.STREAM.MSG.DELETE.PUNCTUAL_POOL",
			"$JS.API.CONSUMER.CREATE.PUNCTUAL_POOL.>",
			"$JS.API.CONSUMER.INFO.PUNCTUAL_POOL.>",
			"$JS.API.CONSUMER.MSG.NEXT.PUNCTUAL_POOL.>",
			"$JS.ACK.PUNCTUAL_POOL.>",
		},
		subscribe: []string{"punctual.POOL.hint.>"},
	},
	// The first Join makes the pool, and the administrator looks after what it is made of.
	{to: makers, publish: []string{
		"$JS.API.INFO",
		"$JS.API.STREAM.*.PUNCTUAL_POOL",
		"$JS.API.STREAM.*.PUNCTUAL_POOL_DEAD",
		"$JS.API.STREAM.*.KV_PUNCTUAL_POOL",
		"$JS.API.CONSUMER.DELETE.PUNCTUAL_POOL.>",
	}},
}
