package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A transactional session stores a task in a transaction of the caller's.
type transactional interface {
	StoreInTx(ctx context.Context, tx pgx.Tx, j job) error
}

func transactions(size sizes) workload {
	w := workload{
		name:  "transaction",
		title: "A row and its task",
		note: fmt.Sprintf("A row of a PostgreSQL table and a task an hour ahead, in pairs/s, for %v "+
			"each; processor time is that of %d callers. **Only River stores both in one "+
			"transaction.** With the others the row is committed first, and then the task is "+
			"stored, on servers of their own: a process that dies in between leaves a row without "+
			"a task. An outbox, which closes that gap at the price of one more row, is not measured "+
			"here. Both are synced everywhere.", size.short, size.few),
		columns: []column{
			{title: "1 caller", ratio: true},
			{title: fmt.Sprintf("%d callers", size.few), ratio: true},
		},
		fits:    untuned,
		needs:   postgresMissing,
		measure: measureTransactions,
	}
	w.columns = append(w.columns, processorColumns()...)
	return w
}

// ledger is the table of a user, in a PostgreSQL of its own or in that of the session.
type ledger struct {
	session session
	servers []*process // of both
	pool    *pgxpool.Pool
	own     *postgres // nil if it is that of the session
}

func measureTransactions(ctx context.Context, t *trial) (figures []float64, err error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	l, err := openLedger(ctx, t.site, s)
	if err != nil {
		return nil, err
	}
	defer l.close()
	written := 0
	for _, callers := range []int{1, t.sizes.few} {
		before := measureUsage(l.servers, nil)
		n, rate, err := during(ctx, callers, t.sizes.short, func(ctx context.Context) error {
			return l.write(ctx, job{N: t.next(), Due: anHourAhead()})
		})
		if err != nil {
			return nil, err
		}
		written += n
		figures = append(figures, rate)
		if callers == t.sizes.few {
			all, servers := measureUsage(l.servers, nil).since(before, n)
			if len(s.Servers()) == 0 {
				servers = math.NaN() // one of the two is in this process
			}
			figures = append(figures, all, servers)
		}
	}
	return figures, l.check(ctx, written)
}

func openLedger(ctx context.Context, at *site, s session) (l *ledger, err error) {
	l = &ledger{session: s, servers: s.Servers()}
	if r, ok := s.(*riverSession); ok {
		l.pool = r.pool
	} else if err := l.boot(ctx, at); err != nil {
		return nil, err
	}
	if _, err = l.pool.Exec(ctx, "CREATE TABLE orders (id bigint PRIMARY KEY)"); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// boot starts a PostgreSQL for the rows alone.
func (l *ledger) boot(ctx context.Context, at *site) (err error) {
	dir := filepath.Join(at.dir, "rows")
	if err := os.Mkdir(dir, 0o711); err != nil {
		return err
	}
	if l.own, err = newPostgres(at, dir); err != nil {
		return err
	}
	if l.pool, err = pgxpool.New(ctx, l.own.url()); err == nil {
		err = patiently(ctx, l.own.server, l.pool.Ping)
	}
	if err != nil {
		l.close()
		return err
	}
	l.servers = append(l.servers, l.own.server)
	return nil
}

const newOrder = "INSERT INTO orders (id) VALUES ($1)"

func (l *ledger) write(ctx context.Context, j job) error {
	s, ok := l.session.(transactional)
	if !ok {
		if _, err := l.pool.Exec(ctx, newOrder, j.N); err != nil {
			return err
		}
		return l.session.Store(ctx, j)
	}
	return pgx.BeginFunc(ctx, l.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, newOrder, j.N); err != nil {
			return err
		}
		return s.StoreInTx(ctx, tx, j)
	})
}

func (l *ledger) check(ctx context.Context, written int) error {
	var rows int
	err := l.pool.QueryRow(ctx, "SELECT count(*) FROM orders").Scan(&rows)
	if err == nil && rows != written {
		err = fmt.Errorf("%d rows of %d are there", rows, written)
	}
	return err
}

func (l *ledger) close() {
	if l.own == nil {
		return
	}
	if l.pool != nil {
		l.pool.Close()
	}
	l.own.halt()
}
