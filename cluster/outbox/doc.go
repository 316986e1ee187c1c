// Package outbox submits tasks of a cluster in transactions of a database: a transaction that
// places an order also writes a row of an outbox table, and a [Relay] moves the rows to the pool.
// Neither the order nor its task is ever there without the other. The databases are PostgreSQL and
// SQLite, by database/sql and whatever driver the program has.
//
//	table, err := outbox.NewTable(outbox.PostgreSQL, "shop.outbox")
//	err = table.Create(ctx, db)                      // or table.Schema in a migration
//	relay, err := outbox.NewRelay(db, table, pool)
//	go relay.Run(ctx)                                // in one process, or in several
//
//	tx, err := db.BeginTx(ctx, nil)
//	…                                                // the work of the transaction
//	id, err := outbox.Submit(ctx, tx, table, ship, order)
//	err = tx.Commit()
//
// # What is promised
//
//   - A row whose transaction is committed becomes a task, one whose transaction is rolled back
//     does not. It may take a [Poll] if nobody calls [Relay.Wake], and longer while the pool or
//     the database cannot be reached.
//   - A row becomes one task, however often relays die between submitting it and deleting it: the
//     row has a key, and the pool knows the key again as long as it keeps outcomes, see
//     [cluster.Keep]: a day by default, from the end of the task on. How often that task is
//     executed is the pool's promise: at least once, see package cluster.
//   - Before a relay submits rows for the first time, it marks them with the time, in a transaction
//     of its own. So a row is recognised that may have been submitted so long ago that the pool may
//     have forgotten it, as for nearly as long as outcomes are kept all relays were away, or the
//     database has refused to delete it. It is submitted again, with the same [cluster.Run.ID] and
//     a warning, as otherwise its task might be lost. With [SetDoubtfulAside] it is set aside.
//   - Rows with the same [OrderingKey] are submitted in order: the pool accepts a row before
//     another one if it was written before it, in the same transaction or in one that was committed
//     before the other row was written. Transactions that overlap are in no order, unless something
//     makes one wait for the other before it writes its row. It is the order in which tasks are
//     submitted, and no more: the pool runs what is due on all workers at once.
//   - A row that the pool can never take, as its payload is too large, is set aside with the
//     reason, and so is one that has failed [Tries] times in a way nobody knows. Others of its
//     ordering key go on without it. [Relay.ListAside] shows such rows, and [Relay.Restore] and
//     [Relay.Discard] decide about them.
//   - Any number of relays may share a table, all with the same pool, which alone knows the keys of
//     its rows. Each claims its rows for a [Lease]; those of a relay that dies are free when that
//     is over.
//
// A row is deleted once the pool has acknowledged its task, so the table has what is waiting, and
// no more. A task for a later time is handed to the pool at once, which waits for the time.
//
// # Databases
//
// In PostgreSQL a claim takes an advisory lock of its transaction, so it also works behind a pooler
// of transactions. In SQLite there is one writer at a time: open the database with a busy timeout,
// and let transactions begin as writers ("BEGIN IMMEDIATE"), or one that reads first may fail
// instead of waiting. SQLite has to be 3.35 or later. Times of rows are the database's.
package outbox
