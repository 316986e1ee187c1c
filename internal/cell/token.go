package cell

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/delay"
)

// Token is the context of one run of a cell that runs repeatedly: a series, or a worker's own cell,
// which runs one task without a future after another. The cell behind it serves many runs as long
// as nobody asks it for a signal; the token tells the runs apart. A token is never used for two
// runs, so whoever keeps it learns that its run has ended, whatever runs by then.
//
//	live  -> asked         somebody asks for a signal, and the cell makes a context for it
//	live  -> ended         the run ends unasked: the token answers by itself from now on
//	asked -> asked, ended  the run ends: the context that was made has the answers
//
// Whoever asks has the context made first, then sets asked. The runner sets ended first, then looks
// whether a context was made. So if the two meet, either the asker finds that the run has ended, or
// the runner finds the context and ends it.
//
// A token takes 16 bytes and is allocated with others; see [Tokens].
type Token struct {
	carrier *Cell
	state   atomic.Uint32
}

// Tokens is the supply of tokens for the runs of one goroutine. The zero Tokens is ready for use.
type Tokens struct {
	made *[manyTokens]Token
	left uint // how many are unused; they are the first ones
}

// manyTokens is how many tokens are allocated at a time, 1 KiB of them.
const manyTokens = 64

// Next returns a new token.
func (ts *Tokens) Next() *Token {
	if ts.left == 0 {
		ts.made, ts.left = new([manyTokens]Token), manyTokens
	}
	ts.left--
	return &ts.made[ts.left%manyTokens]
}

const (
	tokenAsked = 1 << iota
	tokenEnded
)

// EnterAs is Enter for a run whose context is t, which must be new.
func (c *Cell) EnterAs(t *Token) context.Context {
	t.carrier = (*Cell)(c.Enter(nil).(*runContext))
	if c.Plan != nil && c.Plan.Timeout > 0 {
		t.state.Store(tokenAsked) // Enter has made a context, which has the timeout
	}
	return t
}

// Lend is EnterAs for one run after another within a single run of c, which has no timeout. c
// serves all of them as long as it is [Cell.Unseen] between two.
func (c *Cell) Lend(t *Token) context.Context {
	t.carrier = c
	return t
}

// End ends the run of the token. The runner calls it after the body has returned, before Exit.
func (t *Token) End() { t.state.Or(tokenEnded) }

// live reports whether the run of the token is in progress.
func (t *Token) live() bool { return t.state.Load()&tokenEnded == 0 && t.carrier.Live() }

// asked reports whether the carrier has a context for this run; while the run goes on, it makes
// one.
func (t *Token) asked() bool {
	s := t.state.Load()
	if s == 0 {
		delay.At(delay.ContextAsked)
		t.carrier.open()
		if t.state.CompareAndSwap(0, tokenAsked) {
			return true
		}
		s = t.state.Load()
	}
	return s&tokenAsked != 0
}

// Done implements context.Context.
func (t *Token) Done() <-chan struct{} {
	if t.asked() {
		return (*runContext)(t.carrier).Done()
	}
	return closed
}

// Err implements context.Context. Until somebody asks for a signal it costs as much as Err of the
// base, so a body may call it often.
func (t *Token) Err() error {
	if t.state.Load() == 0 && t.carrier.ext.Load() == nil {
		// If the run has ended meanwhile, the answer is not that of the base.
		if err := t.carrier.Plan.base().Err(); t.state.Load() == 0 {
			return err
		}
	}
	if t.asked() {
		return (*runContext)(t.carrier).Err()
	}
	return context.Canceled
}

// Deadline implements context.Context. A run without a timeout has the deadline of its base, which
// needs no context to be made.
func (t *Token) Deadline() (time.Time, bool) {
	if t.state.Load()&tokenAsked != 0 {
		return (*runContext)(t.carrier).Deadline()
	}
	return t.carrier.Plan.base().Deadline()
}

// Value implements context.Context. A run that has been interrupted has a context already, which
// has the cause: context.Cause of Go 1.25 looks for that before it calls Err.
func (t *Token) Value(key any) any {
	if key == (runKey{}) {
		return t
	}
	if t.state.Load()&tokenAsked != 0 || t.carrier.ext.Load().opened() && t.asked() {
		return (*runContext)(t.carrier).Value(key)
	}
	return t.carrier.Plan.base().Value(key)
}

// AfterFunc is the method that package context looks for in a parent that it does not know.
func (t *Token) AfterFunc(f func()) func() bool {
	if t.asked() {
		return (*runContext)(t.carrier).AfterFunc(f)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	return context.AfterFunc(ended, f)
}

// String keeps fmt from reading the fields, which change.
func (t *Token) String() string { return "punctual.run" }
