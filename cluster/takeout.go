package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The message of a task that is cancelled is taken out by who cancels it. To remove a message is to
// be able to remove any, so a process that only submits need not have that right, see [Join]. Then
// it asks, with its hint, and one of those who serve the task does it.
const (
	takers    = "takers" // the group of which one gets each hint
	askToTake = math.MaxUint64 - 1
	mostTaken = 32 // how many a process takes out at a time
)

// removeTask tells those who serve a task that it is cancelled, and takes out its message.
func (p *Pool) removeTask(ctx context.Context, at place) error {
	if p.mayNotRemove.Load() {
		return p.hint(at, askToTake)
	}
	if err := p.hint(at, math.MaxUint64); err != nil {
		return err
	}
	allowed, cancel := p.whileAllowed(ctx, "$JS.API.STREAM.MSG.DELETE."+p.streamName())
	defer cancel()
	err := p.takeOutTask(allowed, at)
	if errors.Is(err, ErrPermission) {
		p.mayNotRemove.Store(true)
		return p.hint(at, askToTake)
	}
	return err
}

// takeOutTask removes the message of a task, if there is one.
func (p *Pool) takeOutTask(ctx context.Context, at place) error {
	for {
		m, err := p.last(ctx, p.on.any(at))
		if m == nil || err != nil {
			return err
		}
		// A schedule whose time has come meanwhile is gone, and a run is in its place.
		if removed, err := p.takeOut(ctx, m.Sequence); removed || err != nil {
			return err
		}
	}
}

// takeOut removes a message from the queue by its sequence. removed is false if there is none.
func (p *Pool) takeOut(ctx context.Context, sequence uint64) (removed bool, err error) {
	return p.remove(ctx, p.stream, sequence)
}

// remove removes a message from a stream by its sequence. removed is false if there is none.
func (p *Pool) remove(
	ctx context.Context, from jetstream.Stream, sequence uint64,
) (removed bool, err error) {
	err = p.persist(ctx, "removing a message", func(ctx context.Context) error {
		refused := from.DeleteMsg(ctx, sequence)
		if removed = refused == nil; removed {
			return nil
		}
		if !errors.Is(refused, jetstream.ErrMsgDeleteUnsuccessful) {
			return refused
		}
		// The client does not say why.
		switch _, err := from.GetMsg(ctx, sequence); {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case err != nil:
			return err
		}
		return fmt.Errorf("%w: %w", errUndecided, refused)
	})
	return removed, err
}

// whileAllowed returns ctx that also ends when the server says that this process must not publish
// to a subject: it does not answer such a request.
func (p *Pool) whileAllowed(
	ctx context.Context, subject string,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	before := p.nc.LastError()
	var look func()
	look = func() {
		if ctx.Err() != nil {
			return
		}
		if last := p.nc.LastError(); last != before &&
			errors.Is(last, nats.ErrPermissionViolation) && strings.Contains(last.Error(), subject) {
			cancel(explained(last))
			return
		}
		time.AfterFunc(10*time.Millisecond, look)
	}
	time.AfterFunc(10*time.Millisecond, look)
	return ctx, func() { cancel(nil) }
}

// takeOutHinted takes out the task of a hint, if that asks for it.
func (w *worker) takeOutHinted(m *nats.Msg) {
	at := w.pool.on.placeOfAny(m.Subject)
	if at.series() || string(m.Data) != tombstoneText(askToTake) {
		return
	}
	w.taking <- struct{}{}
	go func() {
		defer func() { <-w.taking }()
		ctx, cancel := context.WithTimeout(w.life, 5*time.Second)
		defer cancel()
		// A hint proves nothing.
		o, ended, err := w.pool.results.recorded(ctx, at.id())
		if err == nil && ended && o.kind == cancelled {
			err = w.pool.takeOutTask(ctx, at)
		}
		if err != nil && w.life.Err() == nil {
			w.pool.logger.Debug("a cancelled task stays until its time", "pool",
				w.pool.settings.name, "task", nameOf(at.task()), "id", at.id(), "why", err)
		}
	}()
}
