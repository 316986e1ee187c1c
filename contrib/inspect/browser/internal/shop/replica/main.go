// Command replica is a process of the shop. It prints its address when it listens. Anybody may act
// on its page, as alice.
package main

import (
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspect/browser/internal/shop"
)

func main() {
	address := flag.String("address", "127.0.0.1:0", "where to listen")
	version := flag.String("version", "v1", "the version to show")
	fails := flag.Bool("cards-fail", false, "have charging cards fail")
	flag.Parse()
	if err := run(*address, *version, *fails); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, version string, fails bool) error {
	s, err := shop.Open(fails)
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	page := inspect.Handler(s.Jobs, s.Imports, s.Mail).With(
		inspect.Version(version), inspect.RunLog(s.Runs),
		inspect.Actions(func(*http.Request) bool { return true }),
		inspect.Who(func(*http.Request) string { return "alice" }),
		inspect.Logger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.Handle("/punctual/", page)
	fmt.Println(l.Addr())
	return http.Serve(l, mux)
}
