package move

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// restWatch watches from the beginning to the end that nobody serves the pool at the source. A
// worker that waits shows in the figures of its consumer. One that runs as much as it can does not,
// but it renews its leases, three times in each.
type restWatch struct {
	server *side
	pool   string
	subs   []*nats.Subscription

	mu    sync.Mutex
	heard string // the consumer that is served
}

// listening is for how long it is listened at the least.
const listening = 2 * time.Second

func watchRest(s *side, pool string) (*restWatch, error) {
	w := &restWatch{server: s, pool: pool}
	for _, subject := range []string{
		"$JS.ACK.>", "$JS.API.CONSUMER.MSG.NEXT." + queueOf(pool) + ".>",
	} {
		sub, err := s.nc.Subscribe(subject, func(m *nats.Msg) { w.hear(m.Subject) })
		if err != nil {
			w.end()
			return nil, err
		}
		w.subs = append(w.subs, sub)
	}
	return w, s.nc.FlushTimeout(answers)
}

func (w *restWatch) end() {
	for _, sub := range w.subs {
		_ = sub.Unsubscribe() // the connection is closed soon
	}
}

// hear notes a message of a worker: a request for runs, an acknowledgement, or a heartbeat.
func (w *restWatch) hear(subject string) {
	_, rest, ours := strings.Cut(subject, "."+queueOf(w.pool)+".")
	if !ours {
		return
	}
	consumer, _, _ := strings.Cut(rest, ".")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = consumer
}

func (w *restWatch) disturbed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.heard == "" {
		return nil
	}
	return w.served(w.heard, "a worker asks for runs, or has some")
}

func (w *restWatch) served(consumer, how string) error {
	return fmt.Errorf("pool %q is served at %s: %s (stream %s, consumer %s). End all that serve "+
		"it, then run this again", w.pool, w.server.name, how, queueOf(w.pool), consumer)
}

// awaitRest returns nil if nobody serves the pool. Where runs are out, that takes half of the lease
// of their task, as it is a third at the most until a worker renews it.
func (w *restWatch) awaitRest(ctx context.Context) error {
	wait := listening
	consumers, err := w.server.consumers(ctx, queueOf(w.pool))
	if err != nil {
		return err
	}
	for _, c := range consumers {
		if c.NumWaiting > 0 {
			return w.served(c.Name, fmt.Sprintf("%d requests for runs wait", c.NumWaiting))
		}
		if c.NumAckPending > 0 {
			wait = max(wait, c.Config.AckWait/2)
		}
	}
	for begun := time.Now(); time.Since(begun) < wait; {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := w.disturbed(); err != nil {
			return err
		}
	}
	return nil
}

// consumers returns the durable consumers of a stream.
func (s *side) consumers(
	ctx context.Context, stream string,
) (list []*jetstream.ConsumerInfo, err error) {
	handle, err := s.js.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	infos := handle.ListConsumers(ctx)
	for info := range infos.Info() {
		if info.Config.Durable != "" {
			list = append(list, info)
		}
	}
	if err := infos.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return nil, err
	}
	return list, nil
}
