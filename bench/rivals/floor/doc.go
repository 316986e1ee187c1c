// Package floor is a delay queue that does nothing but what a pool of many cores cannot do without:
// it says what is possible, and is measured beside what is offered. There are no futures, contexts,
// failures, statistics or bounds, no pause, and no periodic tasks.
//
// There are some shards, each with a lock and a heap of its own. A task goes to that of its
// processor, or another by a [Choice], so that others are rarely in the way. It is stamped with the
// clock while the shard is locked. Who takes what is due reads the clock once before it looks into
// any shard, and takes from each what was due by then. What had been scheduled by then is in its
// shard, so that the tasks taken, sorted by time and stamp, are those that one heap under one lock
// would have given, in the same order.
//
// One goroutine, the leader, waits for the earliest time of all shards. It learns of an earlier one
// from who schedules it; most need not tell, as they see that it will wake up in time.
package floor
