// Command worker is a process of a fleet: a pool whose job "import" can be made to fail, and the
// page of the pool behind a token. It prints its address when it listens. With -shared it also
// serves a pool that all processes share, whose task "deliver" fails until the file is there that
// its payload names.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

func main() {
	address := flag.String("address", "127.0.0.1:0", "where to listen")
	version := flag.String("version", "v1", "the version to show")
	token := flag.String("token", "", "the token to ask for")
	failure := flag.String("fail", "", "the error of import")
	shared := flag.String("shared", "", "the server of the shared pool")
	flag.Parse()
	if *shared != "" {
		if err := join(*shared); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := run(*address, *version, *token, *failure); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, version, token, failure string) error {
	pool := executor.NewScheduledPool(2, executor.Name("jobs"), executor.Watch(insight.Config{History: true}),
		executor.Logger(slog.New(slog.DiscardHandler)))
	body := func(context.Context) error {
		if failure != "" {
			return errors.New(failure)
		}
		return nil
	}
	for _, name := range []string{"import", "refresh", "sweep"} {
		if name != "import" {
			body = func(context.Context) error { return nil }
		}
		if _, err := pool.AtFixedRate(0, time.Second, body, executor.Name(name)); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	page := inspect.Handler(pool).With(inspect.Version(version))
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "who is it?", http.StatusUnauthorized)
			return
		}
		page.ServeHTTP(w, r)
	}))
}

// join serves the shared pool until the process ends, also if the server is away for a while.
func join(address string) error {
	nc, err := nats.Connect(address, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return err
	}
	pool, err := cluster.Join(context.Background(), nc, cluster.Logger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	go func() {
		for pool.Serve(context.Background(), deliver) != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}()
	return nil
}

var deliver = cluster.Define("deliver", func(_ context.Context, file string) (int, error) {
	if _, err := os.Stat(file); err != nil {
		return 0, errors.New("no route to <mail.example>")
	}
	return 0, nil
})
