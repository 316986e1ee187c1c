package outbox

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// claims are the statements by which a relay takes rows and leaves them. A claim is committed
// before anything is submitted, so what a relay may have submitted is marked as tried, whatever
// becomes of it.
//
// A row is not claimed while an earlier one of its ordering key is claimed by another relay, or
// rests. Two claims at once could each miss the rows that the other is taking, so they wait for
// each other, for as long as one statement takes. If a lease is over while its relay still lives,
// two relays submit the same rows, each in order; and as the second submission of a row does
// nothing, the first ones are in order.
//
// A relay whose lease is over may leave a row in the same moment as another claims it. The claim
// then takes it nevertheless: if it took only those behind it, they would be submitted before it.
type claims struct {
	db    *sql.DB
	table *Table
	relay string // differs from that of all others
	lease time.Duration
	most  int
}

func micros(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }

// any tells whether a row could be claimed, without writing anything. Those behind one that is
// claimed count as well.
func (c *claims) any(ctx context.Context) (bool, error) {
	var one int
	err := c.db.QueryRowContext(ctx, "SELECT 1 FROM "+c.table.full()+
		" WHERE NOT aside AND held_until <= "+c.table.dialect.now()+" LIMIT 1").Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// take claims the first rows, in their order.
func (c *claims) take(ctx context.Context) (rows []row, err error) {
	err = c.table.within(ctx, c.db, func(tx *sql.Tx) error {
		if lock := c.table.dialect.lock("punctual outbox claim " + c.table.full()); lock != "" {
			if _, err := tx.ExecContext(ctx, lock); err != nil {
				return err
			}
		}
		rows, err = c.taken(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b row) int { return int(min(max(a.id-b.id, -1), 1)) })
	return rows, nil
}

func (c *claims) taken(ctx context.Context, tx *sql.Tx) (rows []row, err error) {
	now, table := c.table.dialect.now(), c.table.full()
	found, err := tx.QueryContext(ctx, `UPDATE `+table+` SET relay = $1,
		held_until = `+now+` + `+micros(c.lease)+`,
		tried = CASE WHEN tried = 0 THEN `+now+` ELSE tried END
		WHERE id IN (
			SELECT o.id FROM `+table+` AS o WHERE NOT o.aside AND o.held_until <= `+now+`
			AND (o.ordering_key IS NULL OR NOT EXISTS (
				SELECT 1 FROM `+table+` AS e WHERE e.ordering_key = o.ordering_key
				AND e.id < o.id AND NOT e.aside AND e.held_until > `+now+`))
			ORDER BY o.id LIMIT `+strconv.Itoa(c.most)+`)
		RETURNING id, task, payload, once_key, ordering_key, due, `+now+` - tried, failures`, c.relay)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		var r row
		var since int64
		err := found.Scan(&r.id, &r.Task, &r.Payload, &r.Key, &r.order, &r.due, &since, &r.failures)
		if err != nil {
			return nil, err
		}
		r.since = time.Duration(since) * time.Microsecond
		rows = append(rows, r)
	}
	return rows, found.Err()
}

// remove deletes rows that the pool has taken. Whoever has claimed them meanwhile need not submit
// them again.
func (c *claims) remove(ctx context.Context, rows []row) error {
	return c.exec(ctx, rows, "DELETE FROM "+c.table.full()+" WHERE "+idsOf(rows))
}

// release gives rows back, unless another relay has them.
func (c *claims) release(ctx context.Context, rows []row) error {
	return c.exec(ctx, rows, "UPDATE "+c.table.full()+
		" SET relay = NULL, held_until = 0 WHERE "+idsOf(rows)+" AND relay = $1", c.relay)
}

// rest gives a row back for later.
func (c *claims) rest(ctx context.Context, r row, d time.Duration, why error) error {
	rows := []row{r}
	return c.exec(ctx, rows, "UPDATE "+c.table.full()+" SET relay = NULL, failures = failures + 1,"+
		" held_until = "+c.table.dialect.now()+" + "+micros(d)+", fault = $1 WHERE "+idsOf(rows)+
		" AND relay = $2", text(why), c.relay)
}

// setAside leaves a row to people.
func (c *claims) setAside(ctx context.Context, r row, why error) error {
	rows := []row{r}
	return c.exec(ctx, rows, "UPDATE "+c.table.full()+" SET relay = NULL, held_until = 0,"+
		" failures = failures + 1, fault = $1, aside = TRUE WHERE "+idsOf(rows)+" AND relay = $2",
		text(why), c.relay)
}

func (c *claims) exec(ctx context.Context, rows []row, statement string, args ...any) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := c.db.ExecContext(ctx, statement, args...)
	return err
}

// text is what PostgreSQL takes as a text.
func text(err error) string {
	return strings.ReplaceAll(strings.ToValidUTF8(err.Error(), "\ufffd"), "\x00", "")
}

func idsOf(rows []row) string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = strconv.FormatInt(r.id, 10)
	}
	return "id IN (" + strings.Join(ids, ", ") + ")"
}
