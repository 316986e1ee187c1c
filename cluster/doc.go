// Package cluster runs tasks beyond one process: they survive a crash, each series is run by one
// replica at a time, and the load is spread over all processes that serve it. The verbs are those
// of package executor: Submit, Schedule, ScheduleAt, AtFixedRate, WithFixedDelay and On. The engine
// is NATS JetStream, from 2.12 on; this package is a client of it. Package
// github.com/punctual-go/punctual/cluster/embedded runs the server in the process itself, for one
// machine and for tests.
//
//	var mail = cluster.Define("mail", func(ctx context.Context, to string) (string, error) {
//		return send(ctx, to)
//	})
//
//	pool, err := cluster.Join(ctx, conn)
//	go pool.Serve(ctx, mail)                                   // in each process that runs tasks
//	future, err := cluster.Schedule(ctx, pool, time.Hour, mail, "ann@example.org") // in any process
//	receipt, err := future.Get(ctx)
//
// # How it works
//
// What has to be done is one message in a replicated log: a schedule until shortly before its time,
// then a run that one of the workers gets. It runs it on a local pool of package executor, whose
// timer ends the last wait, and whose hooks, observers and options ([With], [Executor]) apply.
// While it runs, the worker renews its lease. The first outcome recorded wins. A series is a chain:
// the worker that ends a run stores the next one, on the condition that its own is still the
// newest, which the server checks as it stores the entry.
//
// # What is promised
//
//   - Accepted means stored. If Submit, Schedule or another returns a nil error, the server has
//     acknowledged the task: a quorum of the replicas, or the one disk. "Durability" says what that
//     is worth. What the server nevertheless forgets to deliver, by a fault of its own, is still
//     stored, and is found and queued again.
//   - Each accepted task has one outcome, the first recorded. It is executed at least once: more
//     often if a worker dies or is silent for longer than its [Lease], or a server dies.
//     Effects that must not happen twice need [Run.ID] as an idempotency key, or [Run.Fence].
//   - A run whose worker dies is run again elsewhere when the lease is over, with Attempt one
//     higher. After [Attempts] a task fails with [ErrAbandoned]. A series leaves out such a run, and
//     goes on.
//   - A task with [Retry] is tried again after an error or panic. Its back-off is stored, so it
//     holds no worker, outlives all processes, and can be cancelled.
//   - [AtOnce] bounds how many runs of a task there are at once in all processes, and [Rate] how
//     often they begin for each key. What waits for its rate holds no worker.
//   - What has failed for good is in the failed set, with its payload, before its future says so.
//     [Pool.Redrive] has it run again, each task once, however often that is asked for.
//   - Runs of a series do not overlap, are not skipped, and keep to their grid, whichever process
//     or server dies. A run that kills its worker at each of its attempts is left out. And a worker
//     that is silent for longer than its lease may still be in a run while another begins it again.
//     The context of the first ends with the cause [ErrLost] as soon as it can know, what it tries
//     to store is refused, and its Fence is smaller.
//   - No run begins early, by the server's clock. On a machine that is not busy it is about a
//     millisecond late; after the death of a worker as late as its lease is long; after the death
//     of the leading server some five to eight seconds, for the election.
//   - Cancel says whether it has prevented the outcome, and all see the same. What is cancelled
//     before it begins does not begin.
//
// Not promised: order between tasks; series with periods far below a second, as each run costs
// three synced writes. A submission in one transaction with your own database takes an outbox:
// package github.com/punctual-go/punctual/cluster/outbox.
//
// # Durability
//
// A server acknowledges before its disk has the data, unless "sync_interval: always" is set,
// and syncs every two minutes. A power failure then loses what was acknowledged. Package embedded
// sets it; for servers of your own it is up to you, and this package cannot see it. With three
// replicas ([Replicas]) and that setting the loss of one machine, disk included, loses nothing.
// What it costs, and how it is set, is in docs/cluster.md of the repository.
//
// # When something else is better
//
// If all that you run is one PostgreSQL, and tasks should live in it, use River. If a task is a
// workflow of many steps whose state must survive between them, use Temporal. If one process is
// enough, package executor is simpler, and more exact by a factor of a hundred.
package cluster
