package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/examples/internal/pgtest"
	"github.com/punctual-go/punctual/executor"
)

// forgetful is a table that does not note each third message at its first time.
type forgetful struct {
	*Table
	marks atomic.Int64
}

func (f *forgetful) MarkSent(ctx context.Context, id int64) error {
	if f.marks.Add(1)%3 == 0 {
		return errors.New("the connection has broken")
	}
	return f.Table.MarkSent(ctx, id)
}

// What is committed is shipped, once, although each third message is sent twice; what is rolled back
// is not, whatever it had submitted.
func testShop(t *testing.T, db *sql.DB, table *Table) {
	warehouse := &Warehouse{}
	jobs := executor.NewScheduledPool(1)
	defer func() { assert.NoError(t, jobs.Close()) }()
	_, err := Poll(jobs, 5*time.Millisecond, 20*time.Millisecond, &forgetful{Table: table}, warehouse)
	require.NoError(t, err)

	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := range 10 {
				number := 10*w + i
				assert.NoError(t, PlaceOrder(t.Context(), db, Order{number, fmt.Sprint("book ", number)}))
				assert.Error(t, PlaceOrder(t.Context(), db, Order{number, "a second time"}))
				rollBack(t, db, Order{1000 + number, "paid with a broken card"})
			}
		})
	}
	writers.Wait()
	empty := func() bool {
		rest, err := table.Unsent(t.Context(), 1)
		return err == nil && len(rest) == 0 && warehouse.Shipped() >= 40
	}
	require.Eventually(t, empty, time.Minute, 10*time.Millisecond)
	warehouse.mu.Lock()
	defer warehouse.mu.Unlock()
	require.Len(t, warehouse.shipped, 40)
	for number, times := range warehouse.shipped {
		assert.Equal(t, 1, times, "order %d", number)
		assert.Less(t, number, 1000)
	}
}

// rollBack writes a message in a transaction that is not committed.
func rollBack(t *testing.T, db *sql.DB, o Order) {
	tx, err := db.BeginTx(t.Context(), nil)
	if assert.NoError(t, err) {
		assert.NoError(t, Add(t.Context(), tx, o))
		assert.NoError(t, tx.Rollback())
	}
}

func TestWithSQLite(t *testing.T) {
	db, table, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "shop.db"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	testShop(t, db, table)
}

func TestWithPostgreSQL(t *testing.T) {
	db, err := sql.Open("pgx", pgtest.Start(t))
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	table, err := openShop(t.Context(), db, PostgreSQL)
	require.NoError(t, err)
	testShop(t, db, table)
}

// An ID is not used again, as the broker would take the message for one that it knows.
func TestIDsAreNotUsedAgain(t *testing.T) {
	db, table, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "shop.db"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	for want := range int64(3) {
		require.NoError(t, PlaceOrder(t.Context(), db, Order{int(want), "a book"}))
		messages, err := table.Unsent(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, messages, 1)
		require.Equal(t, want+1, messages[0].ID)
		require.NoError(t, table.MarkSent(t.Context(), messages[0].ID))
	}
}
