package outbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Row is a row that was set aside, and waits for a decision.
type Row struct {
	Number      int64  // in the table
	ID          string // of the future, see [Submit]
	Task        string
	Payload     []byte
	OrderingKey string
	Created     time.Time
	Reason      string
}

// ListAside returns rows that were set aside, at most so many, the oldest first.
func (r *Relay) ListAside(ctx context.Context, most int) (list []Row, err error) {
	defer func() { err = r.wrap(err) }()
	rows, err := r.db.QueryContext(ctx, `SELECT id, task, payload, once_key, ordering_key, created,
		COALESCE(fault, '') FROM `+r.table.full()+` WHERE aside ORDER BY id LIMIT `+
		strconv.Itoa(max(most, 0)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var w row
		var s Row
		var created int64
		err := rows.Scan(&w.id, &w.Task, &w.Payload, &w.Key, &w.order, &created, &s.Reason)
		if err != nil {
			return nil, err
		}
		s.Number, s.ID, s.Task, s.Payload = w.id, w.ID(), w.Task, w.Payload
		s.OrderingKey, s.Created = w.order.String, time.UnixMicro(created)
		list = append(list, s)
	}
	return list, rows.Err()
}

// Restore gives a row that was set aside to the relays again, as if it had never been tried. It is
// submitted in front of those of its ordering key that are still there, and after all that went on
// without it.
func (r *Relay) Restore(ctx context.Context, number int64) error {
	err := r.decide(ctx, number, "UPDATE "+r.table.full()+" SET aside = FALSE, fault = NULL,"+
		" failures = 0, tried = 0 WHERE aside AND id = $1")
	if err == nil {
		r.Wake()
	}
	return err
}

// Discard deletes a row that was set aside.
func (r *Relay) Discard(ctx context.Context, number int64) error {
	return r.decide(ctx, number, "DELETE FROM "+r.table.full()+" WHERE aside AND id = $1")
}

// ErrNoRow says that there is no row of a number that was set aside.
var ErrNoRow = errors.New("outbox: no such row")

func (r *Relay) decide(ctx context.Context, number int64, statement string) error {
	done, err := r.db.ExecContext(ctx, statement, number)
	if err != nil {
		return r.wrap(err)
	}
	if n, err := done.RowsAffected(); err != nil || n > 0 {
		return r.wrap(err)
	}
	return fmt.Errorf("%w: table %q has none with number %d that was set aside", ErrNoRow,
		r.table.name, number)
}
