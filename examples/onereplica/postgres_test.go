//go:build unix

package main

import (
	"context"
	"database/sql"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/examples/internal/pgtest"
	"github.com/punctual-go/punctual/executor"
)

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

// Two replicas, each with connections of its own, and a database that ends the session which holds
// the lock.
func TestWithPostgreSQL(t *testing.T) {
	url := pgtest.Start(t)
	one, other := open(t, url), open(t, url)
	const every = 50 * time.Millisecond
	lock, rival := newPostgresLock(one, "job", every), newPostgresLock(other, "job", every)

	began, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- OnOneReplica(lock, func(ctx context.Context) error {
			close(began)
			<-ctx.Done()
			return context.Cause(ctx)
		})(t.Context())
	}()
	<-began
	require.ErrorIs(t, OnOneReplica(rival, noWork)(t.Context()), executor.ErrSkipped)
	require.NoError(t, OnOneReplica(newPostgresLock(other, "another job", every), noWork)(t.Context()))
	time.Sleep(5 * every)
	select {
	case err := <-ended:
		t.Fatalf("the lock is watched, and lost while it is there: %v", err)
	default:
	}

	const kill = `SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory'`
	var killed int
	require.NoError(t, other.QueryRowContext(t.Context(), kill).Scan(&killed))
	require.Equal(t, 1, killed)
	require.ErrorIs(t, <-ended, ErrLost)

	// The server frees the lock once the session has gone, and so do those who had it.
	for _, l := range []Lock{rival, lock, rival} {
		require.Eventually(t, func() bool {
			return OnOneReplica(l, noWork)(t.Context()) == nil
		}, time.Minute, every)
	}
	assert.Zero(t, one.Stats().InUse)
	assert.Zero(t, other.Stats().InUse)
}

// A server that does not answer any more may have given the lock to another: it is lost as well.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	url := pgtest.Start(t)
	db, other := open(t, url), open(t, url)
	began, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		lock := newPostgresLock(db, "job", 50*time.Millisecond)
		ended <- OnOneReplica(lock, func(ctx context.Context) error {
			close(began)
			<-ctx.Done()
			return nil
		})(t.Context())
	}()
	<-began
	const holder = `SELECT pid FROM pg_locks WHERE locktype = 'advisory'`
	var pid int
	require.NoError(t, other.QueryRowContext(t.Context(), holder).Scan(&pid))
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	defer func() { assert.NoError(t, syscall.Kill(pid, syscall.SIGCONT)) }()
	require.ErrorIs(t, <-ended, ErrLost)
	assert.Zero(t, db.Stats().InUse)
}

// A run that ends by its timeout, or a shutdown, has freed the lock when it is over.
func TestARunThatIsCancelledFreesTheLock(t *testing.T) {
	db := open(t, pgtest.Start(t))
	lock := newPostgresLock(db, "job", time.Second)
	pool := executor.NewPool(1)
	defer pool.Close()
	f, err := pool.Submit(OnOneReplica(lock, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}), executor.Timeout(50*time.Millisecond))
	require.NoError(t, err)
	<-f.Stopped()
	require.NoError(t, OnOneReplica(lock, noWork)(t.Context()))
}

func TestADatabaseThatIsAwayIsAFailure(t *testing.T) {
	db := open(t, "host="+t.TempDir()+" user=test")
	err := OnOneReplica(newPostgresLock(db, "job", time.Second), noWork)(t.Context())
	require.Error(t, err)
	require.NotErrorIs(t, err, executor.ErrSkipped)
}
