// Outboxpoller sends messages in the transactions of a database: a transaction that places an order
// also writes a row of an outbox table, and a poller moves the rows to a broker. Neither an order nor
// its message is ever there without the other. It shows the polling, with a broker of any kind; for
// tasks of a cluster, package github.com/punctual-go/punctual/cluster/outbox has all of it.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/punctual-go/punctual/executor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err) //nolint:gocritic // nothing is to be undone
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "outbox")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, table, err := openSQLite(ctx, filepath.Join(dir, "shop.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	warehouse := &Warehouse{}
	jobs := executor.NewScheduledPool(1, executor.Name("jobs"))
	defer func() { err = errors.Join(err, jobs.Close()) }() // before the database is
	if _, err := Poll(jobs, 100*time.Millisecond, time.Second, table, warehouse); err != nil {
		return err
	}
	return trade(ctx, db, warehouse)
}

// openSQLite opens a database with the tables of the shop.
func openSQLite(ctx context.Context, path string) (*sql.DB, *Table, error) {
	// A writer that meets another waits for it; and a transaction is a writer's from its beginning,
	// as one that becomes it later may not wait.
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_txlock=immediate")
	if err != nil {
		return nil, nil, err
	}
	table, err := openShop(ctx, db, SQLite)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, table, nil
}

func openShop(ctx context.Context, db *sql.DB, schema string) (*Table, error) {
	const orders = `CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY, what TEXT NOT NULL)`
	if _, err := db.ExecContext(ctx, orders); err != nil {
		return nil, err
	}
	return NewTable(ctx, db, schema)
}

// trade places orders for a while. Each third comes twice, and is refused as such.
func trade(ctx context.Context, db *sql.DB, warehouse *Warehouse) error {
	placed, refused := 0, 0
	for i := range 40 {
		for range 1 + (i%3)/2 {
			if err := PlaceOrder(ctx, db, Order{i, "a book"}); err == nil {
				placed++
			} else if refused++; ctx.Err() != nil {
				return nil
			}
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
		if i%10 == 9 {
			fmt.Printf("%2d orders placed, %2d refused, %2d shipped\n", placed, refused, warehouse.Shipped())
		}
	}
	return nil
}
