package future

import (
	"errors"

	"github.com/punctual-go/punctual/internal/cell"
)

// Promise is a future that its owner completes by hand. It is safe for concurrent use and must not
// be copied. The zero Promise is ready for use.
type Promise[V any] struct {
	future Future[V]
}

var errFailedWithNil = errors.New("future: promise failed with a nil error")

// NewPromise returns a pending promise. It is one allocation, its future included.
func NewPromise[V any]() *Promise[V] { return new(Promise[V]) }

// Future returns the read side.
func (p *Promise[V]) Future() *Future[V] { return &p.future }

// Complete settles the future as succeeded with v and reports whether this call did so. Of all
// calls of Complete, Fail and the future's Cancel exactly one returns true. The others may return a
// moment before the future is settled.
func (p *Promise[V]) Complete(v V) bool {
	c := p.future.cell()
	// Begin makes the caller the only one who may write the value. A cancellation may still settle
	// the cell before Finish does.
	if !c.Begin() {
		return false
	}
	(*cell.Core[V])(&p.future).SetValue(v)
	c.Exit()
	return c.Finish(nil)
}

// Fail settles the future as failed with err and reports whether this call did so. A nil err is
// replaced by an error that says it was nil.
func (p *Promise[V]) Fail(err error) bool {
	if err == nil {
		err = errFailedWithNil
	}
	return p.future.cell().Fail(err)
}

// Of returns a future that has already succeeded with v.
func Of[V any](v V) *Future[V] {
	p := NewPromise[V]()
	p.Complete(v)
	return p.Future()
}

// Failed returns a future that has already failed with err. A nil err is replaced by an error that
// says it was nil.
func Failed[V any](err error) *Future[V] {
	p := NewPromise[V]()
	p.Fail(err)
	return p.Future()
}
