package outbox_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster/outbox"
	"github.com/punctual-go/punctual/cluster/outbox/internal/pgtest"
)

// A relay does not claim rows while another does.
func TestClaimsWaitForEachOther(t *testing.T) {
	w := &world{T: t, driver: "pgx", source: pgtest.Start(t)}
	w.begin(outbox.PostgreSQL, "outbox")
	other, err := w.db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = other.ExecContext(t.Context(),
		`SELECT pg_advisory_xact_lock(hashtextextended('punctual outbox claim "outbox"', 0))`)
	require.NoError(t, err)
	pool := &fake{}
	w.relay(pool)
	w.add("", "a")
	waits := "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
	w.eventually(func() bool {
		var n int
		return assert.NoError(t, w.db.QueryRowContext(t.Context(), waits).Scan(&n)) && n == 1
	})
	assert.Zero(t, pool.count())
	require.NoError(t, other.Rollback())
	w.eventually(func() bool { return pool.count() == 1 })
}
