package state

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/series"
)

// A run under way, with all its attempts, and what the store knows of it:
//
//	none  -> begun     Run; under BeforeRun it is recorded, or fails
//	begun -> begun     Run: another attempt
//	begun -> recorded  Ended; under BeforeRun it is recorded already
//	begun -> dropped   Ended: it was cut short, so the next process is to repeat it
type underWay struct {
	run      Run
	ctx      context.Context // has the values of the run
	running  bool            // the body has not returned
	cut      bool            // the last attempt has failed because its context has ended
	recorded bool
}

// Begins is that of [series.Keeper].
func (s sinceLast) Begins(name string, after time.Time) error {
	return s.book.store.Record(context.Background(), name, Run{Slot: after.Round(0)})
}

// Run is that of [series.Keeper].
func (s sinceLast) Run(
	ctx context.Context, a series.Attempt, body func(context.Context) error,
) (err error) {
	b := s.book
	u := b.begin(ctx, a)
	if u == nil {
		return fmt.Errorf("%w: the series that this one replaces has had the run", executor.ErrSkipped)
	}
	defer b.leave(u)
	if b.before && !u.recorded {
		if err := b.record(u, a.Name); err != nil {
			return fmt.Errorf("state: a run does not begin that is not recorded: %w", err)
		}
		u.recorded = true
	}
	err = body(ctx)
	u.cut = err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), future.ErrTimeout)
	return err
}

// Ended is that of [series.Keeper].
func (s sinceLast) Ended(name string) error {
	b := s.book
	b.mu.Lock()
	p := b.pageLocked(name)
	u := p.under
	p.under = nil
	b.mu.Unlock()
	if u == nil || u.recorded || u.cut || b.before { // or its body was not called
		return nil
	}
	u.run.Ended = time.Now().Round(0)
	if err := b.record(u, name); err != nil {
		return fmt.Errorf("state: a run is not recorded: %w", err)
	}
	return nil
}

// begin returns the run under way of a series, of which an attempt begins; nil if it is not to.
func (b *Book) begin(ctx context.Context, a series.Attempt) *underWay {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pageLocked(a.Name)
	u := p.under
	if u == nil || !a.Again {
		now := time.Now()
		slot := shown(a.Slot, now)
		if p.hasHad(a.Series, slot) {
			return nil
		}
		u = &underWay{run: Run{Slot: slot, Began: now.Round(0)}}
		p.under, p.series, p.latest = u, a.Series, slot
	}
	u.ctx, u.running, u.cut = context.WithoutCancel(ctx), true, false
	return u
}

// hasHad reports whether another series of the name, which this one replaces, has begun the run of
// a slot after this one had asked for the last.
func (p *page) hasHad(series any, slot time.Time) bool {
	const inexact = time.Millisecond // what the two clocks may have moved against each other
	return p.series != nil && p.series != series && slot.After(p.known.Add(inexact)) &&
		!slot.After(p.latest.Add(inexact))
}

func (b *Book) leave(u *underWay) {
	b.mu.Lock()
	u.running = false
	b.mu.Unlock()
}

// record has the store record a run. A panic of the store is an error.
func (b *Book) record(u *underWay, name string) (err error) {
	future.Invoke(u.ctx, func(ctx context.Context) error {
		return b.store.Record(ctx, name, u.run)
	}, &err)
	return err
}

// shown returns what the wall clock shows at t. Of a time with a monotonic reading it may have
// shown something else before it was set.
func shown(t, now time.Time) time.Time { return now.Add(t.Sub(now)).Round(0) }
