package outbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the drivers
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/outbox"
	"github.com/punctual-go/punctual/cluster/outbox/internal/pgtest"
)

var note = cluster.Define("note", func(_ context.Context, text string) (string, error) {
	return "noted: " + text, nil
})

// world is a database with an outbox.
type world struct {
	*testing.T
	driver, source string
	db             *sql.DB
	table          *outbox.Table
}

const sqliteOptions = "?_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)&_txlock=immediate"

func (w *world) open() *sql.DB {
	db, err := sql.Open(w.driver, w.source)
	require.NoError(w, err)
	w.Cleanup(func() { _ = db.Close() })
	return db
}

func sqliteWorld(t *testing.T) *world {
	w := &world{T: t, driver: "sqlite"}
	w.source = "file:" + filepath.Join(t.TempDir(), "test.db") + sqliteOptions
	w.begin(outbox.SQLite, "outbox")
	return w
}

func (w *world) begin(d outbox.Dialect, name string) {
	w.db = w.open()
	var err error
	w.table, err = outbox.NewTable(d, name)
	require.NoError(w, err)
	require.NoError(w, w.table.Create(w.Context(), w.db))
}

func TestWithSQLite(t *testing.T) {
	for _, p := range promises {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.keeps(sqliteWorld(t))
		})
	}
}

func TestWithPostgreSQL(t *testing.T) {
	source := pgtest.Start(t)
	t.Run("group", func(t *testing.T) {
		for i, p := range promises {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				w := &world{T: t, driver: "pgx", source: source}
				w.begin(outbox.PostgreSQL, fmt.Sprint("outbox", i))
				p.keeps(w)
			})
		}
	})
}

// add writes rows in one transaction.
func (w *world) add(order string, texts ...string) (ids []string) {
	tx, err := w.db.BeginTx(w.Context(), nil)
	require.NoError(w, err)
	defer tx.Rollback() //nolint:errcheck // it is committed
	for _, text := range texts {
		id, err := outbox.Submit(w.Context(), tx, w.table, note, text, outbox.OrderingKey(order))
		require.NoError(w, err)
		ids = append(ids, id)
	}
	require.NoError(w, tx.Commit())
	return ids
}

// exec changes the table behind the back of the relays; %s is its name.
func (w *world) exec(statement string) {
	_, err := w.db.ExecContext(w.Context(), fmt.Sprintf(statement, w.table))
	require.NoError(w, err)
}

func (w *world) number(query string) (n int) {
	err := w.db.QueryRowContext(w.Context(), fmt.Sprintf(query, w.table)).Scan(&n)
	assert.NoError(w, err)
	return n
}

func (w *world) rows() int { return w.number("SELECT COUNT(*) FROM %s") }

// relay runs a relay until the test ends, or the function that it returns is called.
func (w *world) relay(pool *fake, opts ...outbox.Option) (r *outbox.Relay, stop func()) {
	opts = append([]outbox.Option{outbox.Poll(5 * time.Millisecond)}, opts...)
	r, err := outbox.NewRelayTo(w.db, w.table, pool, opts...)
	require.NoError(w, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	done := false
	stop = func() {
		if cancel(); !done {
			done = true
			assert.NoError(w, <-ended)
		}
	}
	w.Cleanup(stop)
	return r, stop
}

func (w *world) eventually(what func() bool) {
	w.Helper()
	require.Eventually(w, what, time.Minute, 5*time.Millisecond)
}
