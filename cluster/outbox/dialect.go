package outbox

import (
	"database/sql"
	"fmt"
	"strings"
)

// Dialect is the SQL of a database: [PostgreSQL] or [SQLite].
type Dialect int

// The databases that can have an outbox.
const (
	PostgreSQL Dialect = iota + 1
	SQLite
)

// String returns the name of the database.
func (d Dialect) String() string {
	switch d {
	case PostgreSQL:
		return "PostgreSQL"
	case SQLite:
		return "SQLite"
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

// now is the database's clock, in microseconds since 1970. It is the same throughout a statement:
// otherwise a lease could be over for a row, and not yet for the one before it.
func (d Dialect) now() string {
	if d == PostgreSQL {
		return `CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS BIGINT)`
	}
	return `CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)`
}

// identity is a column whose values grow, and are never used again.
func (d Dialect) identity() string {
	if d == PostgreSQL {
		return `BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY`
	}
	return `INTEGER PRIMARY KEY AUTOINCREMENT`
}

// isolation is that of claims: in PostgreSQL each statement has to see what was committed before it
// began, whatever the database's default is.
func (d Dialect) isolation() *sql.TxOptions {
	if d == PostgreSQL {
		return &sql.TxOptions{Isolation: sql.LevelReadCommitted}
	}
	return nil
}

func (d Dialect) bytes() string {
	if d == PostgreSQL {
		return `BYTEA`
	}
	return `BLOB`
}

// lock makes transactions that do the same to a table wait for each other; in SQLite they do so
// anyhow.
func (d Dialect) lock(about string) string {
	if d == PostgreSQL {
		return `SELECT pg_advisory_xact_lock(hashtextextended('` +
			strings.ReplaceAll(about, `'`, `''`) + `', 0))`
	}
	return ""
}
