package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"sync"
)

// Order is what the messages are about.
type Order struct {
	Number int
	What   string
}

// PlaceOrder writes an order and the message by which it is shipped, both in one transaction.
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

// Warehouse ships the orders of messages. It stands for a system elsewhere that knows a message
// which is sent again by its ID.
type Warehouse struct {
	mu      sync.Mutex
	seen    map[int64]bool
	shipped map[int]int // how often each order was
}

// Publish implements [Broker].
func (w *Warehouse) Publish(_ context.Context, m Message) error {
	var o Order
	if err := json.Unmarshal([]byte(m.Body), &o); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[m.ID] {
		return nil
	}
	if w.seen == nil {
		w.seen, w.shipped = map[int64]bool{}, map[int]int{}
	}
	w.seen[m.ID] = true
	w.shipped[o.Number]++
	return nil
}

// Shipped tells how many orders were.
func (w *Warehouse) Shipped() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.shipped)
}
