// Command example has a mail server that is down, a task that fails for good, and a night on call:
// what has failed is found, and run again, by the command punctual. It needs nothing but Go, and
// exits with 0 when the mail is sent:
//
//	go -C cluster/cmd/punctual run ./example
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/cmd/punctual/internal/tool"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/executor/retry"
)

func main() {
	if err := night(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}

// mailServer is what the tasks depend on.
type mailServer struct{ up atomic.Bool }

func (m *mailServer) send(_ context.Context, to string) (string, error) {
	if !m.up.Load() {
		return "", errors.New("mail server: connection refused")
	}
	return "sent to " + to, nil
}

func night(out io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "punctual-example-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
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
	pool, err := cluster.Join(ctx, conn, cluster.Instance("worker-1"))
	if err != nil {
		return err
	}

	var mails mailServer
	mail := cluster.Define("mail", mails.send,
		cluster.Retry(3, retry.Backoff{Base: 500 * time.Millisecond}))
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- pool.Serve(serving, mail) }()
	defer func() {
		stop()
		<-served
	}()
	p := prompt{url: server.URL(), out: out}

	p.say("Three attempts, half a second and a second apart, by whichever process is there.")
	future, err := cluster.Submit(ctx, pool, mail, "ann@example.org")
	if err != nil {
		return err
	}
	if _, err = future.Get(ctx); err == nil {
		return errors.New("the mail was sent by a server that is down")
	}
	p.say("The task has failed for good: " + err.Error())
	p.run(ctx, "list", "failed")
	p.run(ctx, "show", "failed", future.ID())

	p.say("The mail server is up again.")
	mails.up.Store(true)
	p.run(ctx, "redrive", "--task", "mail")
	receipt, err := cluster.Attach(pool, mail, future.ID()+"-2").Get(ctx)
	if err != nil {
		return err
	}
	p.say("It has run again: " + receipt)
	p.run(ctx, "list", "failed")
	p.run(ctx, "list", "audit")
	p.run(ctx, "list")
	return p.err
}

// prompt shows what is typed, and what comes of it.
type prompt struct {
	url string
	out io.Writer
	err error
}

func (p *prompt) say(text string) { fmt.Fprintf(p.out, "\n# %s\n", text) }

func (p *prompt) run(ctx context.Context, words ...string) {
	fmt.Fprintln(p.out, "$ punctual", strings.Join(words, " "))
	if code := tool.Run(ctx, append([]string{"--server", p.url}, words...), p.out, p.out); code != 0 {
		p.err = errors.Join(p.err, fmt.Errorf("%v has exited with %d", words, code))
	}
}
