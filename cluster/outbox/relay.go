package outbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// Relay moves rows of a table to a pool. Make one with [NewRelay]; it is safe for concurrent use.
type Relay struct {
	settings
	db      *sql.DB
	table   *Table
	pool    submitter
	wake    chan struct{} // has one place: a hint that is not yet heeded is enough
	running atomic.Bool
	counts  counts
}

// submitter is what a relay needs of a pool.
type submitter interface {
	SubmitEncoded(ctx context.Context, due time.Time, e cluster.Encoded) error
	Keeps() time.Duration
}

// NewRelay makes a relay of a table, which does nothing before [Relay.Run]. The database and the
// pool stay the caller's to close, after Run has returned.
func NewRelay(db *sql.DB, table *Table, pool *cluster.Pool, opts ...Option) (*Relay, error) {
	if pool == nil {
		return nil, fmt.Errorf("%w: a nil pool", ErrInvalid)
	}
	return newRelay(db, table, pool, opts...)
}

func newRelay(db *sql.DB, table *Table, pool submitter, opts ...Option) (*Relay, error) {
	if db == nil || table == nil || table.insert == "" {
		return nil, fmt.Errorf("%w: no database, or a table that was not made by NewTable",
			ErrInvalid)
	}
	r := &Relay{settings: defaults(), db: db, table: table, pool: pool, wake: make(chan struct{}, 1)}
	for _, opt := range opts {
		if opt != nil {
			opt(&r.settings)
		}
	}
	if err := r.check(table); err != nil {
		return nil, err
	}
	return r, nil
}

// Wake makes the relay look for rows at once, as after a commit in its process. It never waits.
func (r *Relay) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run moves rows until ctx ends; then it gives back what it has claimed, and returns nil. While the
// pool or the database cannot be reached it tries again and again. It returns an error if the table
// is not there when it begins, or not as it has to be; and ErrClosed, ErrMoved, ErrShape or
// ErrProtocol of package cluster if this process has lost its part in the pool.
func (r *Relay) Run(ctx context.Context) error {
	if !r.running.CompareAndSwap(false, true) {
		return fmt.Errorf("%w: the relay of table %q is running already", ErrInvalid, r.table.name)
	}
	defer r.running.Store(false)
	if err := r.begin(ctx); err != nil {
		return err
	}
	c := &claims{db: r.db, table: r.table, relay: rand.Text(), lease: r.lease, most: r.batch}
	for pause := time.Duration(0); ctx.Err() == nil; {
		more, err := r.turn(ctx, c)
		switch {
		case ctx.Err() != nil:
		case final(err):
			return err
		case err != nil:
			pause = r.holdUp(ctx, pause, err)
		case more:
			pause = 0
		default:
			pause = 0
			rest(ctx, r.poll, r.wake)
		}
	}
	return nil
}

// begin waits for the database, and looks whether the table is there.
func (r *Relay) begin(ctx context.Context) error {
	for pause := time.Duration(0); ; {
		err := r.db.PingContext(ctx)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return nil
		}
		pause = r.holdUp(ctx, pause, r.wrap(err))
	}
	rows, err := r.db.QueryContext(ctx, "SELECT "+allColumns+" FROM "+r.table.full()+" LIMIT 0")
	if err == nil {
		err = rows.Close()
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("outbox: table %q is not there, or not as Create makes it: %w",
			r.table.name, err)
	}
	return nil
}

// holdUp waits after a failure, for twice as long as after the one before.
func (r *Relay) holdUp(ctx context.Context, last time.Duration, err error) (pause time.Duration) {
	pause = min(max(2*last, firstBackoff), r.backoff)
	r.counts.failures.Add(1)
	r.logger.Warn("the outbox is held up; trying again", "table", r.table.name, "in", pause,
		"error", err)
	rest(ctx, pause, nil)
	return pause
}

const firstBackoff = 100 * time.Millisecond

// rest waits, until ctx ends or a hint comes.
func rest(ctx context.Context, d time.Duration, hint <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hint:
	case <-ctx.Done():
	}
}

// final tells errors after which the process has to join the pool again.
func final(err error) bool {
	for _, lost := range []error{
		cluster.ErrClosed, cluster.ErrMoved, cluster.ErrShape, cluster.ErrProtocol,
	} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return false
}
