package series

import (
	"math"
	"math/rand/v2"
	"time"
)

// Retry says how a run that has failed is tried again. The zero Retry does not.
type Retry struct {
	Attempts uint64        // in all; 0 and 1 mean no second
	Base     time.Duration // the first wait
	Factor   float64       // of each wait to the one before, at least 1
	Max      time.Duration // of a wait; 0 means no limit
	Spread   Spread
	Within   time.Duration // no attempt begins that long after the first, or later; 0: no limit
}

// Spread says how a wait is varied at random, so that those who failed together do not come back
// together.
type Spread uint8

// These are as package retry describes them.
const (
	FullSpread Spread = iota
	EqualSpread
	DecorrelatedSpread
	NoSpread
)

// Wait returns the wait after attempt n, counted from 1, given the wait before and a random number
// in [0, 1).
func (r *Retry) Wait(n uint64, last time.Duration, random float64) time.Duration {
	if r.Base == 0 {
		return 0 // infinitely often nothing is no number
	}
	limit := time.Duration(math.MaxInt64)
	if r.Max > 0 {
		limit = r.Max
	}
	most := float64(limit)
	base := float64(r.Base)
	full := min(most, base*math.Pow(r.Factor, float64(n-1)))
	switch r.Spread {
	case FullSpread:
		full *= random
	case EqualSpread:
		full = full/2 + full/2*random
	case DecorrelatedSpread:
		from := max(float64(last), base)
		full = min(most, base+random*(3*from-base))
	}
	if full >= most {
		return limit
	}
	return time.Duration(full)
}

// attempts is the state of the run in progress, or of the next. Whoever takes the task writes it,
// with the owner's lock held.
type attempts struct {
	attempt uint64        // in progress, or the last one; 0 before the first
	first   int64         // when the first began
	pause   time.Duration // the last wait
	again   int64         // when the next is due; 0 unless it waits
	counts  int64         // the time that the run counts for
}

// Attempt returns the number of the attempt in progress.
func (a *attempts) Attempt() uint64 { return a.attempt }

// Retrying reports whether the task waits for another attempt of the run that it has begun.
func (a *attempts) Retrying() bool { return a.again > 0 }

// NextAttempt returns when the next attempt is due, if the task waits for one.
func (a *attempts) NextAttempt() (at int64, waits bool) { return a.again, a.again > 0 }

// BeginAttempt accounts for an attempt that begins. If it is not the first of its run, it returns
// the time that the run counts for.
func (s *Series) BeginAttempt(now int64) (counts int64, later bool) {
	if s.again == 0 {
		s.attempts = attempts{attempt: 1, first: now}
		return 0, false
	}
	s.again = 0
	s.attempt++
	s.watch = inTime
	return s.counts, true
}

// MayRetry reports whether another attempt may follow the one in progress, if that fails. Attempts
// are counted only if there may be several.
func (s *Series) MayRetry() bool { return s.Retry.Attempts > 1 && s.attempt < s.Retry.Attempts }

// RetryAt returns when the next attempt is due after one that has failed at the given time, or
// false if there is no time left for one. A negative wait means the one by the back-off.
func (s *Series) RetryAt(failed int64, wait time.Duration) (at int64, ok bool) {
	if wait < 0 {
		wait = s.Retry.Wait(s.attempt, s.pause, rand.Float64())
	}
	s.pause = wait
	if wait > time.Duration(math.MaxInt64-failed) {
		return 0, false // never
	}
	at = failed + int64(wait)
	within := int64(s.Retry.Within)
	return at, within == 0 || at-s.first < within
}

// AwaitRetry makes the task wait for another attempt at the run that counts for the given time.
func (a *attempts) AwaitRetry(at, counts int64) { a.again, a.counts = max(at, 1), counts }
