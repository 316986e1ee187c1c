package outbox_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/outbox"
)

// asChild makes the test binary a relay or a writer, which is what it holds.
const asChild = "PUNCTUAL_TEST_CHILD"

type childConfig struct {
	Relay                    bool // or a writer
	Server                   string
	Driver, Source           string
	Dialect                  outbox.Dialect
	Table                    string
	Keys                     []string // that this writer alone writes
	Lease, Poll, Transaction time.Duration
}

func TestMain(m *testing.M) {
	text := os.Getenv(asChild)
	if text == "" {
		os.Exit(m.Run())
	}
	var c childConfig
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		go func() { // until the test is over, or has died
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		err = c.run(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (c childConfig) run(ctx context.Context) error {
	db, err := sql.Open(c.Driver, c.Source)
	if err != nil {
		return err
	}
	table, err := outbox.NewTable(c.Dialect, c.Table)
	if err != nil {
		return err
	}
	if c.Relay {
		return c.relay(ctx, db, table)
	}
	return c.write(ctx, db, table)
}

func (c childConfig) relay(ctx context.Context, db *sql.DB, table *outbox.Table) error {
	conn, err := nats.Connect(c.Server)
	if err != nil {
		return err
	}
	pool, err := cluster.Join(ctx, conn, cluster.MustExist())
	if err != nil {
		return err
	}
	relay, err := outbox.NewRelay(db, table, pool, outbox.Lease(c.Lease), outbox.Poll(c.Poll),
		outbox.Batch(20), outbox.Concurrency(8))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	return relay.Run(ctx)
}

// order is what the writers write, and what the tasks are about: the orders of a key are numbered.
type order struct {
	Key    string
	Number int
}

var ship = cluster.Define("ship", func(context.Context, order) (struct{}, error) {
	return struct{}{}, nil
})

// write places orders until it is killed. One in four is rolled back, and so is its task.
func (c childConfig) write(ctx context.Context, db *sql.DB, table *outbox.Table) error {
	fmt.Println("ready")
	for {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		o := order{Key: c.Keys[rand.IntN(len(c.Keys))]}
		const count = `SELECT COUNT(*) FROM orders WHERE name = $1`
		if err := tx.QueryRowContext(ctx, count, o.Key).Scan(&o.Number); err != nil {
			return err
		}
		keep := rand.IntN(4) > 0
		if !keep {
			o.Number += 1_000_000
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO orders (name, number) VALUES ($1, $2)`,
			o.Key, o.Number); err != nil {
			return err
		}
		_, err = outbox.Submit(ctx, tx, table, ship, o, outbox.OrderingKey(o.Key))
		if err != nil {
			return err
		}
		if keep {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			return err
		}
		time.Sleep(rand.N(c.Transaction))
	}
}

// process is a child.
type process struct {
	config childConfig
	cmd    *exec.Cmd
	stdin  io.Closer
	ready  chan struct{}
}

func startChild(t *testing.T, c childConfig) *process {
	t.Helper()
	text, err := json.Marshal(c)
	require.NoError(t, err)
	p := &process{config: c, cmd: exec.Command(os.Args[0]), ready: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), asChild+"="+string(text))
	p.cmd.Stderr = os.Stderr
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go func() {
		defer close(p.ready)
		_, _ = bufio.NewReader(stdout).ReadString('\n')
	}()
	return p
}

// kill ends the child as a power switch does, and tells whether it was still there.
func (p *process) kill() (alive bool) {
	<-p.ready
	alive = p.cmd.Process.Kill() == nil
	_ = p.cmd.Wait() // which says that it was killed
	_ = p.stdin.Close()
	return alive && p.cmd.ProcessState.ExitCode() == -1
}
