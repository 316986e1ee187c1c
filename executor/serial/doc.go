// Package serial runs tasks one after another on the workers of a pool: all tasks of one [Serial]
// or, with [Keyed], all tasks of the same key.
//
//	orders := serial.NewKeyed[string](pool)
//	orders.Execute(customer, charge) // after all that came before for this customer
//	orders.Execute(customer, ship)   // once charge has ended; no lock is needed between the two
//
//	api := serial.New(pool, serial.Gap(time.Second), executor.Pace(100, time.Hour))
//	answer, err := executor.Submit(api, call)
//
// Tasks of one order run in the order in which they came, and no two of them at once. The end of
// one happens before the next begins. A failure of one touches none of the others. In all other
// respects they are tasks of the pool, with its options, hooks, bounds, figures and shutdown.
//
// A task that waits for its turn holds no worker and no goroutine. Nor does a Serial, and nothing
// is kept for a key without tasks. With the options [Gap] and [executor.Pace] the next task begins
// later than the order alone would have it.
//
// Refusals are the errors of the pool, such as [executor.ErrSaturated] and [executor.ErrShutdown].
// A task that would wait for one behind it in its own order gets [future.ErrSelfWait].
package serial
