package outbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/cluster/outbox"
)

// shop is a service with a database of its own.
type shop struct {
	db    *sql.DB
	table *outbox.Table
	relay *outbox.Relay
	mail  cluster.Task[string, string]
}

// PlaceOrder writes an order and submits the task that confirms it, both or neither.
func (s *shop) PlaceOrder(ctx context.Context, number int, customer string) (id string, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `INSERT INTO orders (number, customer) VALUES ($1, $2)`,
		number, customer); err != nil {
		return "", err
	}
	id, err = outbox.Submit(ctx, tx, s.table, s.mail, customer, outbox.OrderingKey(customer))
	if err != nil {
		return "", err
	}
	if err := tx.Commit(); err != nil {
		return "", err
	}
	s.relay.Wake() // otherwise it looks within a second
	return id, nil
}

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "outbox")
	check(err)
	defer os.RemoveAll(dir)

	// A pool, whose server is in this process, and a database.
	server, err := embedded.Start(ctx, filepath.Join(dir, "tasks"))
	check(err)
	defer server.Close()
	conn, err := server.Conn()
	check(err)
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn)
	check(err)
	defer pool.Close()
	mail := cluster.Define("mail", func(_ context.Context, customer string) (string, error) {
		return "sent to " + customer, nil
	})
	go pool.Serve(ctx, mail)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "shop.db")+
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_txlock=immediate")
	check(err)
	defer db.Close()
	_, err = db.ExecContext(ctx, `CREATE TABLE orders (number INTEGER PRIMARY KEY, customer TEXT)`)
	check(err)

	// The outbox, and the relay that empties it.
	table, err := outbox.NewTable(outbox.SQLite, "outbox")
	check(err)
	check(table.Create(ctx, db))
	relay, err := outbox.NewRelay(db, table, pool)
	check(err)
	ended := make(chan error)
	relaying, stop := context.WithCancel(ctx)
	go func() { ended <- relay.Run(relaying) }()

	s := &shop{db, table, relay, mail}
	id, err := s.PlaceOrder(ctx, 1, "ann")
	check(err)
	fmt.Println(cluster.Attach(pool, mail, id).Get(ctx)) // there was no need to wait for the relay
	_, err = s.PlaceOrder(ctx, 1, "bob")
	fmt.Println(err != nil) // the order is there already, so nothing is sent to bob
	stop()
	fmt.Println(<-ended)
	// Output:
	// sent to ann <nil>
	// true
	// <nil>
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
