package cluster

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	id      string
	at      place
	done    chan struct{}
	outcome outcome
	fault   error

	accepted     atomic.Bool
	seen, missed bool // at the last look, see gone.go
}

func newResults(p *Pool) *results {
	return &results{pool: p, open: map[string]weak.Pointer[pending]{}, over: make(chan struct{})}
}

// expect registers a future of this process before its task is submitted, so that its outcome
// cannot be missed.
func (r *results) expect(id string, at place) *pending {
	f := &pending{id: id, at: at, done: make(chan struct{})}
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
	w := &watch{stream: r.pool.kept, subject: r.either(r.pool.client + ".>")}
	if err := w.open(ctx); err != nil {
		return err
	}
	go func() {
		defer close(r.over)
		err := w.follow(r.pool.part.life, func(m jetstream.Msg) (more bool) {
			if !deleted(m.Headers()) {
				id, o, err := r.read(m.Subject(), m.Data())
				r.settle(id, o, err)
			}
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

// An outcome is on one of two subjects, so that who may cancel need not have the right to write
// results. The first of either refuses the other: each is stored on the condition that there is
// none on both.
func (r *results) done(id string) string      { return r.subject("end.done." + id) }
func (r *results) cancelled(id string) string { return r.subject("end.cancelled." + id) }
func (r *results) either(id string) string    { return r.subject("end.*." + id) }

// place is where an outcome belongs.
func (r *results) place(id string, o outcome) string {
	if o.kind == cancelled {
		return r.cancelled(id)
	}
	return r.done(id)
}

// read reads an outcome, and whose it is. What is on the subject of the cancelled is cancelled,
// whatever it says.
func (r *results) read(subject string, data []byte) (id string, o outcome, err error) {
	how, id, _ := strings.Cut(strings.TrimPrefix(subject, r.subject("end.")), ".")
	if how == "cancelled" {
		return id, outcome{cancelled, data[min(1, len(data)):]}, nil
	}
	o, err = decodeOutcome(data)
	if err == nil && o.kind == cancelled {
		err = fmt.Errorf("cluster: the result of a task (%s) says that it is cancelled", id)
	}
	return id, o, err
}

// attach finds or awaits the outcome of any task: what is recorded already is told first.
func (r *results) attach(ctx context.Context, id string) (o outcome, err error) {
	ctx, release := r.pool.part.within(ctx)
	defer release()
	if o, ok, err := r.recorded(ctx, id); ok || err != nil {
		return o, err
	}
	w := &watch{stream: r.pool.kept, subject: r.either(id)}
	defer w.close()
	var fault error
	err = w.follow(ctx, func(m jetstream.Msg) (more bool) {
		if deleted(m.Headers()) {
			return true
		}
		_, o, fault = r.read(m.Subject(), m.Data())
		return false
	})
	if err != nil {
		return o, err
	}
	return o, fault
}

// deleted tells that a message of the bucket says that its key was deleted.
func deleted(h nats.Header) bool { return h.Get("KV-Operation") != "" }

// recorded returns the outcome that a task has already, if any.
func (r *results) recorded(ctx context.Context, id string) (o outcome, ok bool, err error) {
	err = r.pool.persist(ctx, "reading an outcome", func(ctx context.Context) error {
		m, err := r.last(ctx, r.either(id))
		if m != nil && m.Subject == r.cancelled(id) {
			// There is no result, unless it was cancelled without the condition.
			var result *jetstream.RawStreamMsg
			if result, err = r.last(ctx, r.done(id)); result != nil {
				m = result
			}
		}
		if m == nil || err != nil {
			return err
		}
		_, o, err = r.read(m.Subject, m.Data)
		ok = err == nil
		return err
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx) // it was told to stop, and need not say more
	}
	return o, ok, err
}

// last returns the last message of a subject, nil if there is none.
func (r *results) last(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	m, err := r.pool.kept.GetLastMsgForSubject(ctx, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case deleted(m.Header):
		return nil, nil
	}
	return m, nil
}

// record writes the outcome of a task, unless it has one.
func (r *results) record(ctx context.Context, id string, o outcome) (first bool, err error) {
	m := nats.NewMsg(r.place(id, o))
	m.Data = o.encode()
	expect(m, r.either(id), 0)
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	if err = r.pool.outcomes.publish(ctx, m); !conflict(err) {
		return err == nil, err
	}
	// Perhaps it is our own, whose acknowledgement was lost.
	known, ok, err := r.recorded(ctx, id)
	return ok && string(known.encode()) == string(m.Data), err
}

// longestID bounds what is asked for: a subject that is too long for the server would end the
// connection, and with it all that the process has of the pool. Ours have 60 bytes at most.
const longestID = 128

// validID tells whether an ID can be one of ours: it is a key of the bucket. A key of Once has
// tasks whose IDs have three parts, see oncekey.go.
func validID(id string) bool {
	parts := strings.Split(id, ".")
	if len(id) > longestID || len(parts) != 2 && (len(parts) != 3 || parts[0] != "once") {
		return false
	}
	return !slices.ContainsFunc(parts, func(s string) bool { return s == "" || !plainName(s) })
}
