package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/punctual-go/punctual/cluster"
)

// Order is what the tasks are about.
type Order struct {
	Number int
	What   string
}

// PlaceOrder writes an order and submits the task that ships it, both in one transaction.
func PlaceOrder(ctx context.Context, db *sql.DB, o Order) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // of what is committed there is nothing to roll back
	_, err = tx.ExecContext(ctx, `INSERT INTO orders (number, what) VALUES ($1, $2)`, o.Number, o.What)
	if err != nil {
		return fmt.Errorf("order %d: %w", o.Number, err)
	}
	if err := Add(ctx, tx, o); err != nil {
		return fmt.Errorf("order %d: %w", o.Number, err)
	}
	return tx.Commit()
}

// Tasks submits each message as a task of a cluster. The ID of the message is the key of the task:
// one that is sent again is the same task, for as long as the cluster keeps outcomes.
type Tasks struct {
	pool *cluster.Pool
	ship cluster.Task[Order, string]
}

// Publish implements [Broker].
func (t Tasks) Publish(ctx context.Context, m Message) error {
	var o Order
	if err := json.Unmarshal([]byte(m.Body), &o); err != nil {
		return err
	}
	_, err := cluster.Submit(ctx, t.pool, t.ship, o, cluster.Once(fmt.Sprintf("outbox/%d", m.ID)))
	return err
}
