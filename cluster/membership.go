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
//	any     -> lost     the pool is not what it was, see watchdog.go: the same, but at once, and with
//	                    that as the error
type membership struct {
	mu      sync.Mutex
	serving chan struct{} // closed when the Serve in progress returns; nil if there is none

	closing context.Context
	life    context.Context // ends when the part is closed or lost, with the error as cause
	leave   context.CancelFunc
	end     context.CancelCauseFunc
}

var errLeft = fmt.Errorf("%w: Close was called", ErrClosed)

func (m *membership) begin() {
	m.closing, m.leave = context.WithCancel(context.Background())
	m.life, m.end = context.WithCancelCause(context.Background())
}

// lose ends the part with an error.
func (m *membership) lose(err error) {
	m.end(err)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leave()
}

// closed returns a channel that is closed once the part is.
func (m *membership) closed() <-chan struct{} {
	if m.life == nil {
		return nil
	}
	return m.life.Done()
}

// open returns an error if the part is closed or lost.
func (m *membership) open() error {
	if m.life == nil { // it is just being joined
		return nil
	}
	return context.Cause(m.life)
}

// within returns ctx that also ends when the part does.
func (m *membership) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return merge(ctx, m.life)
}

// serve begins to serve, until ctx ends or the part is closed. The caller calls done at the end.
func (m *membership) serve(ctx context.Context) (serving context.Context, done func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.open() != nil:
		return nil, nil, m.open()
	case m.closing.Err() != nil:
		return nil, nil, errLeft
	case m.serving != nil:
		return nil, nil, fmt.Errorf("%w: it is served by this process already", ErrInvalid)
	}
	over := make(chan struct{})
	m.serving = over
	ctx, cancel := merge(ctx, m.closing)
	return ctx, func() {
		cancel()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.serving = nil
		close(over)
	}, nil
}

// merge returns ctx that also ends when other does, with its cause.
func merge(ctx, other context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
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
	m.end(errLeft)
	<-p.results.over
}
