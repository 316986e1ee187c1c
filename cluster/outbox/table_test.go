package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/outbox"
	"github.com/punctual-go/punctual/cluster/outbox/internal/pgtest"
)

func TestNamesThatAreRefused(t *testing.T) {
	for _, name := range []string{
		"", ".", "a.", ".b", "a.b.c", `a"b`, "a b", "a;b", "1a", "a-b", "ä", strings.Repeat("a", 51),
	} {
		_, err := outbox.NewTable(outbox.SQLite, name)
		assert.ErrorIs(t, err, outbox.ErrInvalid, "%q", name)
	}
	for _, d := range []outbox.Dialect{0, 3, -1} {
		_, err := outbox.NewTable(d, "outbox")
		require.ErrorIs(t, err, outbox.ErrInvalid)
		assert.ErrorContains(t, err, fmt.Sprintf("Dialect(%d)", int(d)))
	}
	assert.Equal(t, "PostgreSQL SQLite", fmt.Sprint(outbox.PostgreSQL, " ", outbox.SQLite))
}

// works tells that a table of a name can be made, twice, and used.
func works(w *world, d outbox.Dialect, name string) {
	w.begin(d, name)
	require.NoError(w, w.table.Create(w.Context(), w.db))
	for _, statement := range strings.Split(w.table.Schema(), ";\n") {
		_, err := w.db.ExecContext(w.Context(), statement)
		require.NoError(w, err)
	}
	pool := &fake{}
	r, stop := w.relay(pool)
	w.add("k", "a")
	w.eventually(func() bool { return pool.count() == 1 })
	w.eventually(func() bool {
		s, err := r.Stats(w.Context())
		return assert.NoError(w, err) && s.Waiting == 0
	})
	stop()
}

func TestNamesInSQLite(t *testing.T) {
	w := sqliteWorld(t)
	for _, name := range []string{"main.one", "Two", "select", "_x1", strings.Repeat("a", 50)} {
		works(w, outbox.SQLite, name)
	}
}

func TestNamesInPostgreSQL(t *testing.T) {
	w := &world{T: t, driver: "pgx", source: pgtest.Start(t)}
	_, err := w.open().Exec(`CREATE SCHEMA "Shop"`)
	require.NoError(t, err)
	long := strings.Repeat("a", 49)
	for _, name := range []string{
		"public.one", "Shop.Outbox", "Shop.outbox", "user",
		long + "1", long + "2", "Shop." + long + "1",
	} {
		works(w, outbox.PostgreSQL, name)
	}
}

// Who uses the package brings a driver, and gets none along with it, nor a server.
func TestThePackageLinksNoDriver(t *testing.T) {
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	linked := string(list)
	assert.Contains(t, linked, "github.com/punctual-go/punctual/cluster\n")
	for _, heavy := range []string{"modernc.org/", "jackc/", "nats-server", "cluster/embedded"} {
		assert.NotContains(t, linked, heavy)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	w := sqliteWorld(t)
	for _, opt := range []outbox.Option{
		outbox.Batch(0), outbox.Batch(10_001), outbox.Concurrency(0), outbox.Poll(0),
		outbox.Lease(time.Millisecond), outbox.Backoff(time.Millisecond), outbox.Tries(0),
		outbox.Logger(nil),
	} {
		_, err := outbox.NewRelayTo(w.db, w.table, &fake{}, opt)
		require.ErrorIs(t, err, outbox.ErrInvalid)
		assert.ErrorContains(t, err, w.table.String())
	}
	_, err := outbox.NewRelayTo(w.db, w.table, &fake{}, nil, outbox.Logger(slog.Default()))
	require.NoError(t, err)
	_, err = outbox.NewRelay(w.db, w.table, nil)
	require.ErrorIs(t, err, outbox.ErrInvalid)
	for _, table := range []*outbox.Table{nil, {}} {
		_, err = outbox.NewRelayTo(w.db, table, &fake{})
		require.ErrorIs(t, err, outbox.ErrInvalid)
		_, err = outbox.Submit(t.Context(), w.db, table, note, "")
		require.ErrorIs(t, err, outbox.ErrInvalid)
	}
	_, err = outbox.NewRelayTo(nil, w.table, &fake{})
	require.ErrorIs(t, err, outbox.ErrInvalid)
}

// A task that cannot be submitted is refused in the transaction, and leaves no row.
func TestTasksThatAreRefused(t *testing.T) {
	w := sqliteWorld(t)
	_, err := outbox.Submit(t.Context(), w.db, w.table, cluster.Task[int, int]{}, 1)
	require.ErrorIs(t, err, cluster.ErrInvalid)
	never := cluster.Define("", func(context.Context, int) (int, error) { return 0, nil })
	_, err = outbox.Submit(t.Context(), w.db, w.table, never, 1)
	require.ErrorIs(t, err, cluster.ErrInvalid)
	channel := cluster.Define("chan", func(context.Context, chan int) (int, error) { return 0, nil })
	_, err = outbox.Submit(t.Context(), w.db, w.table, channel, make(chan int))
	require.ErrorIs(t, err, cluster.ErrInvalid)
	require.ErrorContains(t, err, w.table.String())
	assert.Zero(t, w.rows())
}

// nothing is a codec of payloads without a byte.
type nothing struct{}

func (nothing) Marshal(any) ([]byte, error) { return nil, nil }
func (nothing) Unmarshal([]byte, any) error { return nil }

func TestAPayloadWithoutAByte(t *testing.T) {
	w := sqliteWorld(t)
	pool := &fake{}
	w.relay(pool)
	empty := cluster.Define("empty", func(context.Context, int) (int, error) { return 0, nil },
		cluster.Encoding(nothing{}))
	_, err := outbox.Submit(t.Context(), w.db, w.table, empty, 1)
	require.NoError(t, err)
	w.eventually(func() bool { return pool.count() == 1 })
	assert.Equal(t, "empty", pool.first[0].Task)
}
