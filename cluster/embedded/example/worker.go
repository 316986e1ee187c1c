package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
)

const (
	workerName = "PUNCTUAL_EXAMPLE_WORKER"
	workerURL  = "PUNCTUAL_EXAMPLE_URL"
)

// report is a line that a worker writes to its output: what it has written survives it.
type report struct {
	Worker  string
	What    string // start, end, lost, log
	Task    string
	ID      string
	Number  uint64
	Attempt int
	Fence   uint64
	At      time.Time
}

// reporter writes reports.
type reporter struct {
	worker string
	mu     sync.Mutex
	out    *json.Encoder
}

func (r *reporter) write(rep report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.Worker, rep.At = r.worker, time.Now()
	_ = r.out.Encode(rep) // a parent that is gone needs no reports
}

// tasks defines what the workers do. All processes have the same definitions.
func tasks(r *reporter) (sweep, mail cluster.Task[int, int]) {
	body := func(task string, length func(n int) time.Duration) func(context.Context, int) (int, error) {
		return func(ctx context.Context, n int) (int, error) {
			run, _ := cluster.RunFrom(ctx)
			rep := report{What: "start", Task: task, ID: run.ID, Number: run.Number,
				Attempt: run.Attempt, Fence: run.Fence}
			if task == "mail" {
				rep.Number = uint64(n)
			}
			r.write(rep)
			select {
			case <-time.After(length(n)):
				rep.What = "end"
			case <-ctx.Done():
				rep.What = context.Cause(ctx).Error()
			}
			r.write(rep)
			return n, nil
		}
	}
	sweep = cluster.Define("sweep", body("sweep", func(int) time.Duration {
		return 400 * time.Millisecond
	}), cluster.Lease(lease))
	mail = cluster.Define("mail", body("mail", func(n int) time.Duration {
		return time.Duration(n%20) * 5 * time.Millisecond
	}), cluster.Lease(lease))
	return sweep, mail
}

// work is the life of a worker: it serves until its parent closes its input.
func work(name, url string) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		bufio.NewScanner(os.Stdin).Scan()
		stop()
	}()
	r := &reporter{worker: name, out: json.NewEncoder(os.Stdout)}
	conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn, cluster.Workers(8), cluster.Logger(slog.New(&logs{r})))
	if err != nil {
		return err
	}
	sweep, mail := tasks(r)
	return pool.Serve(ctx, sweep, mail)
}

// logs passes on what the pool logs, such as a result that was refused.
type logs struct{ to *reporter }

func (*logs) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }
func (l *logs) WithAttrs([]slog.Attr) slog.Handler             { return l }
func (l *logs) WithGroup(string) slog.Handler                  { return l }

func (l *logs) Handle(_ context.Context, r slog.Record) error {
	l.to.write(report{What: "log: " + r.Message})
	return nil
}
