package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// watch follows the messages of a subject, those that are there and those that come, and misses
// none.
//
// The server numbers what it delivers to a consumer. A number that does not follow the last, or one
// that the server has given and that has not arrived when nothing comes any more, is a message that
// was lost on the way: to a connection that broke, or to a request that had just expired. Then
// another consumer begins after the last message that did arrive. The client's own watches do
// the same, but one that cannot be begun anew while the servers elect a leader stays silent.
type watch struct {
	stream   jetstream.Stream
	subject  string
	consumer jetstream.Consumer
	seen     uint64 // the last message of the stream that arrived
	number   uint64 // of it among the consumer's
}

// quiet is how long nothing comes before the watch asks whether that is right.
const quiet = 5 * time.Second

func (w *watch) open(ctx context.Context) (err error) {
	w.number = 0
	w.consumer, err = w.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubject:     w.subject,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       w.seen + 1,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: time.Minute,
		MemoryStorage:     true,
		Replicas:          1,
	})
	return err
}

// follow calls take for each message until it wants no more, ctx ends or the connection is closed.
func (w *watch) follow(ctx context.Context, take func(jetstream.Msg) (more bool)) error {
	for {
		if w.consumer == nil {
			attempt, cancel := context.WithTimeout(ctx, quiet)
			err := w.open(attempt)
			cancel()
			if err != nil {
				w.consumer = nil
				if errors.Is(err, nats.ErrConnectionClosed) {
					return ErrClosed
				}
				if sleep(ctx, 50*time.Millisecond); ctx.Err() != nil {
					return context.Cause(ctx)
				}
				continue
			}
		}
		more, err := w.fetch(ctx, take)
		switch {
		case !more:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, nats.ErrConnectionClosed):
			return ErrClosed
		case err != nil:
			w.consumer = nil
		}
	}
}

var errMissed = errors.New("cluster: a message was lost on the way")

func (w *watch) fetch(ctx context.Context, take func(jetstream.Msg) bool) (more bool, err error) {
	attempt, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	batch, err := w.consumer.Fetch(512, jetstream.FetchContext(attempt),
		jetstream.FetchHeartbeat(time.Second))
	if err != nil {
		return true, err
	}
	arrived := 0
	for m := range batch.Messages() {
		meta, err := m.Metadata()
		if err != nil || meta.Sequence.Consumer != w.number+1 {
			return true, errMissed
		}
		w.number, w.seen = meta.Sequence.Consumer, meta.Sequence.Stream
		arrived++
		if !take(m) {
			return false, nil
		}
	}
	if arrived == 512 {
		return true, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return true, err
	}
	asking, cancelAsking := context.WithTimeout(ctx, quiet)
	defer cancelAsking()
	info, err := w.consumer.Info(asking)
	if err == nil && info.Delivered.Consumer != w.number {
		err = errMissed
	}
	return true, err
}

// close removes the consumer without waiting for that.
func (w *watch) close() { go w.remove() }

// remove removes the consumer, which the server would do after a minute.
func (w *watch) remove() {
	if w.consumer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), quiet)
	defer cancel()
	_ = w.stream.DeleteConsumer(ctx, w.consumer.CachedInfo().Name)
}
