package outbox

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"
)

// counts are figures of one relay.
type counts struct{ relayed, doubtful, aside, failures atomic.Uint64 }

// Stats is what there is to move, and what a relay has done: for gauges and alarms.
type Stats struct {
	// Of the table, whichever relay moves the rows.

	Waiting int64         // rows that are not submitted yet, without those set aside
	Claimed int64         // of them, those that a relay has at present
	Oldest  time.Duration // how long ago the oldest of those that wait was written; 0 if none does
	Aside   int64         // rows that were set aside, see [Relay.ListAside]

	// Of this relay, since it was made.

	Relayed  uint64 // rows whose tasks the pool has taken
	Doubtful uint64 // rows submitted again that the pool may have run before, and forgotten
	Refused  uint64 // rows that were set aside
	Failures uint64 // failures of the pool or the database, each followed by a pause
}

// Stats asks the database. It reads the whole table, so do it by the second at most.
func (r *Relay) Stats(ctx context.Context) (Stats, error) {
	now := r.table.dialect.now()
	var s Stats
	var oldest sql.NullInt64
	err := r.db.QueryRowContext(ctx, `SELECT
		COALESCE(SUM(CASE WHEN NOT aside THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN NOT aside AND relay IS NOT NULL AND held_until > `+now+`
			THEN 1 ELSE 0 END), 0),
		MAX(CASE WHEN NOT aside THEN `+now+` - created END),
		COALESCE(SUM(CASE WHEN aside THEN 1 ELSE 0 END), 0) FROM `+r.table.full()).
		Scan(&s.Waiting, &s.Claimed, &oldest, &s.Aside)
	if err != nil {
		return Stats{}, r.wrap(err)
	}
	s.Oldest = time.Duration(max(oldest.Int64, 0)) * time.Microsecond
	s.Relayed, s.Doubtful = r.counts.relayed.Load(), r.counts.doubtful.Load()
	s.Refused, s.Failures = r.counts.aside.Load(), r.counts.failures.Load()
	return s, nil
}
