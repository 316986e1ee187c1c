// Package engine is the pool behind the door: one lock, and all that it guards. Package executor
// says what a pool promises, and shows [Pool] as its own type of that name.
//
// A task takes one road, from one part of the pool to the next:
//
//	Door ─► waiting ─► Crew ─► execution ─┬─► Life: it leaves, or all end
//	 ▲         ▲        loans             │
//	 │         └──────────────────────────┘ its next run, its next attempt
//	Jobs, Lane: rings                  Views, Host: what is seen of it
//
//	parts.go, runs.go   the fields, and who may touch them; no code
//	waiting.go          all homes of a task that waits; ready.go says when it may begin
//	door.go             the one way in; admission.go is what that does under the lock
//	crew.go, worker.go  who is called for what is due, and the loop of a worker
//	help.go, waits.go   what runs beside the workers, in the place that a wait has lent
//	execution.go        a run, on the goroutine that has it
//	leave.go            where a task goes after its run, or instead of it
//	lifecycle.go        stages, shutdown, the end
//
// One lock guards that road. Three short cuts avoid it, because for tiny tasks it is most of the
// cost: submissions to run now enter through the inbox, those for a time through the shards, where
// they can be cancelled as well, and workers claim bare tasks from a batch. Package runqueue has
// the figures. The settling of a future may call those who wait for it, so it happens without the
// lock as well.
//
// Few take the lock: the door, the workers and those who command them, the loans, the jobs, and
// what ends tasks or the pool. Whoever only looks, or comes by a timer, does so through Pool.look
// and Pool.later.
//
// Lock order: the pool's lock, then that of its inbox, then those of its shards, first to last; or
// the lock of a cell's extension, or of the plans by name. What waits may be settled, moved and
// told of with the pool's lock alone; what a shard holds needs that of the shard as well.
//
// # The DelayedWorkQueue, and leader and followers
//
// A reader who comes from java.util.concurrent finds them here:
//
//	ScheduledThreadPoolExecutor                   this module
//	DelayedWorkQueue: heap by time, then by       runqueue.Delayed: the same order; what is to run
//	number; a task knows its index                now stands in a line beside the heap, and what
//	                                              waits for its time alone in shards of it
//	leader: the one thread that waits for the     parking.Lot: one worker waits until the head is
//	head's time; followers wait without a time    due, the others until they are called
//	available.signal, in offer and on the         Crew.notifyLocked, called by all who bring the
//	leader's way out                              head forward, make room, or leave
//	Worker.runWorker, getTask                     worker.loop, worker.nextLocked
//	reExecutePeriodic                             execution.accountLocked, in one step with its question
//	onShutdown                                    Life.sweepLocked
//
//	submitter ─► Delayed ─► head due at t
//	                          ▲
//	      leader ──── alarm ──┘  takes it, has the next one called, and runs it
//	   followers ──── parked     one of them becomes the leader
package engine
