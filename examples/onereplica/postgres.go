package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// postgresLock is an advisory lock of PostgreSQL. The server holds it for a session, so it is taken
// on a connection of its own, which is kept for as long as the lock is; and it is gone when that
// connection is, so the connection is watched. It needs real sessions: a PgBouncer in between has
// to pool by session, not by transaction.
//
// A client that vanishes without a word keeps its lock until the server's TCP gives it up, by
// default after two hours: set tcp_keepalives_idle and its kin on the server.
type postgresLock struct {
	db    *sql.DB
	name  string
	every time.Duration // how often the connection is looked at, and how long an answer may take

	conn *sql.Conn // while the lock is held
	stop func()    // the watch
}

// newPostgresLock returns the lock of a name. Of two locks with one name, on whatever machines, one
// at most is held.
func newPostgresLock(db *sql.DB, name string, every time.Duration) *postgresLock {
	return &postgresLock{db: db, name: name, every: every}
}

func (l *postgresLock) TryLock(ctx context.Context) (held context.Context, ok bool, err error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, false, err
	}
	const take = `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`
	if err := conn.QueryRowContext(ctx, take, l.name).Scan(&ok); err != nil {
		return nil, false, errors.Join(err, discard(conn)) // it may have the lock all the same
	}
	if !ok {
		return nil, false, conn.Close()
	}
	held, lose := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.watch(held, conn, lose)
	}()
	l.conn, l.stop = conn, func() { lose(nil); <-done }
	return held, true, nil
}

// watch asks the server again and again, until held ends, or no answer tells that it is lost.
func (l *postgresLock) watch(held context.Context, conn *sql.Conn, lose context.CancelCauseFunc) {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		select {
		case <-held.Done():
			return
		case <-tick.C:
		}
		// Not within held: a question that is broken off closes the connection.
		ask, cancel := context.WithTimeout(context.WithoutCancel(held), l.every)
		err := conn.PingContext(ask)
		cancel()
		if err != nil {
			lose(ErrLost)
			return
		}
	}
}

func (l *postgresLock) Unlock() error {
	l.stop()
	ctx, cancel := context.WithTimeout(context.Background(), l.every)
	defer cancel()
	var had bool
	const free = `SELECT pg_advisory_unlock(hashtextextended($1, 0))`
	err := l.conn.QueryRowContext(ctx, free, l.name).Scan(&had)
	if err == nil && had {
		return l.conn.Close()
	}
	// The session ends, and with it the lock, if it is still there.
	return errors.Join(fmt.Errorf("release the lock: %w", errors.Join(ErrLost, err)), discard(l.conn))
}

// discard closes a connection, so that it does not go back to the pool with a lock.
func discard(conn *sql.Conn) error {
	err := conn.Raw(func(any) error { return driver.ErrBadConn })
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) {
		err = nil
	}
	if closed := conn.Close(); !errors.Is(closed, sql.ErrConnDone) {
		err = errors.Join(err, closed)
	}
	return err
}
