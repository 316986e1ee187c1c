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

// together lets messages that many goroutines store in one stream at a time go in batches, of which
// the server makes one entry of its log, and one sync: the group commit of databases. Who is alone
// waits for nobody.
//
//	a letter: waiting -> in a batch -> stored
//	                 |              -> goes alone, if the server did not take the batch
//	                 |-> goes alone, while few are under way
//	                 |-> gone, if its context ends
//
// A batch is an attempt, and never more. If one message of it is refused all are, and then, as when
// no answer comes, each is published alone by who brought it: that tells what is the matter with
// which, and by its ID the server knows again what it has stored already.
type together struct {
	alone func(context.Context, *nats.Msg) error // stores a message
	batch func([]*nats.Msg) error                // stores all, or perhaps none; nil: not to be had

	mu      sync.Mutex
	waiting []*letter
	single  int // letters that go alone
	batches int // that are under way
}

// letter is a message that is to be stored.
type letter struct {
	msg  *nats.Msg
	told chan bool // once: whether it is stored; if not, it goes alone
	gone bool      // nobody waits for it any more; guarded by together.mu
}

const (
	// few is how many messages are under way before others wait for a batch: a batch costs the
	// server about as much as so many messages.
	few = 16
	// most bounds a batch. The server takes 1,000.
	most = 500
	// mostBatches is how many are under way at a time, one being written while one is on its way.
	// The server takes 50 of all processes.
	mostBatches = 2
)

// publish stores a message. Its header has an ID by which the server knows it again.
func (t *together) publish(ctx context.Context, m *nats.Msg) error {
	if t.batch == nil {
		return t.alone(ctx, m)
	}
	l := t.join(m)
	select {
	case stored := <-l.told:
		if stored {
			return nil
		}
	case <-ctx.Done():
		t.withdraw(l)
		return fmt.Errorf("%w: %w", ErrUnavailable, context.Cause(ctx))
	}
	defer t.leave()
	return t.alone(ctx, m)
}

func (t *together) join(m *nats.Msg) *letter {
	l := &letter{msg: m, told: make(chan bool, 1)}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = append(t.waiting, l)
	t.launch()
	return l
}

// leave says that a letter which went alone is through.
func (t *together) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.single--
	t.launch()
}

// withdraw gives up a letter. If it is in a batch, it may be stored nevertheless.
func (t *together) withdraw(l *letter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.gone = true
	if i := slices.Index(t.waiting, l); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	if len(l.told) > 0 && !<-l.told { // it was just told to go alone
		t.single--
		t.launch()
	}
}

// launch sends what waits, if it is its turn. The lock is held.
func (t *together) launch() {
	for len(t.waiting) >= few && t.batches < mostBatches {
		t.batches++
		go t.send(t.take(most))
	}
	if t.batches == 0 && t.single < few {
		t.sendAlone(t.take(few - t.single))
	}
}

func (t *together) take(n int) []*letter {
	n = min(n, len(t.waiting))
	first := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	return first
}

func (t *together) sendAlone(letters []*letter) {
	for _, l := range letters {
		if !l.gone {
			t.single++
			l.told <- false
		}
	}
}

func (t *together) send(letters []*letter) {
	messages := make([]*nats.Msg, len(letters))
	for i, l := range letters {
		messages[i] = l.msg
	}
	err := t.batch(messages)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.batches--
	if err != nil {
		t.sendAlone(letters)
	} else {
		for _, l := range letters {
			l.told <- true
		}
	}
	t.launch()
}

// Headers of a batch.
const (
	headerBatch       = "Nats-Batch-Id"
	headerBatchNumber = "Nats-Batch-Sequence"
	headerBatchCommit = "Nats-Batch-Commit"
)

// hasty is how long the answer to a batch may take until its messages go alone.
const hasty = 5 * time.Second

// publishBatch stores all messages of a batch, or perhaps none. If the connection breaks, some do not
// arrive; then the server takes none of them.
func (p *Pool) publishBatch(batch []*nats.Msg) error {
	ctx, cancel := context.WithTimeout(context.Background(), hasty)
	defer cancel()
	id, last := nuid.Next(), len(batch)-1
	for i, m := range batch[:last] {
		if err := p.nc.PublishMsg(member(m, id, i+1)); err != nil {
			return err
		}
	}
	commit := member(batch[last], id, last+1)
	commit.Header.Set(headerBatchCommit, "1")
	answer, err := p.nc.RequestMsgWithContext(ctx, commit)
	if err != nil {
		return err
	}
	return acknowledged(answer.Data, len(batch))
}

// member is a copy of a message that is one of a batch: the message itself may have to go alone.
func member(m *nats.Msg, batch string, number int) *nats.Msg {
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
