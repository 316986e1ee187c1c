// Package bulk runs many tasks at once on a pool, or on any other [executor.Submitter]: a function
// for each element of a slice, tasks that succeed or fail together, futures in the order in which
// they end, and calls of which the first success counts.
//
//	users, err := bulk.Map(ctx, pool, ids, load) // in order and bounded; an error ends the rest
//
//	g := bulk.NewGroup(ctx, pool)
//	g.Go(loadUser)
//	g.Go(loadOrders) // cancelled if loadUser fails
//	err = g.Wait()
//
//	page, err := bulk.InvokeAnyHedged(ctx, pool, 50*time.Millisecond, fromOne, fromOther)
//
// [executor.InvokeAll] and [executor.InvokeAny] are beside the pools, as in Java.
//
// An [Overlap] lets runs of one series overlap, which a series by itself never does:
//
//	reports, err := bulk.NewOverlap(pool, 3, bulk.SkipNew, report)
//	_, err = pool.Every(time.Minute, reports.Task)
//
// All of it also works inside a task of the same pool, even of a pool of one worker: what the task
// waits for runs in its place. [Map] and [Group.Wait] return once all bodies have; a
// [CompletionService] and [InvokeAnyHedged] do not wait for those that ignore the end of their
// contexts.
//
// Each call is a task of the pool, with a future. Map submits no more of them at a time than it
// takes to keep the workers busy, however long its input is; [Group.SetLimit] bounds a group. No
// lock is held while something waits, or while a function runs.
//
// A group and Map return the first error, InvokeAnyHedged all of them if there is no success, and a
// CompletionService none: each future has its own. A refusal of the pool is returned as it is, and
// a nil function as [executor.ErrNilTask]. A task that would wait for itself gets
// [future.ErrSelfWait].
package bulk
