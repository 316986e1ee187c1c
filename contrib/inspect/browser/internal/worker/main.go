// Command worker is a process of a fleet: a pool whose job "import" can be made to fail, and the
// page of the pool behind a token. It prints its address when it listens.
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

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

func main() {
	address := flag.String("address", "127.0.0.1:0", "where to listen")
	version := flag.String("version", "v1", "the version to show")
	token := flag.String("token", "", "the token to ask for")
	failure := flag.String("fail", "", "the error of import")
	flag.Parse()
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
