package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid says that an argument is not allowed.
var ErrInvalid = errors.New("outbox: invalid argument")

// Table is an outbox in a database. Make one with [NewTable]. It is a value without a connection:
// all processes that write to the table or empty it have their own.
type Table struct {
	dialect Dialect
	name    string // as it was given
	schema  string // quoted, with a dot, or empty
	table   string // quoted
	index   string // quoted
	insert  string
}

// longestTable leaves room for the name of the index, which PostgreSQL cuts at 63 bytes.
const longestTable = 50

// NewTable names a table, "outbox" or with a schema "shop.outbox". In SQLite the schema is a
// database that is attached. The parts of a name have letters, digits and _, and their case counts.
func NewTable(d Dialect, name string) (*Table, error) {
	if d != PostgreSQL && d != SQLite {
		return nil, fmt.Errorf("%w: table %q is of an unknown dialect: %v", ErrInvalid, name, d)
	}
	schema, table, found := strings.Cut(name, ".")
	if !found {
		schema, table = "", name
	}
	if !identifier(table) || found && !identifier(schema) {
		return nil, fmt.Errorf("%w: table %.80q: a name has letters, digits and _, at most %d, "+
			"and may have a schema and a dot before it", ErrInvalid, name, longestTable)
	}
	t := &Table{dialect: d, name: name, table: quoted(table), index: quoted(table + "_order")}
	if found {
		t.schema = quoted(schema) + "."
	}
	t.insert = "INSERT INTO " + t.full() +
		" (task, payload, once_key, ordering_key, due) VALUES ($1, $2, $3, $4, $5)"
	return t, nil
}

func identifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= longestTable
}

func quoted(s string) string { return `"` + s + `"` }

// full is the name of the table in statements.
func (t *Table) full() string { return t.schema + t.table }

// String returns the name of the table.
func (t *Table) String() string { return t.name }

// Schema returns the statements that make the table, for a migration. The schema that the name has
// must be there. They do nothing if the table is there already.
func (t *Table) Schema() string { return strings.Join(t.statements(), ";\n") + ";\n" }

func (t *Table) statements() []string {
	index, of := t.index, t.full()
	if t.dialect == SQLite { // which has it the other way round
		index, of = t.schema+t.index, t.table
	}
	return []string{
		`CREATE TABLE IF NOT EXISTS ` + t.full() + ` (
	id ` + t.dialect.identity() + `,
	task TEXT NOT NULL,
	payload ` + t.dialect.bytes() + ` NOT NULL,
	once_key TEXT NOT NULL,
	ordering_key TEXT,
	due BIGINT NOT NULL DEFAULT 0,
	created BIGINT NOT NULL DEFAULT (` + t.dialect.now() + `),
	relay TEXT,
	held_until BIGINT NOT NULL DEFAULT 0,
	tried BIGINT NOT NULL DEFAULT 0,
	failures INTEGER NOT NULL DEFAULT 0,
	fault TEXT,
	aside BOOLEAN NOT NULL DEFAULT FALSE
)`,
		`CREATE INDEX IF NOT EXISTS ` + index + ` ON ` + of +
			` (ordering_key, id) WHERE ordering_key IS NOT NULL`,
	}
}

const allColumns = `id, task, payload, once_key, ordering_key, due, created, relay, held_until,
	tried, failures, fault, aside`

// Create makes the table if it is not there. Several processes may do so at once.
func (t *Table) Create(ctx context.Context, db *sql.DB) error {
	statements := t.statements()
	if lock := t.dialect.lock("punctual outbox create " + t.full()); lock != "" {
		statements = append([]string{lock}, statements...)
	}
	err := t.within(ctx, db, func(tx *sql.Tx) error {
		for _, s := range statements {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("outbox: table %q cannot be made: %w", t.name, err)
	}
	return nil
}

// within does something in a transaction.
func (t *Table) within(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, t.dialect.isolation())
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // of what is committed there is nothing to roll back
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
