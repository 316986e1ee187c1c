package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// leaving is how long a relay that was told to end takes to give back what it has.
const leaving = 5 * time.Second

// turn moves a batch, and tells whether there may be more.
func (r *Relay) turn(ctx context.Context, c *claims) (more bool, err error) {
	begun := time.Now()
	if some, err := c.any(ctx); err != nil || !some {
		return false, r.wrap(err)
	}
	rows, err := c.take(ctx)
	if err != nil || len(rows) == 0 {
		return false, r.wrap(err)
	}
	b := &batch{relay: r, claims: c}
	err = b.submit(ctx, rows, begun.Add(c.lease*3/4))
	return len(rows) == c.most, err
}

func (r *Relay) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("outbox: table %q: %w", r.table.name, err)
}

// batch is what a relay has claimed, and what has become of it.
type batch struct {
	relay  *Relay
	claims *claims

	mu    sync.Mutex
	taken []row // by the pool
	back  []row // to be given back
	err   error // the first of the pool or the database
}

// submit submits the rows until a time, those of each ordering key one after another, and then
// writes what has become of them.
func (b *batch) submit(ctx context.Context, rows []row, until time.Time) error {
	submitting, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	places := make(chan struct{}, b.relay.concurrency)
	var all sync.WaitGroup
	for _, line := range linesOf(rows) {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			b.line(submitting, cancel, line)
		})
	}
	all.Wait()
	// Also if ctx has ended: what is not written now is submitted again after the lease.
	writing, done := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer done()
	if err := b.claims.remove(writing, b.taken); err != nil {
		b.fail(b.relay.wrap(err))
	} else {
		b.relay.counts.relayed.Add(uint64(len(b.taken)))
	}
	if err := b.claims.release(writing, b.back); err != nil {
		b.fail(b.relay.wrap(err))
	}
	return b.err
}

// linesOf are the rows that have to follow each other, in the order of the first of each.
func linesOf(rows []row) (lines [][]row) {
	of := map[string]int{}
	for _, r := range rows {
		if r.order.Valid {
			if i, ok := of[r.order.String]; ok {
				lines[i] = append(lines[i], r)
				continue
			}
			of[r.order.String] = len(lines)
		}
		lines = append(lines, []row{r})
	}
	return lines
}

// line submits rows one after another. If one has to wait, so do those behind it.
func (b *batch) line(ctx context.Context, stop func(), rows []row) {
	for i, r := range rows {
		if ctx.Err() != nil {
			b.giveBack(rows[i:])
			return
		}
		switch err := b.one(ctx, r); {
		case err == nil:
		case errors.Is(err, errRests):
			b.giveBack(rows[i+1:])
			return
		default:
			b.fail(r.wrap(b.relay.table, err))
			b.giveBack(rows[i:])
			stop() // as the others would fail, too
			return
		}
	}
}

// errRests says that a row is not in the way of others, but of those behind it.
var errRests = errors.New("the row rests")

// one submits a row, or sets it aside. Its error is one of the pool or the database, or errRests.
func (b *batch) one(ctx context.Context, r row) error {
	if b.relay.forgotten(r) {
		if b.relay.doubtful {
			return b.setAside(ctx, r, errDoubtful)
		}
		b.relay.counts.doubtful.Add(1)
		b.relay.logger.Warn("a row that may have been submitted long ago is submitted again",
			"table", b.relay.table.name, "row", r.id, "task", r.Task, "id", r.ID(), "since", r.since)
	}
	err := b.relay.pool.SubmitEncoded(ctx, r.dueTime(), r.Encoded)
	switch {
	case err == nil:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.taken = append(b.taken, r)
		return nil
	case errors.Is(err, cluster.ErrInvalid):
		return b.setAside(ctx, r, err)
	case ctx.Err() != nil, of(err, cluster.ErrUnavailable, cluster.ErrFull, cluster.ErrPermission,
		cluster.ErrUnsupported), final(err):
		return err
	case r.failures+1 >= b.relay.tries:
		return b.setAside(ctx, r, err)
	}
	b.relay.logger.Warn("a row is refused; it is tried again", "table", b.relay.table.name,
		"row", r.id, "task", r.Task, "id", r.ID(), "failures", r.failures+1, "error", err)
	pause := min(firstBackoff<<min(r.failures, 16), b.relay.backoff)
	if err := b.claims.rest(ctx, r, pause, err); err != nil {
		return err
	}
	return errRests
}

func of(err error, some ...error) bool {
	for _, e := range some {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

var errDoubtful = errors.New("it may have been submitted long ago, and the pool has forgotten it")

// forgotten tells whether the pool may have forgotten that it has taken a row. What is kept so long
// goes a little earlier than that, perhaps, and a clock may be wrong.
func (r *Relay) forgotten(w row) bool {
	keeps := r.pool.Keeps()
	return keeps > 0 && w.since > keeps-keeps/10
}

func (b *batch) setAside(ctx context.Context, r row, why error) error {
	if err := b.claims.setAside(ctx, r, why); err != nil {
		return err
	}
	b.relay.counts.aside.Add(1)
	b.relay.logger.Error("a row is set aside", "table", b.relay.table.name, "row", r.id,
		"task", r.Task, "id", r.ID(), "error", why)
	return nil
}

func (b *batch) giveBack(rows []row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.back = append(b.back, rows...)
}

func (b *batch) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
}
