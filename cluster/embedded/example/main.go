// Command example shows tasks that outlive the process that runs them. It starts a server, and
// three processes that share a series, "sweep" each second, and a few hundred tasks, "mail". One
// process is killed in the middle of a sweep, another is stopped for longer than its lease and goes
// on. What happens is told as it happens; at the end is counted what the processes have reported:
// nothing lost, no outcome twice, and who came too late was refused.
//
//	go -C cluster/embedded run ./example
//
// It takes some fifteen seconds, and ends with 1 if something is not as promised.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

const (
	lease = 2 * time.Second
	mails = 300
)

func main() {
	run := show
	if name := os.Getenv(workerName); name != "" {
		run = func() error { return work(name, os.Getenv(workerURL)) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

func show() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "punctual")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary directory
	server, err := embedded.Start(ctx, dir, embedded.Listen("127.0.0.1:0"))
	if err != nil {
		return err
	}
	defer server.Close()
	conn, err := server.Conn()
	if err != nil {
		return err
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		return err
	}

	story := newStory()
	defer story.end()
	for _, name := range []string{"A", "B", "C"} {
		if err := story.start(name, server.URL()); err != nil {
			return err
		}
	}
	sweep, mail := tasks(nil)
	if _, err := cluster.AtFixedRate(ctx, pool, "sweep", time.Second, time.Second, sweep, 0); err != nil {
		return err
	}
	outcomes := make(chan error, 1)
	go func() { outcomes <- submit(ctx, pool, mail, story) }()

	if err := story.trouble(ctx); err != nil {
		return err
	}
	if err := <-outcomes; err != nil {
		return err
	}
	return story.judge()
}

// submit schedules the mails over some eight seconds, and waits for their outcomes.
func submit(
	ctx context.Context, pool *cluster.Pool, mail cluster.Task[int, int], story *story,
) error {
	futures := make([]*cluster.Future[int], mails)
	for i := range futures {
		delay := time.Duration(i) * 8 * time.Second / mails
		f, err := cluster.Schedule(ctx, pool, delay, mail, i)
		if err != nil {
			return fmt.Errorf("mail %d was not accepted: %w", i, err)
		}
		futures[i] = f
	}
	story.tell("%d mails are accepted", mails)
	for i, f := range futures {
		got, err := f.Get(ctx)
		if err != nil || got != i {
			return fmt.Errorf("mail %d has the outcome %d, %w", i, got, err)
		}
		story.outcome(f.ID())
	}
	return nil
}
