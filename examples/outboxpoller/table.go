package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
)

// Table is an outbox in a database: SQLite, or PostgreSQL. It has what is not sent yet, and no more.
type Table struct{ db *sql.DB }

// Schemas of the outbox. An ID is never used again, also not once its row is gone.
const (
	SQLite     = `CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL)`
	PostgreSQL = `CREATE TABLE IF NOT EXISTS outbox
		(id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body TEXT NOT NULL)`
)

// NewTable makes the outbox in a database, if it is not there yet.
func NewTable(ctx context.Context, db *sql.DB, schema string) (*Table, error) {
	_, err := db.ExecContext(ctx, schema)
	return &Table{db}, err
}

// Add adds a message in a transaction of the caller's: it is sent if that is committed, and was
// never there if it is not.
func Add(ctx context.Context, tx *sql.Tx, message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO outbox (body) VALUES ($1)`, string(body))
	return err
}

// Unsent implements [Outbox]. In PostgreSQL a transaction may be committed after one that has got a
// higher ID: its messages come with the next question, after those of the other.
func (t *Table) Unsent(ctx context.Context, most int) (messages []Message, err error) {
	rows, err := t.db.QueryContext(ctx, `SELECT id, body FROM outbox ORDER BY id LIMIT $1`, most)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var m Message
		if err := rows.Scan(&m.ID, &m.Body); err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	return messages, rows.Err()
}

// MarkSent implements [Outbox].
func (t *Table) MarkSent(ctx context.Context, id int64) error {
	_, err := t.db.ExecContext(ctx, `DELETE FROM outbox WHERE id = $1`, id)
	return err
}
