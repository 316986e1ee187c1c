package executor

// Confined makes a pool one of a single worker whose sizes are fixed, like Java's
// Executors.newSingleThreadExecutor and newSingleThreadScheduledExecutor: tasks run one at a time,
// in their order, and nothing makes that two.
//
//	states := executor.NewPool(1, executor.Confined())
//	timers := executor.NewScheduledPool(1, executor.Confined())
//
// Its tasks may share state without locks, but a task that waits for another lets that one run in
// its place, and must leave the state fit for it. SetCoreSize and SetMaximumSize fail. With any
// other core size than 1, and with a [MaximumSize] above, the pool panics when it is made.
//
// For many sequences of tasks, one pool with a serial.Serial for each sequence costs less than a
// pool for each.
func Confined() Option { return option(func(s *settings) { s.SizesFixed = true }) }
