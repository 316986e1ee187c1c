package outbox

import (
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Option is an option of [NewRelay].
type Option func(*settings)

type settings struct {
	batch       int
	concurrency int
	poll        time.Duration
	lease       time.Duration
	backoff     time.Duration
	tries       int
	doubtful    bool // those are set aside
	logger      *slog.Logger
}

func defaults() settings {
	return settings{
		batch:       100,
		concurrency: 32,
		poll:        time.Second,
		lease:       30 * time.Second,
		backoff:     30 * time.Second,
		tries:       10,
		logger:      slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// Batch is how many rows a relay claims at once, by default 100. It has so many payloads in memory.
func Batch(n int) Option { return func(s *settings) { s.batch = n } }

// Concurrency is how many rows of a batch are submitted at the same time, by default 32. Those of
// one ordering key are submitted one after another.
func Concurrency(n int) Option { return func(s *settings) { s.concurrency = n } }

// Poll is how often a relay looks whether there are new rows, by default each second. It looks at
// once after [Relay.Wake], and while there is more than a batch.
func Poll(d time.Duration) Option { return func(s *settings) { s.poll = d } }

// Lease is for how long a relay claims the rows of a batch, by default 30 s: that long those of a
// relay that dies have to wait. What it could not submit in three quarters of it, it gives back.
func Lease(d time.Duration) Option { return func(s *settings) { s.lease = d } }

// Backoff is the longest pause after a failure of the pool or of the database, by default 30 s. The
// first is of 100 ms, and each is twice as long as the one before.
func Backoff(longest time.Duration) Option { return func(s *settings) { s.backoff = longest } }

// Tries is how often a row may fail before it is set aside, by default 10. Only failures count that
// are not known to be the pool's, as the server's answer to this one row may be.
func Tries(n int) Option { return func(s *settings) { s.tries = n } }

// SetDoubtfulAside makes the relay set a row aside that may have been submitted so long ago that
// the pool may have forgotten it, instead of submitting it again: rather not at all than twice.
func SetDoubtfulAside() Option { return func(s *settings) { s.doubtful = true } }

// Logger makes the relay tell what it does: a pool or database that it waits for, a row set aside
// or submitted again after long. Without it the relay is silent.
func Logger(l *slog.Logger) Option { return func(s *settings) { s.logger = l } }

func (s *settings) check(table *Table) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: the relay of table %q has "+format,
			append([]any{ErrInvalid, table.name}, args...)...)
	}
	switch {
	case s.batch < 1 || s.batch > 10_000:
		return wrong("batches of %d rows, not 1 to 10,000", s.batch)
	case s.concurrency < 1:
		return wrong("a concurrency of %d", s.concurrency)
	case s.poll < time.Millisecond:
		return wrong("a poll each %v, which is less than 1ms", s.poll)
	case s.lease < 100*time.Millisecond:
		return wrong("a lease of %v, which is less than 100ms", s.lease)
	case s.backoff < firstBackoff:
		return wrong("pauses of at most %v, which is less than %v", s.backoff, firstBackoff)
	case s.tries < 1:
		return wrong("%d tries", s.tries)
	case s.logger == nil:
		return wrong("a nil logger")
	}
	return nil
}
