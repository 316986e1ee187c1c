package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/outbox"
)

// promises are kept with each database.
var promises = []struct {
	name  string
	keeps func(*world)
}{
	{"what is committed is submitted, and what is rolled back is not", committed},
	{"an ID is that of the task", idsOfTasks},
	{"a time is handed on, rounded up", times},
	{"rows of an ordering key are submitted in order, by several relays", ordered},
	{"a row waits for one before it that another relay has", behindAnother},
	{"a row that could not be deleted is submitted with the same key", again},
	{"a row is marked before it is submitted", marked},
	{"a row that may be forgotten is submitted again, with a warning", doubtful},
	{"a row that may be forgotten is set aside if that is asked for", doubtfulAside},
	{"a row that is never taken is set aside, and holds up none", poisoned},
	{"a row that fails for unknown reasons holds up its key, and is set aside at last", refused},
	{"a relay that ends gives back what it has", givesBack},
	{"a relay has no more than a batch", bounded},
	{"the figures are right", figures},
	{"the table may be made by several at once", madeAtOnce},
	{"a table of another shape is an error that names it", otherShape},
	{"a pool that is lost ends the relay", lostPool},
}

func committed(w *world) {
	pool := &fake{}
	w.relay(pool)
	w.add("", "a", "b")
	tx, err := w.db.BeginTx(w.Context(), nil)
	require.NoError(w, err)
	_, err = outbox.Submit(w.Context(), tx, w.table, note, "never")
	require.NoError(w, err)
	require.NoError(w, tx.Rollback())
	_, err = outbox.Submit(w.Context(), w.db, w.table, note, "alone")
	require.NoError(w, err)
	w.eventually(func() bool { return w.rows() == 0 })
	assert.ElementsMatch(w, []string{"a", "b", "alone"}, pool.payloads())
}

func idsOfTasks(w *world) {
	pool := &fake{}
	w.relay(pool)
	ids := w.add("k", "a", "b")
	w.eventually(func() bool { return pool.count() == 2 })
	for i, e := range pool.first {
		assert.Equal(w, ids[i], e.ID())
		assert.Equal(w, "note", e.Task)
	}
	assert.NotEqual(w, ids[0], ids[1])
}

func times(w *world) {
	pool := &fake{}
	due := time.Now().Add(time.Hour).Truncate(time.Microsecond).Add(time.Nanosecond)
	for _, at := range []time.Time{due, {}, time.Unix(-5, 0)} {
		_, err := outbox.ScheduleAt(w.Context(), w.db, w.table, at, note, "", outbox.OrderingKey("k"))
		require.NoError(w, err)
	}
	before := time.Now()
	for _, d := range []time.Duration{time.Hour, 0} {
		_, err := outbox.Schedule(w.Context(), w.db, w.table, d, note, "", outbox.OrderingKey("k"))
		require.NoError(w, err)
	}
	w.relay(pool)
	w.eventually(func() bool { return pool.count() == 5 })
	assert.True(w, due.Add(time.Microsecond-1).Equal(pool.due[0]), "%v %v", due, pool.due[0])
	for _, i := range []int{1, 2, 4} {
		assert.Zero(w, pool.due[i])
	}
	assert.False(w, pool.due[3].Before(before.Add(time.Hour)))
}

// Four relays, whose leases are over now and then while they submit, and whose submissions fail
// before or after they are stored. Writers of a key follow each other.
func ordered(w *world) {
	const keys, each = 8, 30
	pool := &fake{}
	flaky := func(cluster.Encoded) error {
		switch rand.IntN(20) {
		case 0:
			return cluster.ErrUnavailable
		case 1:
			return errors.New("unheard-of")
		case 2:
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) // longer than the lease
		}
		return nil
	}
	pool.before, pool.after = flaky, flaky
	for range 4 {
		w.relay(pool, outbox.Batch(10), outbox.Concurrency(4), outbox.Lease(100*time.Millisecond),
			outbox.Tries(1000), outbox.Backoff(100*time.Millisecond))
	}
	var writers sync.WaitGroup
	for k := range keys {
		writers.Go(func() {
			for i := 0; i < each; i += 2 {
				key := fmt.Sprint("key ", k)
				w.add(key, fmt.Sprint(key, "/", i), fmt.Sprint(key, "/", i+1))
			}
		})
	}
	writers.Wait()
	w.eventually(func() bool { return w.rows() == 0 })
	next := map[string]int{}
	for _, text := range pool.payloads() {
		key, number, _ := strings.Cut(text, "/")
		require.Equal(w, strconv.Itoa(next[key]), number, "of %s", key)
		next[key]++
	}
	assert.Len(w, next, keys)
	assert.Equal(w, keys*each, pool.count())
	w.Logf("%d of %d were submitted again", pool.repeated(), pool.count())
}

func behindAnother(w *world) {
	held, goOn := make(chan struct{}), make(chan struct{})
	pool := &fake{before: func(e cluster.Encoded) error {
		if string(e.Payload) == `"first"` {
			close(held)
			<-goOn
		}
		return nil
	}}
	w.add("k", "first")
	w.relay(pool, outbox.Lease(time.Hour))
	<-held
	w.add("k", "second")
	w.add("other", "third")
	w.relay(pool)
	w.eventually(func() bool { return pool.count() == 1 && w.rows() == 2 })
	w.add("other", "fourth")
	w.eventually(func() bool { return pool.count() == 2 })
	close(goOn)
	w.eventually(func() bool { return pool.count() == 4 })
	assert.Equal(w, []string{"third", "fourth", "first", "second"}, pool.payloads())
}

func again(w *world) {
	pool := &fake{}
	w.add("", "a", "b", "c")
	own := w.open() // the relay's, which breaks when all is stored
	var stored atomic.Int64
	pool.after = func(cluster.Encoded) error {
		if stored.Add(1) == 3 {
			return own.Close()
		}
		return nil
	}
	r, err := outbox.NewRelayTo(own, w.table, pool, outbox.Lease(200*time.Millisecond))
	require.NoError(w, err)
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	w.eventually(func() bool { return pool.count() == 3 })
	w.eventually(func() bool { return own.Stats().InUse == 0 })
	require.Equal(w, 3, w.rows())
	cancel()
	require.NoError(w, <-ended)
	w.relay(pool)
	w.eventually(func() bool { return w.rows() == 0 })
	assert.Equal(w, 3, pool.count())
	assert.Equal(w, 3, pool.repeated())
}

func marked(w *world) {
	other := w.open()
	pool := &fake{}
	var marks atomic.Int64
	pool.before = func(cluster.Encoded) error {
		var n int64
		err := other.QueryRow("SELECT COUNT(*) FROM " + w.table.String() +
			" WHERE tried <> 0 AND relay IS NOT NULL").Scan(&n)
		marks.Store(n)
		return err
	}
	w.relay(pool)
	w.add("", "a")
	w.eventually(func() bool { return w.rows() == 0 })
	assert.EqualValues(w, 1, marks.Load())
}

const longAgo = "UPDATE %s SET tried = created - 23 * 3600000000"

func doubtful(w *world) {
	pool := &fake{keeps: 24 * time.Hour}
	ids := w.add("", "a")
	w.exec(longAgo)
	r, _ := w.relay(pool, outbox.Tries(1))
	w.eventually(func() bool { return w.rows() == 0 })
	require.Equal(w, 1, pool.count())
	assert.Equal(w, ids[0], pool.first[0].ID())
	s, err := r.Stats(w.Context())
	require.NoError(w, err)
	assert.EqualValues(w, 1, s.Doubtful)
	w.add("", "b")
	w.eventually(func() bool { return w.rows() == 0 })
	s, err = r.Stats(w.Context())
	require.NoError(w, err)
	assert.EqualValues(w, 1, s.Doubtful)
	assert.EqualValues(w, 2, s.Relayed)
}

func doubtfulAside(w *world) {
	pool := &fake{keeps: 24 * time.Hour}
	w.add("k", "a")
	w.exec(longAgo)
	w.add("k", "b")
	r, _ := w.relay(pool, outbox.SetDoubtfulAside())
	w.eventually(func() bool { return w.rows() == 1 && pool.count() == 1 })
	list, err := r.ListAside(w.Context(), 10)
	require.NoError(w, err)
	require.Len(w, list, 1)
	assert.Contains(w, list[0].Reason, "forgotten")
	require.NoError(w, r.Restore(w.Context(), list[0].Number))
	w.eventually(func() bool { return w.rows() == 0 })
	assert.Equal(w, []string{"b", "a"}, pool.payloads())
}

func poisoned(w *world) {
	var bad atomic.Bool
	bad.Store(true)
	pool := &fake{before: func(e cluster.Encoded) error {
		if bad.Load() && strings.Contains(string(e.Payload), "bad") {
			return fmt.Errorf("%w: too large\x00", cluster.ErrInvalid)
		}
		return nil
	}}
	r, _ := w.relay(pool)
	ids := w.add("k", "bad 1", "good 1", "bad 2", "good 2")
	w.eventually(func() bool { return pool.count() == 2 && w.rows() == 2 })
	list, err := r.ListAside(w.Context(), 10)
	require.NoError(w, err)
	require.Len(w, list, 2)
	assert.Equal(w, ids[0], list[0].ID)
	assert.Equal(w, "k", list[0].OrderingKey)
	assert.Equal(w, "note", list[0].Task)
	assert.Equal(w, `"bad 1"`, string(list[0].Payload))
	assert.Contains(w, list[0].Reason, "too large")
	assert.WithinDuration(w, time.Now(), list[0].Created, time.Hour)
	one, err := r.ListAside(w.Context(), 1)
	require.NoError(w, err)
	assert.Len(w, one, 1)

	require.NoError(w, r.Discard(w.Context(), list[1].Number))
	bad.Store(false)
	require.NoError(w, r.Restore(w.Context(), list[0].Number))
	w.eventually(func() bool { return w.rows() == 0 })
	assert.Equal(w, []string{"good 1", "good 2", "bad 1"}, pool.payloads())
	err = r.Restore(w.Context(), list[0].Number)
	require.ErrorIs(w, err, outbox.ErrNoRow)
	assert.ErrorContains(w, err, w.table.String())
	assert.ErrorIs(w, r.Discard(w.Context(), 12345), outbox.ErrNoRow)
}

func refused(w *world) {
	pool := &fake{}
	var tries atomic.Int64
	pool.before = func(e cluster.Encoded) error {
		if strings.Contains(string(e.Payload), "bad") {
			if tries.Add(1) < 4 {
				pool.mu.Lock()
				defer pool.mu.Unlock()
				for _, e := range pool.first {
					assert.NotContains(w, string(e.Payload), "behind")
				}
			}
			return errors.New("unheard-of")
		}
		return nil
	}
	w.add("k", "bad", "behind")
	w.add("other", "beside")
	r, _ := w.relay(pool, outbox.Tries(4))
	w.eventually(func() bool { return pool.count() == 2 })
	assert.Equal(w, []string{"beside", "behind"}, pool.payloads())
	assert.EqualValues(w, 4, tries.Load())
	list, err := r.ListAside(w.Context(), 10)
	require.NoError(w, err)
	require.Len(w, list, 1)
	assert.Contains(w, list[0].Reason, "unheard-of")
}

func givesBack(w *world) {
	pool := &fake{}
	begun := make(chan struct{}, 10)
	ctx, cancel := context.WithCancel(w.Context())
	pool.before = func(cluster.Encoded) error {
		begun <- struct{}{}
		<-ctx.Done()
		return cluster.ErrUnavailable
	}
	w.add("k", "a", "b")
	w.add("", "c")
	r, err := outbox.NewRelayTo(w.db, w.table, pool, outbox.Lease(time.Hour))
	require.NoError(w, err)
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	<-begun
	s, err := r.Stats(w.Context())
	require.NoError(w, err)
	assert.EqualValues(w, 3, s.Claimed)
	assert.ErrorIs(w, r.Run(w.Context()), outbox.ErrInvalid) // it is running already
	cancel()
	require.NoError(w, <-ended)
	assert.Equal(w, 3, w.number("SELECT COUNT(*) FROM %s WHERE held_until = 0 AND relay IS NULL"))
	other := &fake{}
	w.relay(other)
	w.eventually(func() bool { return other.count() == 3 })
}

func bounded(w *world) {
	pool := &fake{}
	var most atomic.Int64
	pool.before = func(cluster.Encoded) error {
		n := int64(w.number("SELECT COUNT(*) FROM %s WHERE relay IS NOT NULL"))
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		return nil
	}
	for range 5 {
		w.add("", "1", "2", "3", "4", "5")
	}
	w.relay(pool, outbox.Batch(7), outbox.Concurrency(3), outbox.Poll(time.Hour))
	w.eventually(func() bool { return pool.count() == 25 }) // without a pause between batches
	assert.EqualValues(w, 7, most.Load())
}

func figures(w *world) {
	pool := &fake{before: func(e cluster.Encoded) error {
		switch string(e.Payload) {
		case `"bad"`:
			return cluster.ErrInvalid
		case `"full"`:
			return cluster.ErrFull
		}
		return nil
	}}
	r, stop := w.relay(pool)
	s, err := r.Stats(w.Context())
	require.NoError(w, err)
	assert.Equal(w, outbox.Stats{}, s)
	w.add("k", "good", "bad")
	w.eventually(func() bool { return w.number("SELECT COUNT(*) FROM %s WHERE aside") == 1 })
	w.add("k", "full")
	w.exec("UPDATE %s SET created = created - 3600000000 WHERE NOT aside")
	w.eventually(func() bool {
		s, err = r.Stats(w.Context())
		return assert.NoError(w, err) && s.Failures > 0
	})
	stop()
	assert.EqualValues(w, 1, s.Waiting)
	assert.EqualValues(w, 1, s.Aside)
	assert.EqualValues(w, 1, s.Refused)
	assert.EqualValues(w, 1, s.Relayed)
	assert.Greater(w, s.Oldest, time.Hour-time.Minute)
}

func madeAtOnce(w *world) {
	table, err := outbox.NewTable(dialectOf(w), w.table.String()+"_new")
	require.NoError(w, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { assert.NoError(w, table.Create(w.Context(), w.open())) })
	}
	all.Wait()
	w.table = table
	pool := &fake{}
	w.relay(pool)
	w.add("", "a")
	w.eventually(func() bool { return pool.count() == 1 })
}

func dialectOf(w *world) outbox.Dialect {
	if w.driver == "pgx" {
		return outbox.PostgreSQL
	}
	return outbox.SQLite
}

func otherShape(w *world) {
	r, err := outbox.NewRelayTo(w.db, w.table, &fake{})
	require.NoError(w, err)
	w.exec("DROP TABLE %s")
	err = r.Run(w.Context())
	require.ErrorContains(w, err, w.table.String())
	_, err = r.Stats(w.Context())
	require.ErrorContains(w, err, w.table.String())
	_, err = r.ListAside(w.Context(), 1)
	require.ErrorContains(w, err, w.table.String())
	_, err = outbox.Submit(w.Context(), w.db, w.table, note, "a")
	require.ErrorContains(w, err, w.table.String())
	require.ErrorContains(w, err, "note")
	w.exec("CREATE TABLE %s (id INTEGER)")
	require.ErrorContains(w, r.Run(w.Context()), w.table.String())
}

func lostPool(w *world) {
	w.add("", "a")
	for _, lost := range []error{
		cluster.ErrClosed, cluster.ErrMoved, cluster.ErrShape, cluster.ErrProtocol,
	} {
		pool := &fake{before: func(cluster.Encoded) error { return lost }}
		r, err := outbox.NewRelayTo(w.db, w.table, pool)
		require.NoError(w, err)
		err = r.Run(w.Context())
		require.ErrorIs(w, err, lost)
		assert.ErrorContains(w, err, w.table.String())
	}
	assert.Equal(w, 1, w.rows())
}
