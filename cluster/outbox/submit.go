package outbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// Execer is what a row is written by: a *sql.Tx as a rule, or a *sql.Conn that is in a transaction.
// With a *sql.DB the row is a transaction of its own.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// SubmitOption is an option of [Submit], [Schedule] and [ScheduleAt].
type SubmitOption func(*row)

// OrderingKey makes a row be submitted after those of the same key that were written before it, see
// the package's promises. Rows without one, or with an empty one, are in no order.
func OrderingKey(key string) SubmitOption {
	return func(r *row) { r.order = sql.NullString{String: key, Valid: key != ""} }
}

// Submit writes a row by which a task is submitted once the transaction is committed, and returns
// the ID that the task's future will have: keep it for [cluster.Attach], which may be called at
// once. If the transaction is rolled back, there never is such a task. Call [Relay.Wake] after the
// commit if the relay is in the same process.
//
// It returns [cluster.ErrInvalid] for a task or payload that is not allowed, and otherwise errors
// of the database. Whether the server takes a payload of this size is for the relay to find out.
func Submit[P, R any](
	ctx context.Context, tx Execer, table *Table, t cluster.Task[P, R], in P, opts ...SubmitOption,
) (id string, err error) {
	return ScheduleAt(ctx, tx, table, time.Time{}, t, in, opts...)
}

// Schedule is [Submit] for a task that is to run d from now, by the clock of this process.
func Schedule[P, R any](
	ctx context.Context, tx Execer, table *Table, d time.Duration, t cluster.Task[P, R], in P,
	opts ...SubmitOption,
) (id string, err error) {
	if d <= 0 {
		return Submit(ctx, tx, table, t, in, opts...)
	}
	return ScheduleAt(ctx, tx, table, time.Now().Add(d), t, in, opts...)
}

// ScheduleAt is [Submit] for a task that is to run at a time, by the clock of the pool's server. A
// time that is past means at once.
func ScheduleAt[P, R any](
	ctx context.Context, tx Execer, table *Table, due time.Time, t cluster.Task[P, R], in P,
	opts ...SubmitOption,
) (id string, err error) {
	if table == nil || table.insert == "" {
		return "", fmt.Errorf("%w: a table that was not made by NewTable", ErrInvalid)
	}
	var r row
	if r.Encoded, err = cluster.Encode(t, in, "outbox/"+rand.Text()); err != nil {
		return "", fmt.Errorf("outbox: table %q: %w", table.name, err)
	}
	for _, opt := range opts {
		if opt != nil {
			opt(&r)
		}
	}
	r.setDue(due)
	if r.Payload == nil {
		r.Payload = []byte{} // no bytes are not NULL
	}
	_, err = tx.ExecContext(ctx, table.insert, r.Task, r.Payload, r.Key, r.order, r.due)
	if err != nil {
		return "", fmt.Errorf("outbox: table %q: a row of task %q: %w", table.name, r.Task, err)
	}
	return r.ID(), nil
}
