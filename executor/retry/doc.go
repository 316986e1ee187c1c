// Package retry says when a task that has failed is tried again: by a [Backoff] with jitter, or as
// its error says: [Permanent], or [After] a while.
//
//	f, err := pool.Submit(push, executor.Retry(5, retry.Backoff{Base: time.Second}))
//
// All attempts are one run, and no worker is held between them: see the option Retry of package
// executor.
package retry
