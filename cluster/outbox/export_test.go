package outbox

import "database/sql"

// NewRelayTo makes a relay to a pool of a test's own.
func NewRelayTo(db *sql.DB, table *Table, pool submitter, opts ...Option) (*Relay, error) {
	return newRelay(db, table, pool, opts...)
}
