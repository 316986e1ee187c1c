package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/punctual-go/punctual/executor"
)

// Serve runs tasks in this process until ctx ends: it takes their runs from the server, shares them
// with all other processes that serve them, and runs them on a local pool. Then it takes no more,
// gives back at once what has not begun, waits for what runs for at most [Grace], gives that back
// as well, and returns nil. [Pool.Close] ends it in the same way.
//
// A pool serves once at a time. Serve returns an error at once if it is served already, for no
// tasks, for two of one name, and for those that Define was given wrongly; later only if the server
// refuses for good, or the pool is not what it was: [ErrShape], [ErrProtocol] or [ErrMoved].
func (p *Pool) Serve(ctx context.Context, tasks ...Runnable) error {
	defs, err := p.toServe(tasks)
	if err != nil {
		return err
	}
	ctx, done, err := p.part.serve(ctx)
	if err != nil {
		return fmt.Errorf("cluster: pool %q: %w", p.settings.name, err)
	}
	defer done()
	w := newWorker(p)
	w.since = p.now()
	defer w.die()
	if err := w.work(ctx, defs); err != nil {
		return fmt.Errorf("cluster: pool %q: %w", p.settings.name, err)
	}
	return nil
}

func (p *Pool) toServe(tasks []Runnable) ([]*definition, error) {
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%w: pool %q: no task to serve", ErrInvalid, p.settings.name)
	}
	names := map[string]bool{}
	var defs []*definition
	for _, t := range tasks {
		def, err := usable(t)
		if err != nil {
			return nil, err
		}
		if names[def.name] {
			return nil, fmt.Errorf("%w: pool %q: two tasks of name %q",
				ErrInvalid, p.settings.name, def.name)
		}
		if err := p.suits(def); err != nil {
			return nil, err
		}
		names[def.name] = true
		defs = append(defs, def)
	}
	return defs, nil
}

// worker is what serves: one for each call of Serve.
type worker struct {
	pool    *Pool
	id      string // has the name of the instance, see instanceOf
	local   *executor.ScheduledPool
	leases  *leases
	window  *window
	paces   paces
	alone   chan struct{}   // held by the one run that has lost its worker often
	taking  chan struct{}   // one for each that is being taken out
	served  []string        // the names of its tasks
	since   time.Time       // when it has begun, by the server's clock
	noting  sync.WaitGroup  // of runs of series, see history.go
	unnoted atomic.Int64    // how many
	life    context.Context // ends when Serve does: until then outcomes may still be stored
	die     context.CancelFunc
	stops   context.Context // ends when it takes no more
	drains  context.CancelFunc
	stop    context.CancelCauseFunc // ends the fetching, as if Serve's context had ended

	mu    sync.Mutex
	at    map[place][]*held
	count int
	empty chan struct{} // closed when count is 0 and nothing more comes
	ended bool
}

func newWorker(p *Pool) *worker {
	w := &worker{
		pool:   p,
		id:     token(p.instance) + "/" + nuid.Next(),
		local:  p.settings.local,
		leases: newLeases(p.nc),
		window: newWindow(p.workers),
		paces:  newPaces(),
		alone:  make(chan struct{}, 1),
		taking: make(chan struct{}, mostTaken),
		at:     map[place][]*held{},
		empty:  make(chan struct{}),
	}
	w.life, w.die = context.WithCancel(context.Background())
	w.stops, w.drains = context.WithCancel(w.life)
	return w
}

func (w *worker) work(ctx context.Context, defs []*definition) error {
	if w.local == nil {
		w.local = executor.NewScheduledPool(w.pool.workers,
			executor.Name("cluster "+w.pool.settings.name), executor.Logger(w.pool.localLogger()))
		defer w.local.ShutdownNow()
	}
	fetching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.stop = stop
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	defer stopKeeping()

	shortest := defs[0].lease
	for _, def := range defs {
		shortest = min(shortest, def.lease)
	}
	if err := w.leases.keep(keeping, shortest); err != nil {
		return err
	}
	var fetchers sync.WaitGroup
	fetchers.Go(func() { w.pool.sweep(fetching) })
	fetchers.Go(func() { w.pool.keepSentinel(fetching) })
	fetchers.Go(func() { w.pool.replan(fetching, defs) })
	for _, def := range defs {
		w.pool.note(def.name)
		w.served = append(w.served, def.name)
		unsubscribe, err := w.listen(def)
		if err != nil {
			stop(nil)
			fetchers.Wait()
			return explained(err)
		}
		defer unsubscribe()
		fetchers.Go(func() {
			if err := w.fetch(fetching, def); err != nil {
				stop(err)
			}
		})
	}
	unregister := w.register(keeping)
	defer unregister()
	fetchers.Wait()
	drained := time.Now()
	w.drains()
	w.drain()
	if w.pool.stopsWithServer() {
		w.takeAllBack(defs)
	}
	unregister()
	w.awaitNoted(2 * time.Second)
	w.flush(w.pool.grace - time.Since(drained))
	if err := w.pool.part.open(); err != nil {
		return err // it is lost: it is not closed before Serve returns
	}
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(fetching)
}

// listen has the worker hear of what is cancelled of a task.
func (w *worker) listen(def *definition) (unsubscribe func(), err error) {
	hints := w.pool.on.hints(def.name)
	all, err := w.pool.nc.Subscribe(hints, w.hinted)
	if err != nil {
		return nil, err
	}
	some, err := w.pool.nc.QueueSubscribe(hints, takers, w.takeOutHinted)
	if err != nil {
		_ = all.Unsubscribe()
		return nil, err
	}
	return func() { // an error only tells that the connection is gone
		_ = all.Unsubscribe()
		_ = some.Unsubscribe()
	}, nil
}

// fetch takes runs of a task from the server, as far as there is room for them.
func (w *worker) fetch(ctx context.Context, def *definition) error {
	var consumer jetstream.Consumer
	busy := false // see window
	for ctx.Err() == nil {
		if consumer == nil {
			err := w.pool.persist(ctx, "making or finding the consumer of a task", func(ctx context.Context) (err error) {
				consumer, err = w.pool.consumer(ctx, def)
				return err
			})
			if err != nil {
				if ctx.Err() != nil {
					return nil
				}
				return fmt.Errorf("task %q: %w", def.name, err)
			}
		}
		room := w.window.room(ctx, busy)
		if room == 0 {
			return nil
		}
		came, err := w.fetchOnce(ctx, consumer, def, room, busy)
		busy = came == room
		switch {
		case err == nil || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		case errors.Is(err, jetstream.ErrConsumerDeleted),
			errors.Is(err, jetstream.ErrConsumerNotFound),
			errors.Is(err, nats.ErrNoResponders):
			consumer = nil
			sleep(ctx, 100*time.Millisecond)
		case errors.Is(err, nats.ErrConnectionClosed):
			return ErrClosed
		default:
			w.pool.logger.Warn("fetching failed", "pool", w.pool.settings.name, "task", def.name,
				"error", err)
			sleep(ctx, 100*time.Millisecond)
		}
	}
	return nil
}

// fetchOnce takes what comes, and tells how much that was. For a task that is busy it waits for a
// moment, until the server says that there is no more: what the server sends as this process turns
// away is late by a lease. Else it waits for seconds, with heartbeats by the second: with the
// client's defaults a dead server goes unnoticed for half a minute.
func (w *worker) fetchOnce(
	ctx context.Context, consumer jetstream.Consumer, def *definition, room int, busy bool,
) (came int, err error) {
	options := []jetstream.FetchOpt{jetstream.FetchMaxWait(100 * time.Millisecond)}
	if busy {
		defer func() { w.window.unreserve(room - came) }()
	} else {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		options = []jetstream.FetchOpt{
			jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(time.Second),
		}
	}
	begun := time.Since(epoch)
	batch, err := consumer.Fetch(room, options...)
	if err != nil {
		return 0, err
	}
	for m := range batch.Messages() {
		came++
		meta, err := m.Metadata()
		switch {
		case err != nil: // no message of a stream
		case w.leases.pausedSince(begun, def.lease):
			w.leaveUnbegun(def, m, meta)
		default:
			w.receive(def, m, meta)
		}
		if busy {
			w.window.unreserve(1)
		}
	}
	return came, batch.Error()
}

// leaveUnbegun leaves to another, when its lease is over, what may have arrived long ago. It does
// not count as an attempt.
func (w *worker) leaveUnbegun(def *definition, m jetstream.Msg, meta *jetstream.MsgMetadata) {
	at := w.pool.on.placeOf(m.Subject())
	w.pool.logger.Warn("run left to another: this process was stopped, and may have had it for longer "+
		"than its lease", "pool", w.pool.settings.name, "task", def.name, "id", at.id())
	if at.series() || meta.NumDelivered > 1 {
		return // which count their attempts otherwise
	}
	go func() {
		ctx, cancel := context.WithTimeout(w.life, 2*time.Second)
		defer cancel()
		// If it fails the attempt counts.
		_ = w.pool.noteUnbegun(ctx, at.id(), carriedAttempts(m.Headers()), meta.Sequence.Stream)
	}()
}

// heldOf is what this process has of a message.
func (w *worker) heldOf(def *definition, m jetstream.Msg, meta *jetstream.MsgMetadata) *held {
	h := &held{
		worker:    w,
		task:      def,
		msg:       m,
		at:        w.pool.on.placeOf(m.Subject()),
		sequence:  meta.Sequence.Stream,
		delivered: meta.NumDelivered,
		attempt:   1,
		due:       dueOf(m.Headers()),
		tombstone: isTombstone(m.Headers()),
		asking:    make(chan struct{}, 1),
	}
	if h.carried = carriedAttempts(m.Headers()); !h.at.series() {
		h.failed, h.planned = failuresOf(m.Headers()), plannedOf(m.Headers())
		h.attempt, h.before = h.carried.number+1, h.carried.worker
	}
	return h
}

func (w *worker) receive(def *definition, m jetstream.Msg, meta *jetstream.MsgMetadata) {
	h := w.heldOf(def, m, meta)
	h.ctx, h.end = context.WithCancelCause(context.Background())
	w.hold(h)
	switch {
	case h.tombstone:
		go w.clear(h)
	case h.at.series():
		go w.checkSeries(h)
	case h.delivered > 1:
		go w.checkTask(h)
	case h.task.rate != nil:
		go func() {
			if w.pace(h) {
				h.admit()
			}
		}()
	default:
		h.admit() // in the order in which they come; its outcome is asked for meanwhile
	}
}

func (w *worker) hold(h *held) {
	w.leases.add(h)
	w.window.hold()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at[h.at] = append(w.at[h.at], h)
	w.count++
}

func (w *worker) forget(h *held) {
	w.leases.remove(h)
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.at[h.at]
	for i, other := range rest {
		if other == h {
			rest = append(rest[:i], rest[i+1:]...)
			w.count--
			break
		}
	}
	if len(rest) == 0 {
		delete(w.at, h.at)
	} else {
		w.at[h.at] = rest
	}
	if w.ended && w.count == 0 {
		w.closeEmpty()
	}
}

func (w *worker) closeEmpty() {
	select {
	case <-w.empty:
	default:
		close(w.empty)
	}
}

func (h *held) attr() slog.Attr {
	return slog.Group("run", "pool", h.worker.pool.settings.name, "task", h.task.name,
		"id", h.at.id(), "sequence", h.sequence, "delivered", h.delivered)
}
