package main

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// Message is a row of the outbox: a service writes it in the transaction in which it does its work,
// so that neither is there without the other.
type Message struct {
	ID   int64
	Body string
}

// Outbox is the table.
type Outbox interface {
	Unsent(ctx context.Context, most int) ([]Message, error) // the oldest first
	MarkSent(ctx context.Context, id int64) error
}

// Broker takes messages. It knows one by its ID: if the mark fails, the message is sent again.
type Broker interface {
	Publish(ctx context.Context, m Message) error
}

const batch = 100

// Poll moves messages from the outbox to the broker, in their order, from now until the pool is
// closed or the future cancelled. Polls do not overlap. While there is more than a batch, the next
// follows at once; while the broker or the table is down, it comes less and less often.
func Poll(
	pool *executor.ScheduledPool, period, rarest time.Duration, from Outbox, to Broker,
) (*executor.ScheduledFuture[struct{}], error) {
	return pool.WithFixedDelay(0, period, func(ctx context.Context) error {
		n, err := move(ctx, from, to)
		if err == nil && n == batch {
			executor.NextIn(ctx, 0)
		}
		return err
	}, executor.Name("outbox"), executor.Unique(), executor.Timeout(30*time.Second),
		executor.SlowDown(2, rarest),
		executor.Expect(insight.SuccessWithin(2*rarest)))
}

// move moves one batch. What was sent before an error is marked.
func move(ctx context.Context, from Outbox, to Broker) (n int, err error) {
	messages, err := from.Unsent(ctx, batch)
	if err != nil {
		return 0, fmt.Errorf("outbox: %w", err)
	}
	for _, m := range messages {
		if err := to.Publish(ctx, m); err != nil {
			return n, fmt.Errorf("publish message %d: %w", m.ID, err)
		}
		if err := from.MarkSent(ctx, m.ID); err != nil {
			return n, fmt.Errorf("mark message %d: %w", m.ID, err)
		}
		n++
	}
	return n, nil
}
