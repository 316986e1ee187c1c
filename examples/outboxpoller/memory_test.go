package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// table is an outbox in memory.
type table struct {
	mu      sync.Mutex
	rows    []Message
	marked  int   // the first so many are sent
	asked   []int // seconds of the questions, since begun
	begun   time.Time
	noMarks int // so many marks fail
}

func (t *table) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for range n {
		t.rows = append(t.rows, Message{ID: int64(len(t.rows) + 1), Body: "order shipped"})
	}
}

func (t *table) Unsent(_ context.Context, most int) ([]Message, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = append(t.asked, int(time.Since(t.begun)/time.Second))
	unsent := t.rows[t.marked:]
	return unsent[:min(most, len(unsent))], nil
}

func (t *table) MarkSent(_ context.Context, id int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.noMarks > 0 {
		t.noMarks--
		return errors.New("the database is away")
	}
	t.marked = int(id)
	return nil
}

// broker keeps each message once, in order of arrival.
type broker struct {
	mu      sync.Mutex
	down    bool
	seen    map[int64]bool
	arrived []int64
}

func (b *broker) Publish(_ context.Context, m Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("the broker is down")
	}
	if b.seen == nil {
		b.seen = map[int64]bool{}
	}
	if !b.seen[m.ID] {
		b.seen[m.ID] = true
		b.arrived = append(b.arrived, m.ID)
	}
	return nil
}

func (b *broker) set(down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = down
}
