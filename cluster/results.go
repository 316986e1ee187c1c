package cluster

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// results tells futures their outcomes. One watch serves all that this process has submitted; a
// future of another's ID watches by itself. The first who records an outcome wins.
type results struct {
	pool *Pool

	mu    sync.Mutex
	open  map[string]weak.Pointer[pending] // by ID; a future that nobody has any more costs nothing
	fault error                            // of all futures from then on: nobody watches any more

	over chan struct{} // closed at the end of the watch
}

// pending is a future that has no outcome yet.
//
//	open -> settled, once: outcome is written before done is closed, and not after.
type pending struct {
	done    chan struct{}
	outcome outcome
	fault   error
}

func newResults(p *Pool) *results {
	return &results{pool: p, open: map[string]weak.Pointer[pending]{}, over: make(chan struct{})}
}

// expect registers a future of this process before its task is submitted, so that its outcome
// cannot be missed.
func (r *results) expect(id string) *pending {
	f := &pending{done: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.open[id].Value(); known != nil {
		return known
	}
	if r.fault != nil {
		f.fault = r.fault
		close(f.done)
		return f
	}
	r.open[id] = weak.Make(f)
	runtime.AddCleanup(f, r.unreached, id)
	return f
}

// forget drops a future whose task was not accepted.
func (r *results) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
}

// unreached drops a future that nobody has any more. It may have been replaced by another.
func (r *results) unreached(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[id].Value() == nil {
		delete(r.open, id)
	}
}

func (r *results) settle(id string, o outcome, fault error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.open[id].Value()
	delete(r.open, id)
	if f != nil {
		f.outcome, f.fault = o, fault
		close(f.done)
	}
}

// watchOwn watches what becomes of this process's tasks, until the pool or the connection is
// closed.
func (r *results) watchOwn(ctx context.Context) error {
	w := &watch{stream: r.pool.kept, subject: r.subject(r.pool.client + ".>")}
	if err := w.open(ctx); err != nil {
		return err
	}
	go func() {
		defer close(r.over)
		err := w.follow(r.pool.part.life, func(m jetstream.Msg) (more bool) {
			o, err := decodeOutcome(m.Data())
			r.settle(strings.TrimPrefix(m.Subject(), r.subject("")), o, err)
			return true
		})
		w.remove()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fault = err
		for id, p := range r.open {
			delete(r.open, id)
			if f := p.Value(); f != nil {
				f.fault = err
				close(f.done)
			}
		}
	}()
	return nil
}

// subject is where the bucket stores a key.
func (r *results) subject(key string) string { return "$KV." + r.pool.bucketName() + "." + key }

// attach finds or awaits the outcome of any task: what is recorded already is told first.
func (r *results) attach(ctx context.Context, id string) (o outcome, err error) {
	ctx, release := r.pool.part.within(ctx)
	defer release()
	if o, ok, err := r.recorded(ctx, id); ok || err != nil {
		return o, err
	}
	w := &watch{stream: r.pool.kept, subject: r.subject(id)}
	defer w.close()
	var fault error
	err = w.follow(ctx, func(m jetstream.Msg) (more bool) {
		if len(m.Data()) == 0 {
			return true // it was deleted
		}
		o, fault = decodeOutcome(m.Data())
		return false
	})
	if err != nil {
		return o, err
	}
	return o, fault
}

// recorded returns the outcome that a task has already, if any.
func (r *results) recorded(ctx context.Context, id string) (o outcome, ok bool, err error) {
	err = r.pool.persist(ctx, "reading an outcome", func(ctx context.Context) error {
		entry, err := r.pool.bucket.Get(ctx, id)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		o, err = decodeOutcome(entry.Value())
		ok = err == nil
		return err
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx) // it was told to stop, and need not say more
	}
	return o, ok, err
}

// record writes the outcome of a task, unless it has one.
func (r *results) record(ctx context.Context, id string, o outcome) (first bool, err error) {
	m := nats.NewMsg(r.subject(id))
	m.Data = o.encode()
	expect(m, m.Subject, 0)
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	if err = r.pool.outcomes.publish(ctx, m); !conflict(err) {
		return err == nil, err
	}
	// Perhaps it is our own, whose acknowledgement was lost.
	known, ok, err := r.recorded(ctx, id)
	return ok && string(known.encode()) == string(m.Data), err
}

// validID tells whether an ID can be one of ours: it is a key of the bucket. A key of Once has
// tasks whose IDs have three parts, see oncekey.go.
func validID(id string) bool {
	parts := strings.Split(id, ".")
	if len(parts) != 2 && (len(parts) != 3 || parts[0] != "once") {
		return false
	}
	return !slices.ContainsFunc(parts, func(s string) bool { return s == "" || !plainName(s) })
}
