package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A list reads what is stored, and changes nothing. It goes through the queue in the order in which
// the server has stored that, by a consumer of its own, which acknowledges nothing and is forgotten
// when nobody asks it any more.
//
// The server makes a consumer of everything at once, whatever there is. One of some subjects it
// makes by looking at each subject that matches: 15 ms for 50,000, 300 ms for a million, and as
// much again for the first message. So what is common is looked for among all, and only what is
// rare by its subject.
//
// The consumer is one that the server names and that sends by itself, as many messages as it may
// leave unacknowledged: to make one of a name, or to ask one for messages, takes rights by which a
// process could take runs. What follows is read by another one.

// glance is how long a list's consumer stays when nobody listens to it.
const glance = time.Second

// view is a list's look at the messages of a stream from a sequence on.
type view struct {
	pool     *Pool
	stream   jetstream.Stream
	headers  bool // only those are wanted
	subjects []string

	sent    *nats.Subscription // what is being sent; nil for nothing
	most    uint64             // how much is sent
	from    uint64             // what is sent next
	pending uint64             // how many match that were not read
}

// view begins to look at the messages of some subjects, all of them for none. It tells how many
// there are, and has n of them sent.
func (p *Pool) view(
	ctx context.Context, stream jetstream.Stream, from uint64, n int, headers bool, subjects ...string,
) (*view, error) {
	v := &view{pool: p, stream: stream, headers: headers, subjects: subjects, from: max(from, 1)}
	return v, v.open(ctx, n)
}

// close ends what is being sent.
func (v *view) close() {
	if v.sent != nil {
		_ = v.sent.Unsubscribe() // an error only tells that the connection is gone
		v.sent = nil
	}
}

// open has n messages sent.
func (v *view) open(ctx context.Context, n int) (err error) {
	inbox := v.pool.nc.NewInbox()
	if v.sent, err = v.pool.nc.SubscribeSync(inbox); err != nil {
		return err
	}
	made, err := v.pool.makeConsumer(ctx, v.stream, jetstream.ConsumerConfig{
		DeliverSubject: inbox,
		// Not FilterSubject: processes of earlier versions take a consumer with one for that of a task.
		FilterSubjects:    v.subjects,
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       v.from,
		AckPolicy:         jetstream.AckExplicitPolicy,
		AckWait:           time.Hour,
		MaxAckPending:     n,
		HeadersOnly:       v.headers,
		InactiveThreshold: glance,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		v.close()
		return err
	}
	// Some may have been sent before it was counted.
	v.pending = made.NumPending + made.Delivered.Consumer
	v.most = min(uint64(n), v.pending)
	return nil
}

// makeConsumer makes a consumer that is not durable, or finds it as it should be. Who may do that
// may not change those of tasks.
func (p *Pool) makeConsumer(
	ctx context.Context, stream jetstream.Stream, config jetstream.ConsumerConfig,
) (*jetstream.ConsumerInfo, error) {
	name := stream.CachedInfo().Config.Name
	request, err := json.Marshal(map[string]any{
		"stream_name": name, "config": config, "action": "create",
	})
	if err != nil {
		return nil, err
	}
	answer, err := p.nc.RequestWithContext(ctx, "$JS.API.CONSUMER.CREATE."+name, request)
	if err != nil {
		return nil, err
	}
	var made struct {
		Error *jetstream.APIError `json:"error"`
		jetstream.ConsumerInfo
	}
	if err := json.Unmarshal(answer.Data, &made); err != nil {
		return nil, err
	}
	if made.Error != nil {
		return nil, made.Error
	}
	return &made.ConsumerInfo, nil
}

// next returns the messages that are sent, or up to n more. There are none at the end. What is
// removed meanwhile does not come; nor does what is lost on the way. So when nothing comes for a
// while, what is left is asked for anew.
func (v *view) next(ctx context.Context, n int) (list []seen, err error) {
	defer v.close()
	for more := true; more; {
		if v.pending == 0 {
			return list, nil
		}
		if v.sent == nil {
			if err := v.open(ctx, n-len(list)); err != nil {
				return nil, err
			}
		}
		if list, more, err = v.receive(ctx, list); err != nil {
			return nil, err
		}
		v.close()
	}
	return list, nil
}

// receive adds what is sent to a list. more tells that some of it has not come.
func (v *view) receive(ctx context.Context, list []seen) (_ []seen, more bool, err error) {
	for number := uint64(1); number <= v.most; number++ {
		m, err := v.await(ctx)
		if m == nil || err != nil {
			return list, true, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return list, false, err
		}
		if meta.Sequence.Consumer != number {
			return list, true, nil
		}
		v.pending, v.from = meta.NumPending, meta.Sequence.Stream+1
		list = append(list, seen{m.Subject, m.Header, m.Data, meta.Sequence.Stream, meta.Timestamp})
	}
	return list, false, nil
}

// await returns the next message, nil if none comes for a while.
func (v *view) await(ctx context.Context) (*nats.Msg, error) {
	moment, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	m, err := v.sent.NextMsgWithContext(moment)
	if err != nil && moment.Err() != nil && ctx.Err() == nil {
		return nil, nil
	}
	return m, err
}

// seen is a message as a list sees it.
type seen struct {
	subject  string
	header   nats.Header
	data     []byte // none of a view of headers
	sequence uint64
	stored   time.Time
}

const (
	// rare is how many messages the server looks for in some milliseconds.
	rare = 20_000
	// mostScanned is how many messages a list goes through in search of those that match, before
	// it has the server look for them.
	mostScanned = 8192
	// worthOne is how many the server looks for in the time in which one is gone through, and more.
	worthOne = 32
	// mostRead is how many it goes through that match, for one page.
	mostRead = 16384
	// scanned is how many of them it asks for at a time.
	scanned = 2048
)

// scan calls take with the messages of the queue from a sequence on that match a subject, in their
// order, until it wants no more. expected is how many match, about. next is where to go on; 0 at the
// end.
func (p *Pool) scan(
	ctx context.Context, subject string, from, expected uint64, take func(seen) (more bool),
) (next uint64, err error) {
	if expected > rare {
		next, over, err := p.scanAll(ctx, subject, from, expected, take)
		if over || err != nil {
			return next, err
		}
		from = next
	}
	v, err := p.view(ctx, p.stream, from, firstRead, true, subject)
	if err != nil {
		return 0, err
	}
	defer v.close()
	for read := 0; v.pending > 0; {
		list, err := v.next(ctx, scanned)
		if err != nil {
			return 0, err
		}
		for _, m := range list {
			if !take(m) {
				return m.sequence + 1, nil
			}
		}
		if read += len(list); read >= mostRead {
			return v.from, nil
		}
	}
	return 0, nil
}

// firstRead is how many messages a list asks for first: a page, as a rule, and what tells whether
// another follows.
const firstRead = 128

// scanAll is scan among all messages. over tells that it is through, or has enough.
func (p *Pool) scanAll(
	ctx context.Context, subject string, from, expected uint64, take func(seen) bool,
) (next uint64, over bool, err error) {
	v, err := p.view(ctx, p.stream, from, firstRead, true)
	if err != nil {
		return 0, false, err
	}
	defer v.close()
	next = from
	most := max(mostScanned, int(expected/worthOne))
	for read := 0; read < most && v.pending > 0; {
		list, err := v.next(ctx, scanned)
		if err != nil {
			return 0, false, err
		}
		for _, m := range list {
			next = m.sequence + 1
			if matches(subject, m.subject) && !take(m) {
				return next, true, nil
			}
		}
		read += len(list)
	}
	if v.pending == 0 {
		return 0, true, nil
	}
	return next, false, nil
}

// list is persist for a list, which step begins anew.
func (p *Pool) list(ctx context.Context, what string, step func(context.Context) error) error {
	err := p.part.open()
	if err == nil {
		err = p.persist(ctx, "listing "+what, step)
	}
	if err != nil {
		return fmt.Errorf("cluster: pool %q: listing %s: %w", p.settings.name, what, err)
	}
	return nil
}
