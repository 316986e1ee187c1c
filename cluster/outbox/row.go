package outbox

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// row is a row of the table:
//
//	free    -> claimed  relay and held_until are set, and tried if it was never claimed before
//	claimed -> gone     the pool has its task
//	claimed -> free     the pool could not be asked, or the relay is ending, or has died, and
//	                    held_until is past
//	claimed -> resting  the pool has refused it, and perhaps will not: free again after held_until
//	claimed -> aside    the pool will never take it, or it has failed too often
//	aside   -> free     Restore
//	aside   -> gone     Discard
type row struct {
	cluster.Encoded
	id       int64
	order    sql.NullString
	due      int64         // in microseconds since 1970, 0 for at once
	since    time.Duration // how long ago it was claimed for the first time
	failures int
}

// setDue sets the time, or the next microsecond, as a task is never begun early.
func (r *row) setDue(due time.Time) {
	if r.due = 0; due.After(time.Unix(0, 0)) {
		r.due = due.Add(time.Microsecond - 1).UnixMicro()
	}
}

func (r *row) dueTime() time.Time {
	if r.due == 0 {
		return time.Time{}
	}
	return time.UnixMicro(r.due)
}

func (r *row) wrap(table *Table, err error) error {
	return fmt.Errorf("outbox: table %q, row %d of task %q: %w", table.name, r.id, r.Task, err)
}
