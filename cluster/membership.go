package cluster

import (
	"context"
	"fmt"
	"sync"
)

// membership is this process's part in a pool.
//
//	joined  -> serving  Serve
//	serving -> joined   it has returned
//	joined  -> closing  Close: no Serve begins any more, and the one in progress is to end
//	closing -> closed   it has returned; open futures fail, and calls are refused
type membership struct {
	mu      sync.Mutex
	serving chan struct{} // closed when the Serve in progress returns; nil if there is none

	closing context.Context
	life    context.Context // ends when the part is closed, with the cause ErrClosed; nil: it does not
	leave   context.CancelFunc
	end     context.CancelCauseFunc
}

func (m *membership) begin() {
	m.closing, m.leave = context.WithCancel(context.Background())
	m.life, m.end = context.WithCancelCause(context.Background())
}

// closed returns a channel that is closed once the part is.
func (m *membership) closed() <-chan struct{} {
	if m.life == nil {
		return nil
	}
	return m.life.Done()
}

// open returns ErrClosed if the part is closed.
func (m *membership) open() error {
	select {
	case <-m.closed():
		return fmt.Errorf("%w: Close was called", ErrClosed)
	default:
		return nil
	}
}

// within returns ctx that also ends when the part is closed.
func (m *membership) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return merge(ctx, m.life, ErrClosed)
}

// serve begins to serve, until ctx ends or the part is closed. The caller calls done at the end.
func (m *membership) serve(ctx context.Context) (serving context.Context, done func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closing.Err() != nil:
		return nil, nil, fmt.Errorf("%w: Close was called", ErrClosed)
	case m.serving != nil:
		return nil, nil, fmt.Errorf("%w: it is served by this process already", ErrInvalid)
	}
	over := make(chan struct{})
	m.serving = over
	ctx, cancel := merge(ctx, m.closing, context.Canceled)
	return ctx, func() {
		cancel()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.serving = nil
		close(over)
	}, nil
}

// merge returns ctx that also ends, with a cause, when other does.
func merge(ctx, other context.Context, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(cause) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Close ends this process's part in the pool: a Serve in progress ends as if its context had, which
// Close waits for; then futures that have no outcome yet fail with [ErrClosed], and so do all
// calls. What was submitted goes on: another process can [Attach] to it. The connection stays open,
// and other pools on it are not concerned. Close may be called several times, but not from a task,
// for which it would wait. A pool that is not closed ends with its connection.
func (p *Pool) Close() {
	m := &p.part
	m.mu.Lock()
	m.leave()
	serving := m.serving
	m.mu.Unlock()
	if serving != nil {
		<-serving
	}
	m.end(ErrClosed)
	<-p.results.over
}
