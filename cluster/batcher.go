package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// batcher stores the messages of many goroutines in one stream, and sends those that wait at the
// same time as an atomic batch. The server makes one entry of its log of it, and one sync: the
// group commit of databases. While only a few are under way, a message goes alone, at once.
//
//	waiting -> single                few are under way: its goroutine publishes it
//	waiting -> batched -> stored     many are: one goroutine publishes all that wait
//	           batched -> single     the server has not taken the batch
//	waiting, batched -> abandoned    its context has ended
//
// A batch is only an attempt. If one message of it is refused all are; then, and if no answer
// comes, each is published by its own goroutine, which learns what is the matter with it. A message
// has an ID by which the server recognizes what it has stored already.
//
// No two messages of one condition are in one batch: the server would compare both with what was
// stored before it, and take both.
type batcher struct {
	alone func(context.Context, *nats.Msg) error // stores a message
	batch func([]*nats.Msg) error                // stores all, or perhaps none; nil: not to be had

	mu      sync.Mutex
	waiting []*publication
	singles int // publications under way that are not in a batch
	batches int // batches under way
}

// publication is a message that is to be stored.
type publication struct {
	msg       *nats.Msg
	stored    chan bool // receives once; false asks its goroutine to publish it
	abandoned bool      // its goroutine has gone; guarded by batcher.mu
}

const (
	// mostSingles is how many messages go alone at a time, and the fewest in a batch, which costs
	// the server about as much as so many.
	mostSingles = 16
	// mostInBatch bounds a batch. The server takes 1,000.
	mostInBatch = 500
	// mostBatches is how many are under way at a time, one being written while one is on its way.
	// The server takes 50 of all processes.
	mostBatches = 2
)

// publish stores a message, whose header must have an ID.
func (b *batcher) publish(ctx context.Context, m *nats.Msg) error {
	if b.batch == nil {
		return b.alone(ctx, m)
	}
	p := b.join(m)
	select {
	case stored := <-p.stored:
		if stored {
			return nil
		}
	case <-ctx.Done():
		b.abandon(p)
		return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
	defer b.leave()
	return b.alone(ctx, m)
}

func (b *batcher) join(m *nats.Msg) *publication {
	p := &publication{msg: m, stored: make(chan bool, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, p)
	b.startLocked()
	return p
}

// leave ends a publication that was not in a batch.
func (b *batcher) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.singles--
	b.startLocked()
}

// abandon gives up a publication. If it is in a batch, it may be stored nevertheless.
func (b *batcher) abandon(p *publication) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.abandoned = true
	if i := slices.Index(b.waiting, p); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
	if len(p.stored) > 0 && !<-p.stored { // it was just asked to go alone
		b.singles--
		b.startLocked()
	}
}

// startLocked starts what waits and may go.
func (b *batcher) startLocked() {
	for len(b.waiting) >= mostSingles && b.batches < mostBatches {
		b.batches++
		go b.send(b.takeBatchLocked())
	}
	if b.batches == 0 && b.singles < mostSingles {
		b.releaseLocked(b.takeLocked(mostSingles - b.singles))
	}
}

// takeBatchLocked takes the next batch. What has a condition in common with one in it goes on
// waiting.
func (b *batcher) takeBatchLocked() (batch []*publication) {
	conditions := map[string]bool{}
	rest := b.waiting[:0:0]
	for i, p := range b.waiting {
		if len(batch) == mostInBatch {
			rest = append(rest, b.waiting[i:]...)
			break
		}
		condition := p.msg.Header.Get(headerExpectOf)
		if condition != "" && conditions[condition] {
			rest = append(rest, p)
			continue
		}
		conditions[condition] = true
		batch = append(batch, p)
	}
	b.waiting = rest
	return batch
}

func (b *batcher) takeLocked(n int) []*publication {
	n = min(n, len(b.waiting))
	first := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	return first
}

// releaseLocked asks the goroutines of publications to publish them.
func (b *batcher) releaseLocked(list []*publication) {
	for _, p := range list {
		if !p.abandoned {
			b.singles++
			p.stored <- false
		}
	}
}

func (b *batcher) send(list []*publication) {
	messages := make([]*nats.Msg, len(list))
	for i, p := range list {
		messages[i] = p.msg
	}
	err := b.batch(messages)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.batches--
	if err != nil {
		b.releaseLocked(list)
	} else {
		for _, p := range list {
			p.stored <- true
		}
	}
	b.startLocked()
}

// Batches came with server 2.12, but there one can lock the server up: 2.12.1 holds the lock of its
// batches while it waits for that of the stream, and the other way around. One server syncs a batch
// only once from 2.15 on, so that before it would gain nothing. The header is for the leader of the
// stream, which may be older than the server that this process is connected to.
const (
	batchMinor    = 15
	batchAPILevel = "5"
)

// batching tells whether the server is new enough for batches.
func (p *Pool) batching() bool { return atLeast(p.nc.ConnectedServerVersion(), batchMinor) }

// Headers of a batch.
const (
	headerAPILevel    = "Nats-Required-Api-Level"
	headerBatch       = "Nats-Batch-Id"
	headerBatchNumber = "Nats-Batch-Sequence"
	headerBatchCommit = "Nats-Batch-Commit"
)

// batchTimeout is how long the answer to a batch may take until its messages go alone.
const batchTimeout = 5 * time.Second

// publishBatch stores all messages of a batch, or perhaps none. If the connection breaks, some do
// not arrive; then the server takes none of them.
func (p *Pool) publishBatch(batch []*nats.Msg) error {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	id, last := nuid.Next(), len(batch)-1
	for i, m := range batch[:last] {
		m = inBatch(m, id, i+1)
		if i == 0 {
			m.Header.Set(headerAPILevel, batchAPILevel)
		}
		if err := p.nc.PublishMsg(m); err != nil {
			return err
		}
	}
	commit := inBatch(batch[last], id, last+1)
	commit.Header.Set(headerBatchCommit, "1")
	answer, err := p.nc.RequestMsgWithContext(ctx, commit)
	if err != nil {
		return err
	}
	return acknowledged(answer.Data, len(batch))
}

// inBatch is a copy of a message as one of a batch: the message itself may have to go alone.
func inBatch(m *nats.Msg, batch string, number int) *nats.Msg {
	header := maps.Clone(m.Header)
	header.Set(headerBatch, batch)
	header.Set(headerBatchNumber, strconv.Itoa(number))
	return &nats.Msg{Subject: m.Subject, Header: header, Data: m.Data}
}

// acknowledged is nil if an answer says that a batch of n messages is stored.
func acknowledged(answer []byte, n int) error {
	var ack struct {
		Error *jetstream.APIError `json:"error"`
		Count int                 `json:"count"`
	}
	if err := json.Unmarshal(answer, &ack); err != nil {
		return err
	}
	if ack.Error != nil {
		return ack.Error
	}
	if ack.Count != n {
		return errors.New("cluster: the server has taken another number of messages")
	}
	return nil
}
