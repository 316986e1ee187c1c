package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/cluster/outbox"
	"github.com/punctual-go/punctual/cluster/outbox/internal/pgtest"
)

// kills is how many processes are killed.
func kills(t *testing.T) int {
	text := os.Getenv("PUNCTUAL_TEST_KILLS")
	if text == "" {
		return 30
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func TestKilledWithSQLite(t *testing.T) {
	testKilled(t, sqliteWorld(t))
}

func TestKilledWithPostgreSQL(t *testing.T) {
	w := &world{T: t, driver: "pgx", source: pgtest.Start(t)}
	w.begin(outbox.PostgreSQL, "outbox")
	testKilled(t, w)
}

// Two relays and two writers are killed at random moments, and started again. Each order that was
// committed is shipped, none that was not, and those of a key are submitted in order.
func testKilled(t *testing.T, w *world) {
	ctx := t.Context()
	const orderTable = `CREATE TABLE orders (name TEXT, number INTEGER, PRIMARY KEY (name, number))`
	_, err := w.db.ExecContext(ctx, orderTable)
	require.NoError(t, err)
	server, err := embedded.Start(ctx, t.TempDir(), embedded.Listen("127.0.0.1:0"))
	require.NoError(t, err)
	defer server.Close()
	o := watchPool(t, server)
	defer o.end()

	config := childConfig{
		Server: server.URL(), Driver: w.driver, Source: w.source, Dialect: dialectOf(w),
		Table: w.table.String(), Lease: 500 * time.Millisecond, Poll: 20 * time.Millisecond,
		Transaction: 8 * time.Millisecond,
	}
	var children []*process
	defer func() {
		for _, p := range children {
			p.kill()
		}
	}()
	for i := range 4 {
		c := config
		c.Relay = i < 2
		c.Keys = []string{fmt.Sprintf("key %d", i), fmt.Sprintf("key %d'", i)}
		children = append(children, startChild(t, c))
	}
	relays, writers := 0, 0
	for relays+writers < kills(t) {
		i := rand.IntN(2) // a relay, three times of four
		if rand.IntN(4) == 0 {
			i += 2
		}
		p := children[i]
		<-p.ready
		time.Sleep(rand.N(100 * time.Millisecond))
		require.True(t, p.kill(), "a child has ended by itself")
		if p.config.Relay {
			relays++
		} else {
			writers++
		}
		children[i] = startChild(t, p.config)
	}
	for _, p := range children[2:] {
		p.kill()
	}
	children = children[:2]
	w.eventually(func() bool { return w.rows() == 0 })
	orders := ordersIn(w)
	require.NotEmpty(t, orders)
	all := func() bool { return o.shipped() >= len(orders) }
	assert.Eventually(t, all, time.Minute, 5*time.Millisecond)

	o.mu.Lock()
	defer o.mu.Unlock()
	lost, twice := 0, 0
	for _, placed := range orders {
		switch runs := o.runs[placed]; {
		case len(runs) == 0:
			lost++
			t.Logf("order %v is lost", placed)
		case len(runs) > 1:
			twice++
			t.Logf("order %v ran %d times: %v", placed, len(runs), runs)
		}
	}
	again := 0
	for _, n := range o.asked {
		again += min(n-1, 1)
	}
	t.Logf("%d kills, %d of relays and %d of writers: %d orders, %d lost, %d ran twice; %d rows "+
		"were submitted again, as their relay had died before it deleted them",
		relays+writers, relays, writers, len(orders), lost, twice, again)
	assert.Zero(t, lost)
	for ran := range o.runs {
		assert.Contains(t, orders, ran, "it was rolled back")
	}
	for key, numbers := range o.stored {
		assert.True(t, slices.IsSorted(numbers), "%s: %v", key, numbers)
	}
}

func ordersIn(w *world) (all []order) {
	rows, err := w.db.QueryContext(w.Context(), `SELECT name, number FROM orders`)
	require.NoError(w, err)
	defer rows.Close() //nolint:errcheck // nothing is written
	for rows.Next() {
		var o order
		require.NoError(w, rows.Scan(&o.Key, &o.Number))
		all = append(all, o)
	}
	require.NoError(w, rows.Err())
	return all
}

// observer runs the tasks of a pool, and sees what is submitted to it.
type observer struct {
	end func()

	mu     sync.Mutex
	runs   map[order][]string // which runs, each with its attempt
	stored map[string][]int   // the numbers of each key, as they were first stored
	seen   map[order]bool
	asked  map[string]int // how often the pool was asked about a key of Once, at a submission each
}

func watchPool(t *testing.T, server *embedded.Server) *observer {
	o := &observer{
		runs: map[order][]string{}, stored: map[string][]int{}, seen: map[order]bool{},
		asked: map[string]int{},
	}
	conn, err := server.Conn()
	require.NoError(t, err)
	pool, err := cluster.Join(t.Context(), conn)
	require.NoError(t, err)
	_, err = conn.Subscribe("punctual.tasks.run.>", o.sawRun)
	require.NoError(t, err)
	_, err = conn.Subscribe("$JS.API.STREAM.MSG.GET.KV_PUNCTUAL_tasks", o.sawQuestion)
	require.NoError(t, err)
	require.NoError(t, conn.Flush())
	task := cluster.Define("ship", func(ctx context.Context, p order) (struct{}, error) {
		run, _ := cluster.RunFrom(ctx)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.runs[p] = append(o.runs[p], fmt.Sprintf("%s, attempt %d", run.ID, run.Attempt))
		return struct{}{}, nil
	})
	served := make(chan error, 1)
	go func() { served <- pool.Serve(context.Background(), task) }()
	o.end = func() {
		pool.Close()
		assert.NoError(t, <-served)
		conn.Close()
	}
	return o
}

func (o *observer) sawRun(m *nats.Msg) {
	var p order
	if json.Unmarshal(m.Data, &p) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.seen[p] {
		o.seen[p] = true
		o.stored[p.Key] = append(o.stored[p.Key], p.Number)
	}
}

func (o *observer) sawQuestion(m *nats.Msg) {
	var question struct {
		LastFor string `json:"last_by_subj"`
	}
	if json.Unmarshal(m.Data, &question) == nil && strings.Contains(question.LastFor, ".claim.") {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked[question.LastFor]++
	}
}

func (o *observer) shipped() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.runs)
}
